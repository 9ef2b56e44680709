"""Tables and figures to workbooks, CSV and the clipboard."""
