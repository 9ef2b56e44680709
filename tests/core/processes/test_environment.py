"""What a child finds in its environment: no secret, whatever else it is given."""

import os
import subprocess
import sys
from typing import get_args

import pytest

from qhub_desktop.core import untrusted
from qhub_desktop.core.processes.child import Environment, environment_of

SECRETS = {
    "ANTHROPIC_API_KEY": "gw_planted-key-0123456789",
    "ANTHROPIC_AUTH_TOKEN": "gw_planted-token-0123456",
    "QHUB_SECRET": "geheim",
    "PLANT_PASSWORD": "geheim-77",
    "HTTPS_PROXY": "http://carla:geheim-Pl4nt3d-77@proxy.plant:8080",
    "all_proxy": "socks5://carla:other@proxy.plant:8080",
    "MY_THING": "gw_planted-key-9876543210",
    "QT_API_KEY": "gw_planted-key-9876543211",
    "QT_FONT": "geheim-Pl4nt3d-77",
    "XDG_PROXY": "http://carla:other@proxy.plant",
    "QTWEBENGINE_CHROMIUM_FLAGS": "--proxy-server=http://carla:other@proxy.plant",
    "GTK_THING": "sk-ant-api03-planted-0123456789",
    "PYTHONSTARTUP": "gw_planted-key-9876543212",
    "LDAP": "gw_planted-key-9876543213",
}
NEEDED = {
    "XDG_RUNTIME_DIR": "/run/user/1000",
    "LOCALAPPDATA": "C:/Users/Carla",
    "QT_SCALE_FACTOR": "2",
    "DISPLAY": ":1",
}


@pytest.mark.parametrize("kept", get_args(Environment))
def test_no_secret_is_in_the_environment_of_a_child(
    kept: Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(untrusted, "_Secrets", type("_Secrets", (untrusted._Secrets,), {}))
    untrusted.use_secret("geheim-Pl4nt3d-77")  # as the way to the service has told
    for name, value in {**SECRETS, **NEEDED}.items():
        monkeypatch.setenv(name, value)

    found = environment_of(kept)

    assert "PATH" in {name.upper() for name in found}
    assert not {name.upper() for name in SECRETS} & {name.upper() for name in found}
    assert (found.items() >= NEEDED.items()) == (kept == "pages")


LOOK = """
import os, subprocess, sys
from qhub_desktop.core import untrusted
from qhub_desktop.core.processes.child import close_environment, open_environment
untrusted.use_secret("geheim-Pl4nt3d-77")
def names():
    code = "import os; print(*os.environ)"
    told = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True).stdout
    return {name.upper() for name in told.split()}
before = names()
close_environment()
closed = names()
with open_environment():
    opened = names()
print(sorted(before - closed), sorted(before - opened), names() == closed)
print(os.environ["HTTPS_PROXY"], os.environ["ANTHROPIC_API_KEY"])
"""


def test_what_libraries_start_finds_no_secret_and_a_program_of_the_persons_no_key_of_ours() -> None:
    known = {"PATH", "SYSTEMROOT", "TEMP", "TMP", "PYTHONPATH", "LD_LIBRARY_PATH"}
    given = {name: value for name, value in os.environ.items() if name.upper() in known}

    told = subprocess.run(
        [sys.executable, "-c", LOOK],
        env={**given, **SECRETS, **NEEDED, "JAVA_HOME": "/opt/java"},
        stdout=subprocess.PIPE,
        check=True,
        encoding="utf-8",
    ).stdout.splitlines()

    keys = ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "HTTPS_PROXY", "QHUB_SECRET", "QT_FONT"]
    secrets = sorted(name.upper() for name in {*SECRETS, "JAVA_HOME"})
    assert told[0] == f"{secrets} {keys} True"
    assert told[1] == f"{SECRETS['HTTPS_PROXY']} {SECRETS['ANTHROPIC_API_KEY']}"
