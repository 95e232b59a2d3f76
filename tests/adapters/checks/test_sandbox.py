"""What a room hides and shows, without making one (D5)."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from foureyes.adapters.checks import sandbox
from foureyes.adapters.checks.check_cache import CheckCache
from foureyes.adapters.checks.sandbox import SOCKETS, Outlook, Sight


class Machine:
    """A machine: somebody's home, a checkout in it, and tools in the usual places."""

    def __init__(self, folder: Path) -> None:
        self.home, self.checkout, self.folder = folder / "home", folder / "home" / "shop", folder
        self.checkout.mkdir(parents=True)

    def has(self, *programs: str) -> None:
        for name in programs:
            (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / name).write_text("")

    def sight(self, *path: str, named: tuple[str, ...] = (), **env: str) -> Sight:
        entries = os.pathsep.join(str(self.folder / entry) for entry in path)
        environ = {"PATH": entries, "HOME": str(self.home), "TMPDIR": str(self.folder), **env}
        return Outlook(environ, [str(self.checkout)], CheckCache(environ, [str(self.checkout)])).sight(named)

    def shown(self, *path: str, named: tuple[str, ...] = (), **env: str) -> list[str]:
        found = self.sight(*path, named=named, **env).shown
        return [os.path.relpath(each, self.folder) for each in found if each.startswith(str(self.folder))]


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_D5_home_and_checkouts_are_hidden_and_what_the_path_leads_to_is_shown(machine: Machine) -> None:
    machine.has("home/.pyenv/shims/python", "home/.pyenv/versions/3/bin/python", "home/shop/.venv/bin/pytest")
    machine.has("home/bin/mine", "home/.nvm/versions/v20/bin/node")
    sight = machine.sight("home/.pyenv/shims")
    sockets = {path for path in SOCKETS if os.path.isdir(path)}
    assert {str(machine.home), str(machine.checkout), *sockets} <= set(sight.hidden)
    found = machine.shown("home/.pyenv/shims", "home/shop/.venv/bin", "home/bin", "home/.nvm/versions/v20/bin")
    assert found == [
        "home/.nvm/versions/v20", "home/.nvm/versions/v20/bin", "home/.pyenv", "home/.pyenv/shims", "home/bin",
    ]  # fmt: skip


def test_D5_of_local_cargo_and_other_directories_with_a_dot_only_programs_are_shown(machine: Machine) -> None:
    machine.has("home/.cargo/bin/cargo", "home/.cargo/credentials.toml", "home/.rustup/settings.toml")
    machine.has("home/.fly/bin/flyctl", "home/.fly/config.yml", "home/.env/bin/tool", "home/.volta/bin/node")
    (machine.home / ".env" / "pyvenv.cfg").write_text("")
    machine.has("home/.local/bin/uv", "home/.local/share/uv/python/x", "home/.local/share/keyrings/login")
    assert machine.shown("home/.cargo/bin", "home/.local/bin") == [
        "home/.cargo/bin", "home/.local/bin", "home/.local/share/uv", "home/.rustup",
    ]  # fmt: skip
    assert machine.shown("home/.fly/bin", "home/.env/bin", "home/.volta/bin") == [
        "home/.env", "home/.env/bin", "home/.fly/bin", "home/.rustup", "home/.volta", "home/.volta/bin",
    ]  # fmt: skip


def test_D5_what_links_environments_and_named_variables_lead_to_is_shown_but_no_home_as_a_whole(
    machine: Machine,
) -> None:
    machine.has("home/tools/node/bin/node", "home/py/bin/python3", "home/venvs/a/bin/x", "home/jdk/bin/java")
    (machine.folder / "links").mkdir()
    (machine.folder / "links" / "node").symlink_to(machine.home / "tools" / "node" / "bin" / "node")
    (machine.folder / "links" / "again").symlink_to("node")
    (machine.folder / "links" / "twice").symlink_to("../links/far")
    machine.has("home/far/bin/far")
    (machine.folder / "links" / "far").symlink_to("../home/far/bin/far")
    (machine.home / "venvs" / "a" / "pyvenv.cfg").write_text(f"home = {machine.home}/py/bin\n")
    found = machine.shown(
        "links",
        "home/venvs/a/bin",
        named=("JAVA_HOME", "WHERE"),
        JAVA_HOME=str(machine.home / "jdk"),
        WHERE=str(machine.home),
    )
    assert {"home/far", "home/jdk", "home/py", "home/tools/node", "home/venvs/a", "links"} <= set(found)
    assert "home" not in found


def test_where_programs_are_is_looked_up_once_for_all_checks_of_a_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks = list[str]()

    def led_to(folder: str) -> dict[str, None]:
        looks.append(folder)
        return {}

    monkeypatch.setattr(sandbox, "_led_to", led_to)
    environ = {"PATH": f"{tmp_path}:{tmp_path}/", "HOME": "/nowhere", "TMPDIR": str(tmp_path)}
    outlook = Outlook(environ, [], CheckCache(environ, []))
    assert outlook.sight() == outlook.sight()
    assert looks == [str(tmp_path)]


def test_D5_only_that_there_are_rooms_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said = ["the disk is full", ""]
    monkeypatch.setattr(sandbox, "_probed", lambda _: said.pop(0))
    cache = CheckCache({"TMPDIR": str(tmp_path)}, [])
    assert [sandbox.why_none(cache) for _ in range(3)] == ["the disk is full", "", ""]
