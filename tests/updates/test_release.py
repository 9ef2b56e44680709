"""What an offer says, and that nobody but the owner of the key can say it."""

import json
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from qhub_desktop.core.errors import UserError
from qhub_desktop.updates import Release, read_release
from tests.updates.offers import INSTALLER, Administrator, signing


@pytest.fixture
def administrator(tmp_path: Path) -> Administrator:
    return Administrator(tmp_path / "share")


def test_an_offer_says_what_is_there(administrator: Administrator) -> None:
    administrator.offer("9.1.0", notes="Mais rápido.\nE mais.")

    release = read_release(administrator.offer_file.read_bytes(), administrator.public_key)

    assert release == Release(
        version="9.1.0",
        file="QHub-Desktop-9.1.0-setup.exe",
        size=len(INSTALLER),
        sha256=release.sha256,
        notes="Mais rápido.\nE mais.",
        made=release.made,
    )
    assert abs(release.made - time.time()) < 3_600


def test_an_offer_of_another_key_is_refused(administrator: Administrator, tmp_path: Path) -> None:
    administrator.offer()
    other = Administrator(tmp_path / "other")

    with pytest.raises(UserError, match="does not bear the signature"):
        read_release(administrator.offer_file.read_bytes(), other.public_key)


def test_no_byte_of_a_signed_manifest_can_be_changed(administrator: Administrator) -> None:
    administrator.offer()
    offer = json.loads(administrator.offer_file.read_bytes())
    manifest = offer["manifest"]

    for place in range(len(manifest)):
        changed = manifest[:place] + chr(ord(manifest[place]) ^ 1) + manifest[place + 1 :]
        with pytest.raises(UserError, match="does not bear the signature"):
            read_release(
                json.dumps({**offer, "manifest": changed}).encode(), administrator.public_key
            )


def test_a_signature_that_was_made_for_something_else_is_none(administrator: Administrator) -> None:
    administrator.offer()
    offer = json.loads(administrator.offer_file.read_bytes())
    offer["signature"] = administrator.key.sign(offer["manifest"].encode()).hex()

    with pytest.raises(UserError, match="does not bear the signature"):
        read_release(json.dumps(offer).encode(), administrator.public_key)


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.9, 0.999])
def test_half_an_offer_is_said_to_be_one(administrator: Administrator, share: float) -> None:
    administrator.offer()
    offer = administrator.offer_file.read_bytes().rstrip()

    with pytest.raises(UserError, match="not whole"):
        read_release(offer[: int(len(offer) * share)], administrator.public_key)


@pytest.mark.parametrize(
    "offer",
    [b"[]", b"{}", b"1", b"\xff\xfe\x00", b'{"manifest": 1, "signature": ""}', b"[" * 50_000],
)
def test_what_is_no_offer_is_said_to_be_none(administrator: Administrator, offer: bytes) -> None:
    with pytest.raises(UserError, match="not whole"):
        read_release(offer, administrator.public_key)


@pytest.mark.parametrize(
    ("key", "sentence"),
    [("", "is none"), ("12", "is none"), ("z" * 64, "is none"), ("0" * 64, "signature")],
)
def test_a_key_that_is_none_is_named(administrator: Administrator, key: str, sentence: str) -> None:
    administrator.offer()

    with pytest.raises(UserError, match=sentence):
        read_release(administrator.offer_file.read_bytes(), key)


def test_a_key_is_read_as_people_paste_it(administrator: Administrator) -> None:
    administrator.offer()

    pasted = f" {administrator.public_key.upper()}\n"
    assert read_release(administrator.offer_file.read_bytes(), pasted).version == "9.0.0"


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda it: it.update(product="other"), "another program or system"),
        (lambda it: it.update(system="linux-x64"), "another program or system"),
        (lambda it: it.update(format=2), "another version of this program"),
        (lambda it: it.update(version="9"), "cannot be understood"),
        (lambda it: it.update(version="9.0.0-beta"), "cannot be understood"),
        (lambda it: it.update(version=9), "cannot be understood"),
        (lambda it: it.update(file="../QHub-setup.exe"), "cannot be understood"),
        (lambda it: it.update(file="C:\\QHub-setup.exe"), "cannot be understood"),
        (lambda it: it.update(file="\\\\server\\share\\QHub-setup.exe"), "cannot be understood"),
        (lambda it: it.update(file="QHub.bat"), "cannot be understood"),
        (lambda it: it.update(size=0), "cannot be understood"),
        (lambda it: it.update(size=10**12), "cannot be understood"),
        (lambda it: it.update(sha256="12"), "cannot be understood"),
        (lambda it: it.update(made=-1), "cannot be understood"),
        (lambda it: it.update(made=10**11), "cannot be understood"),
        (lambda it: it.update(made="2026-02-28"), "cannot be understood"),
        (lambda it: it.update(made=1e400), "cannot be understood"),
        (lambda it: it.pop("sha256"), "cannot be understood"),
        (lambda it: it.pop("product"), "cannot be understood"),
    ],
)
def test_a_signed_offer_that_is_not_for_us_is_refused(
    administrator: Administrator,
    change: Callable[[dict[str, object]], object],
    sentence: str,
) -> None:
    administrator.offer()
    administrator.change(change)

    with pytest.raises(UserError, match=sentence):
        read_release(administrator.offer_file.read_bytes(), administrator.public_key)


@pytest.mark.parametrize("manifest", ["[]", "", "null", "9"])
def test_a_signed_text_that_is_no_manifest_is_refused(
    administrator: Administrator, manifest: str
) -> None:
    administrator.offer()
    administrator.sign(manifest)

    with pytest.raises(UserError, match="cannot be understood"):
        read_release(administrator.offer_file.read_bytes(), administrator.public_key)


def test_a_private_key_is_made_once_and_kept_under_a_password(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "key.pem"
    monkeypatch.setenv("QHUB_UPDATE_KEY_PASSWORD", "segredo")
    signing.main(["new-key", str(file)])
    told = capsys.readouterr().out.split()[-1]

    assert b"ENCRYPTED" in file.read_bytes()
    assert told == signing.public_key(signing.read_key(file))
    with pytest.raises(SystemExit, match="there already"):
        signing.main(["new-key", str(file)])
    monkeypatch.delenv("QHUB_UPDATE_KEY_PASSWORD")
    with pytest.raises(SystemExit, match="cannot be read"):
        signing.main(["public-key", str(file)])


def test_what_is_offered_from_the_command_line_is_found(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    key, share = tmp_path / "key.pem", tmp_path / "share"
    installer = tmp_path / "QHub-Desktop-2.10.3-setup.exe"
    installer.write_bytes(b"MZ")
    signing.main(["new-key", str(key)])
    signing.main(["offer", str(installer), str(key), str(share), "--notes", "Olá"])
    public = capsys.readouterr().out.split()[-1]

    release = read_release((share / "qhub-update.json").read_bytes(), public)

    assert (release.version, release.notes) == ("2.10.3", "Olá")
    assert (share / release.file).read_bytes() == b"MZ"
    with pytest.raises(SystemExit, match="is no installer's name"):
        signing.main(["offer", str(key), str(key), str(share)])
