"""The explorer's page and its server, without a browser: who is admitted, and what is said where it cannot work."""

from __future__ import annotations

import base64
import gzip
import http.client
import re
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from relay_lsp.server.command_line.program import run
from relay_lsp.server.explorer import page as page_module
from relay_lsp.server.explorer.page import PageNotBuiltError, explorer_page
from relay_lsp.server.explorer.serving import ExplorerServer, RunRequest

PAGE = '<html><script type="text/plain" id="trace"></script></html>'


@pytest.fixture
def built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A page that stands for the one that was built."""
    path = tmp_path / "index.html"
    path.write_text(PAGE)
    monkeypatch.setattr(page_module, "_PAGE", path)
    return path


@pytest.fixture
def server() -> Iterator[ExplorerServer]:
    def run_trace(asked: RunRequest | None) -> str:
        if asked is None:
            return "None None"
        if asked.passes == ["Broken"]:
            raise ValueError("Broken is broken")
        return f"{asked.passes} {asked.level}"

    with ExplorerServer(PAGE, run_trace, passes=lambda: [{"name": "FuseOps"}], text=lambda: "text") as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def ask(
    server: ExplorerServer, path: str, headers: dict[str, str] | None = None, body: str | None = None
) -> tuple[int, str]:
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=10)
    connection.request("GET" if body is None else "POST", path, body, headers or {})
    answer = connection.getresponse()
    return answer.status, answer.read().decode()


@pytest.mark.parametrize("length", ["\xb2", "9" * 5000, "+5", "-1", "soon", str(2 << 20)])
def test_a_request_without_a_length_that_can_be_read_is_refused(
    server: ExplorerServer, length: str, capfd: pytest.CaptureFixture[str]
):
    head = f"POST /run HTTP/1.1\r\nHost: 127.0.0.1:{server.server_port}\r\nX-Relay-Token: {server.token}\r\n"
    with socket.create_connection(("127.0.0.1", server.server_port), timeout=10) as connection:
        connection.sendall(f"{head}Content-Length: {length}\r\n\r\n".encode("latin-1"))
        assert b" 413 " in connection.recv(1000).partition(b"\r\n")[0]
    assert "Traceback" not in capfd.readouterr().err


def test_a_page_that_is_closed_before_it_has_its_answer_is_not_spoken_of(
    server: ExplorerServer, capfd: pytest.CaptureFixture[str]
):
    server.page = "x" * (64 << 20)
    head = f"GET /?token={server.token} HTTP/1.1\r\nHost: 127.0.0.1:{server.server_port}\r\n\r\n"
    with socket.create_connection(("127.0.0.1", server.server_port), timeout=10) as connection:
        connection.sendall(head.encode())
    assert ask(server, "/trace", {"X-Relay-Token": server.token})[0] == 200
    assert "Traceback" not in capfd.readouterr().err


def test_the_address_leads_to_the_page_and_the_trace(server: ExplorerServer):
    assert ask(server, f"/?token={server.token}") == (200, PAGE)
    assert ask(server, "/trace", {"X-Relay-Token": server.token}) == (200, "None None")
    assert server.address.startswith("http://127.0.0.1:")


@pytest.mark.parametrize("path", ["/", "/trace", "/?token=", "/?token=guess", "/?token=%E2%82%AC"])
def test_without_the_token_nothing_is_answered(server: ExplorerServer, path: str):
    status, text = ask(server, path)
    assert status == 403
    assert "token" in text


def test_another_host_s_name_is_refused_also_with_the_token(server: ExplorerServer):
    headers = {"Host": f"evil.example:{server.server_port}"}
    assert ask(server, f"/?token={server.token}", headers)[0] == 403


def test_a_page_from_elsewhere_is_refused_also_with_the_token(server: ExplorerServer):
    for origin in ("https://evil.example", "null"):
        headers = {"Origin": origin, "X-Relay-Token": server.token}
        assert ask(server, "/run", headers, '{"passes": [], "level": 3}')[0] == 403


def test_passes_run_for_the_page_itself(server: ExplorerServer):
    headers = {"X-Relay-Token": server.token, "Origin": f"http://127.0.0.1:{server.server_port}"}
    assert ask(server, "/run", headers, '{"passes": ["FuseOps"], "level": 2}') == (200, "['FuseOps'] 2")
    assert ask(server, "/run", headers, '{"passes": ["Broken"], "level": 2}') == (422, "Broken is broken")


@pytest.mark.parametrize(
    "body",
    ["", "[]", "{", '{"passes": [], "level": 9}', '{"passes": [1], "level": 1}', '{"passes": ["a["], "level": 1}'],
)
def test_a_request_that_cannot_be_read_says_why(server: ExplorerServer, body: str):
    status, text = ask(server, "/run", {"X-Relay-Token": server.token}, body)
    assert status == 400
    assert text


def test_a_trace_is_packed_so_that_nothing_of_it_is_html(built: Path):
    text = explorer_page(["</script><b>", "🙂"])
    packed = re.search('id="trace">([A-Za-z0-9+/=]+)</script>', text)
    assert packed
    assert gzip.decompress(base64.b64decode(packed[1])).decode() == "</script><b>🙂"
    assert explorer_page() == PAGE


def test_a_page_that_was_not_built_says_how_to_build_it(
    built: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    built.unlink()
    with pytest.raises(PageNotBuiltError):
        explorer_page()
    model = tmp_path / "model.relay"
    model.write_text('#[version = "0.0.5"]\ndef @main(%x: Tensor[(2), float32]) { exp(%x) }\n')
    assert run(["explore", "-p", "FuseOps", str(model)]) == 2
    assert "./dev explorer" in capsys.readouterr().err


def test_a_trace_can_be_explored_without_its_text(built: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    model, trace, page = tmp_path / "model.relay", tmp_path / "model.jsonl", tmp_path / "page.html"
    model.write_text('#[version = "0.0.5"]\ndef @main(%x: Tensor[(2), float32]) { exp(%x) }\n')
    assert run(["trace", "-p", "FuseOps", "--format", "json", str(model)]) == 0
    trace.write_text(capsys.readouterr().out, encoding="utf-8")
    assert run(["explore", "--export", str(page), str(trace)]) == 0
    assert 'id="trace">H4sI' in page.read_text()
    assert run(["explore", "-p", "FuseOps", "--export", str(page), str(trace)]) == 2
    assert "is a trace already" in capsys.readouterr().err


def test_a_text_with_errors_has_no_page(built: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    model, page = tmp_path / "model.relay", tmp_path / "page.html"
    model.write_text('#[version = "0.0.5"]\ndef @main() { %nothing }\n')
    assert run(["explore", "-p", "FuseOps", "--export", str(page), str(model)]) == 1
    assert "%nothing" in capsys.readouterr().err
    assert not page.exists()
