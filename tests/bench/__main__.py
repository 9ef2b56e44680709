"""Measures everything, or what is named: `python -m tests.bench [NAME]...`.

A module beside this one whose name begins with bench_ is a program that measures one thing and
prints it. Each runs in a process of its own, so that none pays for what another has loaded.
"""

import os
import pkgutil
import subprocess
import sys
from pathlib import Path


def main(wanted: list[str]) -> int:
    """Run the measurements one after the other; the code of the worst."""
    found = sorted(each.name for each in pkgutil.iter_modules([str(Path(__file__).parent)]))
    names = [name for name in found if name.startswith("bench_")]
    if unknown := set(wanted) - set(names):
        print(f"There is no {', '.join(sorted(unknown))}; there is: {', '.join(names)}.")
        return 2
    # With this set, which some machines do, every import would be measured with its compilation.
    surroundings = {
        name: text for name, text in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"
    }
    if sys.platform == "linux":
        surroundings.setdefault("QT_QPA_PLATFORM", "offscreen")
    codes = []
    for name in wanted or names:
        print(f"== {name}", flush=True)
        command = [sys.executable, "-m", f"tests.bench.{name}"]
        codes.append(subprocess.run(command, env=surroundings, check=False).returncode)
        print(flush=True)
    return max(codes, default=0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
