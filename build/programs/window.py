"""First lines of `qhub-desktop`, and of the children it starts."""

from qhub_desktop.__main__ import main

raise SystemExit(main())
