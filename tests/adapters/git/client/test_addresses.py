"""Addresses of remotes: what cannot be compared is refused, and where git goes does not depend on who logs in (Q6)."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import urlsplit

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from foureyes.adapters.git.client.transport import is_comparable, without_credentials
from foureyes.errors import RemoteProblem

from tests.adapters.git.remotes import MAIN, remote
from tests.stage.checkout import Repository
from tests.stage.night import NIGHT, plays

TWO_READINGS = (
    "http://evil?@good/r.git", "https://evil#@good/r.git", "https://evil\\@good/r.git", "https://evil?x/r.git",
    "https://a@evil@good/r.git", "https://[evil]@good/r.git", "https://go%6fd/r.git", "https:///r.git", "https://[evil]/r.git",
    "https://a b@good/r.git", "ssh://git:x@[evil]@good/r.git", "ssh://git@evil%2F@good/r.git",
    "ssh://git%40evil%2F@good/r.git", "ssh://git%40evil@good/r.git", "ssh://git@good/r.git@[evil]/x",
    "ssh://git@good/r.git%40%5Bevil]/x", "ssh://git:x@good:22/r.git", "ssh://-oX@good/r.git", "ssh://-oX/r.git",
    "git://a@good/r.git", "a@evil@good:r.git", "[evil]@good:r.git", "git@good:x@[evil]:r.git", "-oX@good:r.git",
    "/srv/a://b:c@d/r.git", "good:x://a:b@c/r.git", "https://good/r.git\x1b[2K", "/srv/r.git\x7f",
)  # fmt: skip
PLAIN = {
    "https://good/r.git": "https://good/r.git",
    "https://ada%40corp:pw:x@good:8443/r.git": "https://good:8443/r.git",
    "https://token@good/a@b/r.git?x#y": "https://good/a@b/r.git?x#y",
    "https://good/x://a:b@c/r.git": "https://good/x://a:b@c/r.git",
    "http://[::1]:80/r.git": "http://[::1]:80/r.git",
    "https://müller.example/r.git": "https://müller.example/r.git",
    "ssh://git@good:2222/~me/r.git": "ssh://git@good:2222/~me/r.git",
    "ssh://git:x@good/r.git": "ssh://git@good/r.git",
    "ssh://git@[fe80::1%25eth0]:22/r.git": "ssh://git@[fe80::1%25eth0]:22/r.git",
    "git://good/r.git": "git://good/r.git",
    "file://a:b@c/my%20r.git": "file://a:b@c/my%20r.git",
    "git@good:me/r.git": "git@good:me/r.git",
    "git@[good:2222]:r.git": "git@[good:2222]:r.git",
    "good:a@b/r.git": "good:a@b/r.git",
    "/srv/my repositories/a:b@c.git": "/srv/my repositories/a:b@c.git",
    "../shop.git": "../shop.git",
}
PIECES = (
    "git",
    "@",
    "@[",
    "[evil]",
    "evil",
    "good",
    "[::1]",
    ":",
    "80",
    "%40",
    "%2F",
    "%5B",
    "%3A",
    "?",
    "#",
    "\\",
    "/",
    "]",
)
ADDRESSES = st.builds(
    lambda scheme, pieces, end: scheme + "".join(pieces) + end,
    st.sampled_from(("http://", "https://", "ssh://", "git://", "")),
    st.lists(st.sampled_from(PIECES), min_size=1, max_size=7),
    st.sampled_from(("/r.git", ":r.git")),
)
WITH_LOGIN = st.builds(
    lambda scheme, login, rest, path: f"{scheme}://{''.join(login)}@{''.join(rest)}/{''.join(path)}",
    st.sampled_from(("http", "https", "ssh")),
    st.lists(st.sampled_from(PIECES), max_size=3),
    st.lists(st.sampled_from(PIECES), min_size=1, max_size=2),
    st.lists(st.sampled_from(PIECES), max_size=2),
).filter(is_comparable)

quick = settings(derandomize=not NIGHT, max_examples=plays("random values"), deadline=None, database=None)
GoesTo = Callable[[str], str]


@pytest.fixture
def goes_to(tmp_path: Path) -> Iterator[GoesTo]:
    """The host that git itself goes to for an address: by a proxy on the web, by what it starts for ssh."""
    hosts: list[str] = []

    class Proxy(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            hosts.append(self.headers["Host"])
            self.send_error(404)

        def do_CONNECT(self) -> None:
            hosts.append(self.path.removesuffix(":443"))
            self.send_error(404)

        def log_message(self, *_: object) -> None:
            """Nothing: what comes is in `hosts`."""

    ssh, out = tmp_path / "ssh", tmp_path / "out"
    ssh.write_text(f'#!/bin/sh\nfor each; do printf "%s\\n" "$each"; done > {out}\nexit 1\n')
    ssh.chmod(0o755)
    with ThreadingHTTPServer(("127.0.0.1", 0), Proxy) as server:
        Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        proxy = f"http://127.0.0.1:{server.server_port}"
        env = os.environ | {"http_proxy": proxy, "https_proxy": proxy, "no_proxy": "", "GIT_TERMINAL_PROMPT": "0"}
        env |= {"GIT_SSH": str(ssh), "GIT_SSH_VARIANT": "ssh", "GIT_ALLOW_PROTOCOL": "http:https:ssh"}

        def host(address: str) -> str:
            hosts.clear()
            out.unlink(missing_ok=True)
            subprocess.run(["git", "ls-remote", "--", address], env=env, cwd=tmp_path, capture_output=True, check=False)
            if not out.exists():
                return hosts[0] if hosts else ""
            *options, destination, _ = out.read_text().splitlines()
            port = f":{options[options.index('-p') + 1]}" if "-p" in options else ""
            return destination.rpartition("@")[2] + port

        yield host
        server.shutdown()


@pytest.mark.parametrize("address", TWO_READINGS)
def test_an_address_with_two_readings_is_not_comparable_Q6(address: str) -> None:
    assert not is_comparable(address)
    assert without_credentials(address) == address


@pytest.mark.parametrize("address", PLAIN)
def test_a_plain_address_is_compared_without_who_logs_in_alone_Q6(address: str) -> None:
    assert is_comparable(address)
    assert without_credentials(address) == PLAIN[address]


@pytest.mark.parametrize("key", ["url", "pushurl"])
@pytest.mark.parametrize("address", ["http://evil?@good/r.git", "ssh://git:x@[evil]@good/r.git"])
def test_nothing_goes_to_an_address_that_cannot_be_compared_Q6(project: Repository, address: str, key: str) -> None:
    project.git("config", "remote.origin.url", "https://good/r.git")
    project.git("config", f"remote.origin.{key}", address)
    for ask in (lambda: remote(project).address(), lambda: remote(project).tips([MAIN])):
        with pytest.raises(RemoteProblem, match="in more than one way") as problem:
            ask()
        assert problem.value.kind == "missing"
        assert problem.value.next_step


def test_what_a_user_rewrites_is_looked_at_as_it_is_gone_to_Q6(project: Repository) -> None:
    project.git("config", "--global", "url.https://one.example?@.insteadOf", "https://")
    project.git("config", "remote.origin.url", "https://good/r.git")
    with pytest.raises(RemoteProblem, match="in more than one way"):
        remote(project).address()


@quick
@given(ADDRESSES)
def test_who_logs_in_never_changes_the_host_for_urllib_Q6(address: str) -> None:
    if is_comparable(address) and "://" in address:
        was, now = urlsplit(address), urlsplit(without_credentials(address))
        assert (now.hostname, now.port, now.path, now.query, now.fragment) == (
            was.hostname, was.port, was.path, was.query, was.fragment,
        )  # fmt: skip
        assert now.password is None


@settings(quick, max_examples=plays("random texts that git reads"), suppress_health_check=list(HealthCheck))
@given(WITH_LOGIN)
def test_who_logs_in_never_changes_the_host_for_git_Q6(goes_to: GoesTo, address: str) -> None:
    assert goes_to(address) == goes_to(without_credentials(address))


@pytest.mark.parametrize("address", [address for address in PLAIN if address.startswith(("http", "ssh"))])
def test_git_itself_goes_to_the_host_that_is_shown_Q6(goes_to: GoesTo, address: str) -> None:
    shown = urlsplit(PLAIN[address])
    host = goes_to(address)
    assert host == goes_to(PLAIN[address])
    if shown.hostname and shown.hostname.isascii():
        assert (shown.hostname.replace("%25", "%")) in host
