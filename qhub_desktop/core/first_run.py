"""Choices of a first run: what a station begins with, before anything of it is kept."""

from dataclasses import dataclass, field
from typing import Literal

from qhub_desktop.core.settings import Settings

# Where the key is to be kept; but for the system's store the person chooses it.
KeyChoice = Literal["system", "file", "session"]


@dataclass(frozen=True, slots=True)
class Choices:
    """What is chosen. Without `has_accounts` nobody signs in, and the two after it are not used.

    An empty key is none; `passphrase` is that of an encrypted file.
    """

    settings: Settings
    has_accounts: bool = False
    admin: str = ""
    secret: str = field(default="", repr=False)
    key: str = field(default="", repr=False)
    key_choice: KeyChoice = "system"
    passphrase: str = field(default="", repr=False)
    has_demo_data: bool = True
