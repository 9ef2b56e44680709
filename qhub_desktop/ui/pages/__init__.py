"""Untrusted pages, shown in a sandbox.

`locked_view.LockedView` is what the rest of the window uses. The web engine itself is loaded with
the first page: only `web_view`, `lock` and `engine` import it, and the first two are not imported
outside this package.
"""

SCHEME = "qhub"  # of the addresses that pages are served at, from memory
