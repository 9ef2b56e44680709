"""What an answer shows beside its words: charts, tables and single numbers, each on a card."""
