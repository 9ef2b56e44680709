"""Tables on their way out: workbooks, CSV, the clipboard."""
