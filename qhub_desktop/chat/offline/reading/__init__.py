"""The words of a question, read over one data set: from left to right, once."""
