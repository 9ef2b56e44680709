"""The diagnosis names the step that fails, and what to ask for, on a network of real parts."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack, asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from qhub_desktop.app import Program
from qhub_desktop.chat.claude import diagnosis
from qhub_desktop.chat.claude.diagnosis import STEPS, StepResult, report_text
from qhub_desktop.core import text
from qhub_desktop.core.settings import Policy, Settings
from qhub_desktop.knowledge.embedding import model_problem
from tests.keyrings import MemoryStore, using
from tests.wire import WireServer, answer
from tests.wire.proxy import PlantCertificates, PlantProxy

KEY = "gw_planted-key-0123456789"
PASSWORD = "geheim-77-wort"
VARIABLES = ("ALL_PROXY", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY")


@pytest.fixture(autouse=True)
def store() -> Iterator[MemoryStore]:
    """A key store of this test's own."""
    yield from using(MemoryStore())


@pytest.fixture(autouse=True)
def proxied(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Sets the proxy for everything; there is none at first."""

    def set_proxy(proxy: str) -> None:
        for name in VARIABLES:
            monkeypatch.delenv(name, raising=False)
            monkeypatch.delenv(name.lower(), raising=False)
        if proxy:
            monkeypatch.setenv("ALL_PROXY", proxy)

    set_proxy("")
    return set_proxy


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> PlantCertificates:
    """A company's certificates."""
    return PlantCertificates(tmp_path_factory.mktemp("certificates"))


@asynccontextmanager
async def _program(settings: Settings, policy: Policy | None = None) -> AsyncIterator[Program]:
    program = Program(policy=policy)
    text.use("en")
    program.chosen.replace(settings)
    try:
        yield program
    finally:
        await program.close()


async def _findings(program: Program) -> list[StepResult]:
    found = [each async for each in program.network.diagnose()]
    running = [each.step for each in found if each.state == "running"]
    ended = [each for each in found if each.state != "running"]
    assert running == [each.step for each in ended if each.state != "skipped"][: len(running)]
    assert [each.step for each in ended] == [*STEPS]
    return ended


def _states(findings: list[StepResult]) -> list[str]:
    return [each.state for each in findings]


async def test_a_way_through_proxy_and_own_certificate_is_good_and_the_report_has_no_secret(
    certificates: PlantCertificates, tmp_path: Path, proxied: Callable[[str], None]
) -> None:
    root = tmp_path / "raiz.cer"
    root.write_bytes(certificates.root_der)
    with ExitStack() as stack:
        server = stack.enter_context(
            WireServer([answer("olá")], certificate=certificates.service, key=KEY)
        )
        proxy = stack.enter_context(PlantProxy(login=f"carla:{PASSWORD}"))
        proxied(proxy.address)
        port = server.url.rpartition(":")[2]
        address = f"https://gateway.plant.test:{port}"
        async with _program(Settings(endpoint=address, ca_file=str(root))) as program:
            await program.save_key(KEY)
            wanted = await _findings(program)
            await program.network.save_login("carla", PASSWORD)
            good = await _findings(program)
            report = await program.network.report(good)

    assert _states(wanted) == ["good", "bad", "skipped", "skipped", "skipped"]
    assert "wants a name and a password" in wanted[1].text
    assert _states(good) == ["good"] * 5
    assert "TLSv1" in good[2].text
    written = report_text(report)
    for secret in (KEY, PASSWORD, KEY[4:18]):
        assert secret not in written
        assert secret not in json.dumps(report)
    facts = report["facts"]
    assert isinstance(facts, dict)
    assert facts["proxy"] == proxy.address
    assert (facts["proxy_login"], facts["has_key"], facts["key_place"]) == (True, True, "system")
    assert "data_folder" in written


@pytest.mark.parametrize(
    ("offers", "said"), [('Basic realm="x"', "wants a name"), ("NTLM", "NTLM alone")]
)
async def test_what_a_proxy_wants_is_told_apart(
    offers: str, said: str, proxied: Callable[[str], None]
) -> None:
    with PlantProxy(login="c:d", offers=offers) as proxy:
        proxied(proxy.address)
        async with _program(Settings(endpoint="https://gateway.plant.test")) as program:
            findings = await _findings(program)

    assert said in findings[1].text
    assert "IT" in findings[1].ask


async def test_a_proxy_that_is_not_there_is_named(proxied: Callable[[str], None]) -> None:
    proxied(f"http://carla:{PASSWORD}@127.0.0.1:9")
    async with _program(Settings(endpoint="https://gateway.plant.test")) as program:
        findings = await _findings(program)

    assert _states(findings) == ["good", "bad", "skipped", "skipped", "skipped"]
    assert "http://127.0.0.1:9" in findings[1].text
    assert PASSWORD not in repr(findings)


async def test_a_name_that_nobody_knows_is_named() -> None:
    async with _program(Settings(endpoint="https://gateway.invalid")) as program:
        findings = await _findings(program)

    assert _states(findings) == ["bad", "skipped", "skipped", "skipped", "skipped"]
    assert "gateway.invalid" in findings[0].text
    assert "gateway.invalid" in findings[0].ask


async def test_a_certificate_of_the_companys_own_is_told(certificates: PlantCertificates) -> None:
    with WireServer([], certificate=certificates.service) as server:
        address = server.url.replace("127.0.0.1", "localhost")
        async with _program(Settings(endpoint=address)) as program:
            findings = await _findings(program)

    assert _states(findings) == ["good", "good", "bad", "skipped", "skipped"]
    assert "not trusted here" in findings[2].text
    assert ".cer" in findings[2].ask


async def test_a_service_that_is_not_there_is_told(certificates: PlantCertificates) -> None:
    async with _program(Settings(endpoint="https://localhost:9")) as program:
        findings = await _findings(program)

    assert _states(findings) == ["good", "good", "bad", "skipped", "skipped"]
    assert "port 9" in findings[2].ask


@pytest.mark.parametrize("key", ["", "gw_another-key-0123456"])
async def test_a_key_that_is_missing_or_refused_is_told(
    key: str, proxied: Callable[[str], None]
) -> None:
    with WireServer([answer("olá")], key=KEY) as server, PlantProxy() as proxy:
        proxied(proxy.address)
        host = f"gateway.plant.test:{server.url.rpartition(':')[2]}"
        settings = Settings(endpoint=f"http://{host}", unencrypted_host=host)
        async with _program(settings) as program:
            if key:
                await program.save_key(key)
            findings = await _findings(program)

    assert _states(findings) == ["good", "good", "good", "bad", "skipped"]
    assert "key" in findings[3].text
    assert "account" in findings[3].ask


async def test_a_model_that_is_none_is_told() -> None:
    with WireServer([answer("olá")]) as server:
        async with _program(Settings(endpoint=server.url, model="claude-gone")) as program:
            findings = await _findings(program)

    assert _states(findings) == ["good", "good", "good", "good", "bad"]
    assert "claude-sonnet-5-5" in findings[4].text
    assert "which model" in findings[4].ask


async def test_where_the_offline_engine_is_fixed_nothing_is_tried() -> None:
    with WireServer([]) as server:
        settings = Settings(endpoint=server.url)
        async with _program(settings, Policy({"engine": "offline"})) as program:
            findings = await _findings(program)

    assert _states(findings) == ["skipped"] * 5
    assert "looks after this computer" in findings[0].text
    assert (server.requests, server.lookups) == ([], [])


async def test_a_step_that_hangs_ends(
    proxied: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(diagnosis, "STEP_S", 0.3)
    gone = asyncio.Event()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        writer.close()
        await writer.wait_closed()
        gone.set()

    silent = await asyncio.start_server(serve, "127.0.0.1", 0)
    proxied(f"http://127.0.0.1:{silent.sockets[0].getsockname()[1]}")
    async with _program(Settings(endpoint="https://gateway.plant.test")) as program:
        findings = await _findings(program)
    await gone.wait()
    silent.close()

    assert "does not answer" in findings[1].text


async def test_a_diagnosis_that_is_cancelled_leaves_nothing_open(
    proxied: Callable[[str], None],
) -> None:
    connected = asyncio.Event()
    gone = asyncio.Event()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        connected.set()
        await reader.read()
        writer.close()
        await writer.wait_closed()
        gone.set()

    silent = await asyncio.start_server(serve, "127.0.0.1", 0)
    proxied(f"http://127.0.0.1:{silent.sockets[0].getsockname()[1]}")
    async with _program(replace(Settings(), endpoint="https://gateway.plant.test")) as program:
        walking = asyncio.ensure_future(_findings(program))
        await connected.wait()
        walking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await walking
        async with asyncio.timeout(20):
            await gone.wait()
    silent.close()


async def test_a_report_says_what_is_wrong_with_the_model_of_passages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with _program(Settings(engine="offline")) as program:
        monkeypatch.setattr(program, "model_problem", lambda: model_problem(tmp_path / "gone.bin"))
        missing = await program.network.report([])
        monkeypatch.setattr(program, "model_problem", lambda: "")
        right = await program.network.report([])

    line = "models: The model that finds passages by meaning is not there: gone.bin."
    assert f"{line} Documents are searched by words alone." in report_text(missing)
    assert "models: The model that finds passages by meaning is in place." in report_text(right)
