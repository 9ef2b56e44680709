"""The right column: the data sets that the open conversation may ask about."""
