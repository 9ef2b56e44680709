"""What a child finds in its environment: no secret, whatever else it is given."""

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
}


@pytest.mark.parametrize("kept", get_args(Environment))
def test_no_secret_is_in_the_environment_of_a_child(
    kept: Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(untrusted, "_Secrets", type("_Secrets", (untrusted._Secrets,), {}))
    untrusted.use_secret("geheim-Pl4nt3d-77")  # as the way to the service has told
    for name, value in SECRETS.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("XDG_RUNTIME_DIR", "/run/user/1000")

    found = environment_of(kept)

    assert "PATH" in {name.upper() for name in found}
    assert SECRETS.keys() & found.keys() == set()
    assert ("XDG_RUNTIME_DIR" in found) == (kept == "whole")
