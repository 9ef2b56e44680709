"""Tables to figures, one function a chart type; figures to files."""
