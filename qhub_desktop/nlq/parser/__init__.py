"""Questions to slots: tokens linked to the columns and values of one data set."""
