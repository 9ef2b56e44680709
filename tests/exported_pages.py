"""What an exported file holds as data: the page in its frame, and what that reads."""

import json
import re


def page_in(whole: str) -> str:
    """The page that an exported file shows."""
    return _content(whole)["page"]


def bridge_in(whole: str) -> str:
    """The script that gives the page its data."""
    return _content(whole)["bridge"]


def _content(whole: str) -> dict[str, str]:
    (content,) = re.findall(r'<script type="application/json" id="content">(.*?)</script>', whole)
    kept: dict[str, str] = json.loads(content)
    return kept
