"""Days and hours in a question, in Portuguese and English: found, and blanked out."""
