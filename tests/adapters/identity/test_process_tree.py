"""The ancestors as `/proc` tells of them, from made-up `/proc` directories."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from foureyes.adapters.identity import procfs
from foureyes.adapters.identity.process_tree import FIRST_PIDS, read_tree, script_of, tree_in
from foureyes.adapters.identity.procfs import NotProc, ProcDirectory
from foureyes.adapters.identity.programs import agent_of, is_foureyes, is_git, launcher_of
from foureyes.core.nouns.session import HOST_MAP


class Folder(ProcDirectory):
    """A folder in the place of a directory of `/proc`: the real one is no folder that a test could write."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __exit__(self, *_: object) -> None:
        pass

    def below(self, name: str) -> ProcDirectory | None:
        return Folder(self.path / name) if (self.path / name).is_dir() else None

    across = below

    def read(self, name: str) -> bytes:
        try:
            return (self.path / name).read_bytes()
        except OSError:
            return b""

    def link(self, name: str) -> str:
        try:
            return os.readlink(self.path / name)
        except OSError:
            return ""


class FakeProc:
    """A made-up `/proc`."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.place = Folder(directory)
        (directory / "sys/kernel/random").mkdir(parents=True)
        (directory / "sys/kernel/random/boot_id").write_text("0a1b2c3d-0000-4000-8000-000000000000\n")

    def add(
        self,
        pid: int,
        *,
        parent: int,
        start: int,
        comm: str = "x",
        exe: str = "",
        command: Sequence[str] = (),
        terminal: int = 0,
    ) -> None:
        """A process; without `exe` its executable is hidden."""
        place = self.directory / str(pid)
        (place / "ns").mkdir(parents=True)
        (place / "ns/pid").symlink_to(FIRST_PIDS)
        if exe:
            (place / "exe").symlink_to(exe)
        (place / "cmdline").write_bytes(b"".join(os.fsencode(word) + b"\0" for word in command))
        between = " 0" * 14
        (place / "stat").write_text(f"{pid} ({comm}) S {parent} {pid} {pid} {terminal}{between} {start} 0 0\n")


@pytest.fixture
def proc(tmp_path: Path) -> FakeProc:
    return FakeProc(tmp_path / "proc")


def agent(proc: FakeProc, pid: int) -> str:
    """The agent that a process is taken for, seen from a child of it."""
    proc.add(9999, parent=pid, start=9999)
    nearest = tree_in(proc.place, 9999).ancestors[0]
    return agent_of(nearest.names, nearest.paths)


def test_i3_all_ancestors_are_read_nearest_first_up_to_the_top(proc: FakeProc) -> None:
    proc.add(1, parent=0, start=1, exe="/sbin/init")
    proc.add(20, parent=1, start=5, exe="/usr/bin/sshd")
    proc.add(30, parent=20, start=7, exe="/opt/thing")
    proc.add(40, parent=30, start=9, terminal=136 << 8 | 3)
    tree = tree_in(proc.place, 40)
    assert [(above.pid, above.start, above.names[0]) for above in tree.ancestors] == [
        (30, 7, "thing"),
        (20, 5, "sshd"),
        (1, 1, "init"),
    ]
    assert tree.readable
    assert tree.terminal == "pts/3"


def test_i3_process_evidence_is_boot_id_pid_namespace_pid_and_start_time(proc: FakeProc) -> None:
    proc.add(1, parent=0, start=17)
    proc.add(40, parent=1, start=99)
    tree = tree_in(proc.place, 40)
    assert tree.evidence(tree.ancestors[0]) == "proc:0a1b2c3d:4026531836:1:17"


@pytest.mark.parametrize("comm", ["a (b) c", ") 1 2 3 (", "x) R 7 7", "claude 2 0 0", "((", "новый"])
def test_i3_a_command_with_spaces_and_parentheses_does_not_shift_the_fields(proc: FakeProc, comm: str) -> None:
    proc.add(1, parent=0, start=1)
    proc.add(30, parent=1, start=4, comm=comm)
    proc.add(40, parent=30, start=6)
    tree = tree_in(proc.place, 40)
    assert [(above.pid, above.start) for above in tree.ancestors] == [(30, 4), (1, 1)]
    assert tree.readable


def test_i5_an_ancestor_that_vanished_makes_the_tree_unreadable(proc: FakeProc) -> None:
    proc.add(30, parent=20, start=4, exe="/usr/bin/claude")
    proc.add(40, parent=30, start=6, terminal=136 << 8)
    tree = tree_in(proc.place, 40)
    assert not tree.readable
    assert [above.pid for above in tree.ancestors] == [30], "what was seen is still there"


@pytest.mark.parametrize(
    "line", ["", "30", "30 (x) S", "30 (x) S one 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20"]
)
def test_i5_a_stat_that_makes_no_sense_is_an_unreadable_ancestor(proc: FakeProc, line: str) -> None:
    proc.add(30, parent=1, start=4)
    (proc.directory / "30" / "stat").write_text(line)
    proc.add(40, parent=30, start=6)
    assert not tree_in(proc.place, 40).readable


@pytest.mark.skipif(os.getuid() == 0, reason="root can read everything")
def test_i5_a_stat_without_permission_is_an_unreadable_ancestor(proc: FakeProc) -> None:
    proc.add(30, parent=1, start=4)
    (proc.directory / "30" / "stat").chmod(0)
    proc.add(40, parent=30, start=6)
    assert not tree_in(proc.place, 40).readable


def test_i5_a_stat_that_fails_while_reading_is_an_unreadable_ancestor(proc: FakeProc) -> None:
    proc.add(30, parent=1, start=4)
    (proc.directory / "30" / "stat").unlink()
    (proc.directory / "30" / "stat").mkdir()  # opens, but read says EISDIR, as ESRCH of a process that just ended
    proc.add(40, parent=30, start=6)
    assert not tree_in(proc.place, 40).readable


def test_i5_a_parent_younger_than_its_child_is_somebody_else_with_the_same_number(proc: FakeProc) -> None:
    proc.add(1, parent=0, start=1)
    proc.add(30, parent=1, start=50)
    proc.add(40, parent=30, start=6)
    assert not tree_in(proc.place, 40).readable


def test_i5_ancestors_in_a_circle_end_the_walk_as_unreadable(proc: FakeProc) -> None:
    proc.add(30, parent=40, start=6)
    proc.add(40, parent=30, start=6)
    assert not tree_in(proc.place, 40).readable


@pytest.mark.parametrize("missing", ["sys/kernel/random/boot_id", "40/ns/pid"])
def test_i3_without_boot_id_or_pid_namespace_the_tree_is_unreadable(proc: FakeProc, missing: str) -> None:
    proc.add(1, parent=0, start=1)
    proc.add(40, parent=1, start=6)
    (proc.directory / missing).unlink()
    assert not tree_in(proc.place, 40).readable


def test_i5_without_a_proc_nothing_is_readable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(procfs, "ROOT", str(tmp_path / "none"))
    tree = read_tree()
    assert (tree.readable, tree.ancestors) == (False, ())
    assert f"{procfs.ROOT} cannot be read" in tree.forged


@pytest.mark.parametrize(("pid", "parent"), [(40, os.getppid()), (os.getpid(), 1)], ids=["pid", "parent"])
def test_i3_a_proc_that_calls_us_or_our_parent_otherwise_than_the_kernel_does_not_count(
    proc: FakeProc, pid: int, parent: int
) -> None:
    proc.add(pid, parent=parent, start=6)
    (proc.directory / "self").symlink_to(str(pid))
    with pytest.raises(NotProc, match="another pid namespace"):
        tree_in(proc.place)


def test_i3_a_directory_with_another_process_s_stat_does_not_count(proc: FakeProc) -> None:
    proc.add(30, parent=1, start=4)
    proc.add(40, parent=30, start=6)
    (proc.directory / "30/stat").write_bytes((proc.directory / "40/stat").read_bytes())
    with pytest.raises(NotProc):
        tree_in(proc.place, 40)


def test_i3_a_walk_that_ends_inside_of_the_machine_says_so_and_names_pid_1(proc: FakeProc) -> None:
    proc.add(1, parent=0, start=1, exe="/usr/bin/tini")
    proc.add(30, parent=0, start=4, exe="/usr/bin/bash")
    proc.add(40, parent=30, start=6)
    (proc.directory / "40/ns/pid").unlink()
    (proc.directory / "40/ns/pid").symlink_to("pid:[4026532201]")
    tree = tree_in(proc.place, 40)
    assert (tree.first, tree.readable, tree.place) == (False, True, "0a1b2c3d:4026532201")
    assert tree.top is not None
    assert tree.top.names[0] == "tini", "also for who entered and has it not above"


@pytest.mark.parametrize(
    ("text", "uid_map"),
    [
        ("         0          0 4294967295\n", HOST_MAP),
        ("         0       1000          1\n         1     100000      65536\n", "0 1000 1, 1 100000 65536"),
        ("", ""),
    ],
)
def test_i3_the_uid_map_is_read_and_an_empty_one_is_none(proc: FakeProc, text: str, uid_map: str) -> None:
    proc.add(40, parent=0, start=6)
    (proc.directory / "40/uid_map").write_text(text)
    (proc.directory / "40/ns/user").symlink_to("user:[4026531837]")
    assert tree_in(proc.place, 40).uid_map == uid_map


def test_i3_a_kernel_without_user_namespaces_maps_nothing(proc: FakeProc) -> None:
    proc.add(40, parent=0, start=6)
    assert tree_in(proc.place, 40).uid_map == HOST_MAP


def test_i3_in_a_time_namespace_nothing_is_readable_because_every_start_is_another(proc: FakeProc) -> None:
    proc.add(40, parent=0, start=6)
    (proc.directory / "40/ns/time").symlink_to("time:[4026531834]")
    assert tree_in(proc.place, 40).readable
    (proc.directory / "40/ns/time").unlink()
    (proc.directory / "40/ns/time").symlink_to("time:[4026532300]")
    assert not tree_in(proc.place, 40).readable


def test_i5_what_a_command_left_behind_has_its_terminal_and_not_its_shell_above(proc: FakeProc) -> None:
    proc.add(1, parent=0, start=1)
    proc.add(30, parent=1, start=4)
    proc.add(40, parent=30, start=6)
    assert tree_in(proc.place, 40).led, "it leads itself"
    for leader, led in ((30, True), (25, False), (0, False)):
        line = (proc.directory / "40/stat").read_text().split()
        line[5] = str(leader)
        (proc.directory / "40/stat").write_text(" ".join(line))
        assert tree_in(proc.place, 40).led == led


@pytest.mark.parametrize(
    ("number", "name"),
    [(0, ""), (136 << 8 | 3, "pts/3"), (137 << 8 | 1, "pts/257"), (136 << 8 | 1 << 20 | 2, "pts/258"),
     (4 << 8 | 1, "tty1"), (4 << 8 | 64, "4:64"), (5 << 8 | 1, "5:1")],
)  # fmt: skip
def test_i5_the_controlling_terminal_has_its_usual_name(proc: FakeProc, number: int, name: str) -> None:
    proc.add(40, parent=0, start=6, terminal=number)
    assert tree_in(proc.place, 40).terminal == name


@pytest.mark.parametrize(
    ("exe", "command", "name"),
    [
        ("/usr/bin/claude", [], "claude"),
        ("/usr/bin/claude (deleted)", [], "claude"),
        ("/nix/store/abc/bin/.codex-wrapped", [], "codex"),
        ("/home/ann/.local/share/claude/versions/2.1.4", ["claude"], "claude"),
        ("/tmp/x/codex-x86_64-unknown-linux-musl", [], "codex"),
        ("/usr/bin/node", ["node", "/usr/lib/node_modules/@anthropic-ai/claude-code/cli.js"], "claude"),
        ("/usr/bin/node", ["node", "/x/node_modules/@openai/codex/bin/codex.js", "exec"], "codex"),
        ("/usr/bin/node", ["node", "--max-old-space-size=8", "/x/@google/gemini-cli/dist/index.js"], "gemini"),
        ("/usr/bin/node", ["node", "--require", "./hook.js", "/usr/local/bin/qwen"], "qwen"),
        ("/usr/bin/node", ["node", "--no-warnings", "--", "/usr/local/bin/opencode"], "opencode"),
        ("/home/ann/.local/share/cursor-agent/versions/7/node", ["agent", "x.js"], "cursor-agent"),
        ("/usr/bin/node", ["pi"], "pi"),
        ("/usr/bin/node", ["pi                    "], "pi"),
        ("/usr/bin/bun", ["bun", "run", "/x/opencode-ai/bin/main.ts"], "opencode"),
        ("/usr/bin/deno", ["deno", "run", "-A", "npm:@anthropic-ai/claude-code"], "claude"),
        ("/usr/bin/python3.11", ["python", "-Wignore::DeprecationWarning", "/x/bin/aider"], "aider"),
        ("/usr/bin/python3.11", ["python", "-X", "dev", "-Im", "aider", "--yes"], "aider"),
        ("/usr/bin/python3.11", ["/usr/bin/python3.11", "/x/claude.py"], "claude"),
        ("/usr/bin/bash", ["bash", "-eo", "pipefail", "/home/ann/bin/claude"], "claude"),
        ("/usr/bin/bash", ["-bash"], ""),
        ("/usr/bin/bash", ["bash", "-lc", "claude"], ""),
        ("/usr/bin/python3.11", ["python", "-c", "claude"], ""),
        ("/usr/bin/node", ["node", "-e", "claude"], ""),
        ("/usr/share/cursor/cursor", ["cursor"], ""),
        ("/usr/bin/vim", ["vim", "claude"], ""),
        ("/home/claude/bin/thing", [], ""),
    ],
)
def test_i3_an_agent_is_known_by_its_executable_or_its_interpreters_script(
    proc: FakeProc, exe: str, command: list[str], name: str
) -> None:
    proc.add(30, parent=0, start=4, exe=exe, command=command)
    assert agent(proc, 30) == name


@pytest.mark.parametrize(
    ("command", "comm", "name"),
    [
        (["/usr/bin/claude"], "x", "claude"),
        (["python3", "/x/aider"], "python3", "aider"),
        ([], "codex", "codex"),
        (["sshd: ann"], "sshd", ""),
    ],
)
@pytest.mark.parametrize("exe", ["", "/memfd:sealed"])
def test_i3_a_hidden_executable_is_known_by_its_command_line_or_command(
    proc: FakeProc, command: list[str], comm: str, name: str, exe: str
) -> None:
    proc.add(30, parent=0, start=4, exe=exe, command=command, comm=comm)
    assert agent(proc, 30) == name


def test_i3_an_executable_copied_and_named_like_an_agent_counts_as_that_agent(tmp_path: Path, proc: FakeProc) -> None:
    copy = tmp_path / "claude"
    shutil.copyfile("/bin/sh", copy)
    proc.add(30, parent=0, start=4, exe=str(copy), command=["sh", "-c", "fe"])
    assert agent(proc, 30) == "claude"


@pytest.mark.parametrize(
    ("exe", "comm", "command", "name"),
    [
        ("/usr/bin/vim", "claude", ["claude"], "claude"),
        ("/usr/bin/vim", "x", ["/opt/claude"], "claude"),
        ("/tmp/x", "codex-x86_64-un", ["x"], "codex"),
        ("/usr/bin/vim", "node", ["vim", "/x/@anthropic-ai/claude-code/cli.js"], "claude"),
        ("/usr/bin/vim", "MainThread", ["node", "/x/@anthropic-ai/claude-code/cli.js"], "claude"),
        ("/tmp/2.1.4", "2.1.4", ["/home/ann/.local/share/claude/versions/2.1.4"], "claude"),
        ("/usr/bin/tmux", "tmux: server", ["tmux", "new", "-d"], ""),
    ],
)
def test_i3_an_agent_whose_executable_was_renamed_since_is_still_that_agent(
    proc: FakeProc, exe: str, comm: str, command: list[str], name: str
) -> None:
    proc.add(30, parent=0, start=4, exe=exe, command=command, comm=comm)
    assert agent(proc, 30) == name


@pytest.mark.parametrize(
    ("exe", "command", "ours"),
    [
        ("/usr/bin/python3.11", ["python", "/v/bin/fe", "check", "run"], True),
        ("/usr/bin/python3.11", ["/v/bin/python3", "/v/bin/foureyes"], True),
        ("/usr/bin/python3.11", ["python", "-I", "-m", "foureyes", "check"], True),
        ("/usr/bin/python3.11", ["python", "-m", "foureyes.ui.cli.entry"], True),
        ("/usr/bin/python3.11", ["python", "/x/site-packages/foureyes/__main__.py"], True),
        ("/usr/bin/python3.11", ["python", "-I", "-S", "/x/foureyes/adapters/reaper.py", "/bin/sh", "-c", "x"], True),
        ("/usr/bin/python3.11", ["python", "-I", "-S", "/x/foureyes/adapters/process.py", "/bin/sh", "-c", "x"], True),
        ("/opt/fe", [], True),
        ("", ["/v/bin/fe"], True),
        ("/usr/bin/bash", ["bash", "/home/ann/bin/fe", "log"], False),
        ("/usr/bin/dash", ["sh", "-c", "fe check run"], False),
        ("/usr/bin/python3.11", ["python", "-m", "pytest", "foureyes"], False),
        ("/usr/bin/python3.11", ["python", "-c", "import foureyes"], False),
        ("/usr/bin/python3.11", ["python", "/x/other/adapters/process.py"], False),
        ("/usr/bin/vim", ["vim", "fe"], False),
        ("/home/fe/bin/thing", [], False),
    ],
)
def test_i5_foureyes_knows_itself_by_executable_script_or_module(
    proc: FakeProc, exe: str, command: list[str], ours: bool
) -> None:
    proc.add(30, parent=0, start=4, exe=exe, command=command)
    proc.add(40, parent=30, start=6)
    (above,) = tree_in(proc.place, 40).ancestors
    assert is_foureyes(above.names, above.paths) == ours


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (["python", "/v/bin/fe", "check", "run", "fe-1"], ("check", "run")),
        (["python", "-m", "foureyes", "log"], ("log",)),
        (["python", "/v/bin/fe"], ()),
        (["python", "-mfoureyes", "log"], ()),
        (["python", "-c", "x", "y"], ()),
        (["python"], ()),
    ],
)
def test_i5_the_words_behind_a_script_are_known(proc: FakeProc, command: list[str], words: tuple[str, ...]) -> None:
    proc.add(30, parent=0, start=4, exe="/usr/bin/python3.11", command=command)
    proc.add(40, parent=30, start=6)
    assert tree_in(proc.place, 40).ancestors[0].words == words


@pytest.mark.parametrize(
    ("interpreter", "arguments", "script"),
    [
        ("", ["claude"], ""),
        ("env", ["-u", "X", "A=1", "claude"], "claude"),
        ("bash", ["--rcfile", "x", "claude"], "claude"),
        ("bash", ["-o", "vi", "+x", "run.sh"], "run.sh"),
        ("busybox", ["sh", "run.sh"], "run.sh"),
        ("python", ["-m", "aider.main"], "aider.main"),
        ("python", ["-maider"], "aider"),
        ("python", ["-", "claude"], ""),
        ("python", ["-W"], ""),
        ("ruby", ["-r", "set", "-Ilib", "run.rb"], "run.rb"),
        ("perl", ["-Ilib", "-e", "claude"], ""),
        ("node", ["--eval=1", "claude"], ""),
        ("node", ["--"], ""),
    ],
)
def test_i3_a_script_is_told_from_options_and_their_values(interpreter: str, arguments: list[str], script: str) -> None:
    assert script_of(interpreter, arguments) == script


def test_i3_a_configured_program_is_an_agent_but_never_an_interpreter() -> None:
    assert agent_of(("my-bot",), (), ["/opt/bin/my-bot"]) == "my-bot"
    assert agent_of(("my-bot",), ()) == ""
    assert agent_of(("python3.11",), (), ["python3.11", "bash"]) == ""


@pytest.mark.parametrize(
    ("names", "git"),
    [
        (("git",), True),
        (("git-commit",), True),
        (("bash", "git-fe"), True),
        (("gitui",), True),
        (("gitk",), False),
        (("lazygit",), False),
    ],
)
def test_i5_git_is_known_by_its_name_and_by_those_of_its_commands(names: tuple[str, ...], git: bool) -> None:
    assert is_git(names) == git


@pytest.mark.parametrize(
    ("names", "launcher"),
    [
        (("bwrap",), "bwrap"),
        (("firejail",), "firejail"),
        (("codex-linux-sandbox",), "codex"),
        (("node", "claude"), "claude"),
        (("memfd", "3"), "the descriptor 3"),
        (("tini",), ""),
        (("docker-init",), ""),
        (("bash",), ""),
        (("systemd",), ""),
        (("my-bot",), "my-bot"),
    ],
)
def test_i3_an_agent_or_a_maker_of_sandboxes_is_no_containers_init(names: tuple[str, ...], launcher: str) -> None:
    assert launcher_of(names, (), ["my-bot"]) == launcher


def test_the_real_tree_of_this_process_ends_at_the_top() -> None:
    tree = read_tree()
    assert tree.ancestors[0].pid == os.getppid()
    assert all(one.start >= other.start for one, other in zip(tree.ancestors, tree.ancestors[1:], strict=False))


def test_i3_a_real_agent_that_renames_its_own_executable_is_still_that_agent(tmp_path: Path) -> None:
    agent, other = tmp_path / "claude", tmp_path / "vim"
    shutil.copy("/bin/sh", agent)
    look = "from foureyes.adapters.identity.process_tree import read_tree; print(*read_tree().ancestors[0].names)"
    script = f"mv {agent} {other}; {sys.executable} -c '{look}'; :"
    done = subprocess.run([str(agent), "-c", script], capture_output=True, text=True, check=True)
    assert "vim" in done.stdout.split()
    assert agent_of(done.stdout.split(), ()) == "claude"
