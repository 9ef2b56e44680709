"""The log of what was done, as a file for a spreadsheet."""

import csv
from pathlib import Path

from qhub_desktop.tools.audit_files import export_audit
from tests.tools.conftest import ToolHarness


async def test_no_cell_of_the_log_is_a_formula(harness: ToolHarness, tmp_path: Path) -> None:
    audit, target = harness.store.audit, tmp_path / "log.csv"
    await audit.add("export", '=HYPERLINK("http://x")', {"file": "x;=1+1;y"})
    await audit.add("export", "\t@SUM(1)", {})

    count = await export_audit(audit, target)

    with target.open(encoding="utf-8-sig", newline="") as file:
        rows = [*csv.DictReader(file)]
    assert len(rows) == count
    first, second, _own = rows[-3:]
    assert first["subject"] == '\'=HYPERLINK("http://x")'
    assert first["detail"] == '{"file": "x;\'=1+1;y"}'
    assert first["id"].isdigit()
    assert second["subject"] == "'\t'@SUM(1)"
