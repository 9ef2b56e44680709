"""Pages that nobody trusts, shown where they can harm nothing.

`locked_view.LockedView` is what the rest of the window uses. The web engine itself is loaded with
the first page, in `web_view`, `lock` and `engine`: nobody outside this package imports those.
"""
