"""Offers as an administrator makes them: real keys, a real folder, `build/sign_update.py`."""

import importlib.util
import json
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import ModuleType

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from qhub_desktop.core.errors import UserError
from qhub_desktop.core.settings import Settings
from qhub_desktop.updates import OFFER_FILE
from qhub_desktop.updates.updater import Updater

ROOT = Path(__file__).resolve().parents[2]
INSTALLER = bytes(range(256)) * 2_000


def _signing() -> ModuleType:
    spec = importlib.util.spec_from_file_location("sign_update", ROOT / "build/sign_update.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


signing = _signing()


@dataclass
class Administrator:
    """A folder of updates, and the key that signs them."""

    folder: Path
    key: Ed25519PrivateKey = field(default_factory=Ed25519PrivateKey.generate)

    @property
    def public_key(self) -> str:
        return str(signing.public_key(self.key))

    @property
    def offer_file(self) -> Path:
        return self.folder / OFFER_FILE

    def offer(self, version: str = "9.0.0", *, data: bytes = INSTALLER, notes: str = "") -> Path:
        """Offer a version; return the installer in the folder."""
        name = f"QHub-Desktop-{version}-setup.exe"
        made = self.folder.with_name("made")
        made.mkdir(exist_ok=True)
        (made / name).write_bytes(data)
        signing.offer(made / name, self.key, self.folder, notes=notes)
        return self.folder / name

    def change(self, change: Callable[[dict[str, object]], object]) -> None:
        """Change the manifest, and sign it again."""
        manifest = json.loads(json.loads(self.offer_file.read_text(encoding="utf-8"))["manifest"])
        change(manifest)
        self.sign(json.dumps(manifest))

    def sign(self, manifest: str) -> None:
        """Put any text there as a signed manifest."""
        signature = self.key.sign(signing.CONTEXT + manifest.encode()).hex()
        offer = {"manifest": manifest, "signature": signature}
        self.offer_file.write_text(json.dumps(offer), encoding="utf-8")


@dataclass
class Station:
    """A station of the plant: its settings, and what it is made to run."""

    home: Path
    settings: Settings
    started: list[bytes] = field(default_factory=list)
    backed_up: list[str] = field(default_factory=list)
    refusal: str = ""
    obstacle: str = ""
    is_broken: bool = False

    @classmethod
    def of(cls, administrator: Administrator, home: Path) -> "Station":
        """Make a station that trusts an administrator."""
        settings = Settings(
            updates="tell",
            update_folder=str(administrator.folder),
            update_key=administrator.public_key,
        )
        return cls(home, settings)

    def set(self, **changes: object) -> None:
        """Change settings."""
        self.settings = replace(self.settings, **changes)  # type: ignore[arg-type]

    def started_as(self, version: str = "1.0.0", *, silence_s: float = 20.0) -> Updater:
        """Start the program once more."""
        return Updater(
            self.home,
            settings=lambda: self.settings,
            back_up=self.backed_up.append,
            installation=self,
            version=version,
            silence_s=silence_s,
        )

    @property
    def kept(self) -> list[str]:
        """What lies in the station's own folder of an update."""
        folder = self.home / "updates"
        names = [each.name for each in folder.iterdir()] if folder.exists() else []
        return sorted(each for each in names if each not in ("held", "seen.json"))

    def check(self) -> None:
        """Play an installation that may be none."""
        if self.refusal:
            raise UserError(self.refusal)

    def start(self, installer: Path) -> None:
        """Play Windows, which runs the installer or will not."""
        if self.is_broken:
            raise PermissionError(13, "a scanner says no")
        self.started.append(installer.read_bytes())
