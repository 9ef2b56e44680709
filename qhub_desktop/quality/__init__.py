"""Statistical quality control on NumPy and SciPy: arrays in, frozen results out.

Nothing here knows of tables, tools or windows. Positions are 0-based. A module imports SciPy inside
the functions that need it, or is itself imported only when something is computed.
"""

# Why it is so: decisions/statistics.md
