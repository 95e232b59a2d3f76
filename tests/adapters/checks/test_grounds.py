"""Checks with an environment of the project's: in a room, and where the kernel forbids rooms, in a slot (D5)."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from msgspec.structs import replace

from foureyes.adapters.checks import environments
from foureyes.core.nouns.check import is_another, judge

from tests.adapters.checks.trees import Project, Tree
from tests.stage.namespaces import need

PREPARE = "mkdir -p node_modules/.bin && cp lock node_modules/made && echo cache > $HOME/cache && echo prepared"
FILES = {"lock": "1\n", "src/app.py": "right\n"}

Make = Callable[..., Project]


@pytest.fixture(params=["room", "slot"])
def make(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Make:
    """A project whose checks stand in a room, or in a slot."""
    if request.param == "slot":
        monkeypatch.setattr(environments, "why_none", lambda cache: "forbidden")
    else:
        need("unshare", "-Urm", "true")
    return lambda **fields: Project(tmp_path, **{"prepare": PREPARE, "inputs": ("lock",), **fields})


@pytest.fixture
def sandbox(tmp_path: Path) -> Make:
    need("unshare", "-Urm", "true")
    return lambda **fields: Project(tmp_path, **{"prepare": PREPARE, "inputs": ("lock",), **fields})


def test_D5_a_check_finds_its_tree_and_what_was_prepared_for_its_inputs(make: Make) -> None:
    project, tree = make(), Tree(FILES)
    ran = project.run("cat src/app.py node_modules/made ~/cache; ls", tree)
    assert (ran.problem, ran.exit_code) == ("", 0)
    assert ran.output == "prepared\nright\n1\ncache\nlock\nnode_modules\nsrc\n"
    assert "prepared" not in project.run("true", tree).output, "the second time it is there"
    assert "prepared" in project.run("true", Tree({**FILES, "lock": "2\n"})).output, "for other inputs another one"


def test_D5_prepare_sees_the_inputs_and_nothing_else_of_a_tree(make: Make) -> None:
    ran = make(prepare="find . -type f; ls -A $HOME").run("true", Tree({**FILES, "sub/lock": "no\n"}))
    assert ran.output == "./lock\n.run\n"


def test_D5_a_check_stands_at_one_path_and_so_does_what_prepared_for_it(make: Make) -> None:
    project = make(prepare="pwd > where")
    one = project.run("pwd; cat where", Tree(FILES)).output.split()
    other = project.run("pwd; cat where", Tree({**FILES, "more": ""})).output.split()
    assert len({*one, *other}) == 1


def test_D5_what_a_check_writes_reaches_no_other_one(make: Make) -> None:
    """A test that rewrites the source, a post-install script's place, a cache in the home."""
    project, tree = make(), Tree(FILES)
    runner = project.runner()
    poison = "echo wrong | tee src/app.py node_modules/made ~/cache ~/.npmrc conftest.py; rm -rf lock"
    assert project.run(poison, tree, runner).exit_code == 0
    said = project.run("cat src/app.py node_modules/made ~/cache lock; ls -A ~", tree, runner).output
    assert said == "right\n1\ncache\n1\n.run\ncache\n"
    assert tree.written == 1
    runner.close()


def test_D5_files_of_the_tree_that_a_run_leaves_as_others_are_told_with_what_it_printed(make: Make) -> None:
    project, tree = make(), Tree({**FILES, "dir/a": "a\n"})
    told = project.run(
        "echo x >> src/app.py; rm -r dir; mkdir dir; echo new > more; touch lock; echo done", tree
    ).output
    assert told.endswith("done\n\n(It changed files of its tree: dir/a, src/app.py.)\n")
    assert project.run("touch src/app.py; echo done", tree).output == "done\n"


def test_D5_a_run_that_leaves_files_of_its_tree_as_others_is_unsound_unless_its_writes_name_them(make: Make) -> None:
    project, tree = make(), Tree({**FILES, "dir/a": "a\n"})
    changes = {
        "echo x >> src/app.py": "src/app.py", "rm lock": "lock", "chmod +x lock": "lock",
        "rm dir/a; ln -s ../lock dir/a": "dir/a", "rm -r dir; mkdir dir": "dir/a",
    }  # fmt: skip
    for command, path in changes.items():
        verdict = project.judged(command, tree)
        assert verdict.outcome == "unsound", command
        assert verdict.summary.startswith(
            f"changed {path} of its tree; commit the changed files, or list them in writes "
        )
        assert project.judged(command, tree, writes=(path,)).outcome == "passed", command
    assert project.judged("echo x > src/app.py; echo right > src/app.py; touch new", tree).outcome == "passed"
    red = project.judged("echo x > lock; exit 1", tree)
    assert (red.outcome, red.summary) == ("failed", "exit code 1; it changed lock of its tree")


def test_D5_what_build_writes_is_named_for_it_and_the_check_is_compared_with_what_that_left(make: Make) -> None:
    build = "echo 2 > lock"
    project, tree = make(prepare="", build=build), Tree(FILES)
    verdict = project.judged("true", tree)
    assert (verdict.outcome, verdict.summary) == (
        "unsound",
        "changed lock of its tree by checkout.build; commit the changed files, or list them in checkout.writes",
    )
    assert project.judged("true", tree, writes=("lock",)).outcome == "unsound", "the build is not the check"
    project.rule = replace(project.rule, writes=("lock",))
    assert project.judged("grep 2 lock", tree).outcome == "passed"
    assert project.judged("echo 1 > lock", tree).outcome == "passed", "as it was committed"
    assert project.judged("echo 3 > lock", tree).outcome == "unsound"


def test_D5_an_environment_of_other_inputs_than_the_targets_serves_that_tree_alone(make: Make) -> None:
    """Its script may wait until it is merged; then it runs again, where it was agreed to."""
    project, files = make(prepare="sh lock"), {**FILES, "lock": "echo made\n"}
    assert project.run("true", Tree(files, target=FILES)).output == "made\n"
    assert project.run("true", Tree({**files, "more": ""}, target=FILES)).output == "made\n", "another attempt"
    assert project.run("true", Tree(files, target=FILES)).output == ""
    assert project.run("true", Tree(files)).output == "made\n", "on the target now"
    assert project.run("true", Tree({**files, "more": ""})).output == ""


def test_D5_inputs_that_the_target_had_where_the_change_begins_need_no_environment_of_their_own(make: Make) -> None:
    project, newer = make(), {**FILES, "lock": "2\n"}
    assert project.run("true", Tree(FILES)).output == "prepared\n"
    assert project.run("true", Tree({**FILES, "more": ""}, target=newer, base=FILES)).output == ""
    assert project.run("true", Tree({**FILES, "lock": "3\n"}, target=newer, base=FILES)).output == "prepared\n"


def test_D5_a_result_names_the_environment_that_it_was_made_in(sandbox: Make) -> None:
    project, tree = sandbox(), Tree(FILES)
    runner = project.runner()
    ran, told = project.run("true", tree, runner), runner.program(project.check("true"), tree)
    assert ran.program.endswith(told)
    assert told.startswith(" in environment ")
    other = runner.program(project.check("true"), Tree({**FILES, "lock": "2\n"}))
    assert is_another(other, ran.program)
    assert not is_another(told, ran.program)
    assert runner.program(make_again(project, prepare="").check("true"), tree) == "", "there is none"
    runner.close()


def test_D5_a_prepare_that_fails_is_crashed_with_what_it_said_and_tried_again(make: Make) -> None:
    project, tree = make(prepare="echo no network; exit 3"), Tree(FILES)
    for _ in range(2):
        ran = project.run("true", tree)
        verdict = judge(project.check("true"), ran)
        assert (verdict.outcome, ran.output) == ("crashed", "no network\n")
        assert verdict.summary == "its environment could not be prepared: checkout.prepare ended with exit code 3"


def test_D5_a_prepare_that_fails_is_run_once_for_all_checks_of_a_runner(make: Make) -> None:
    project, tree = make(prepare="echo no network: $$; exit 3"), Tree(FILES)
    runner = project.runner()
    first, second = (project.run(command, tree, runner) for command in ("true", "echo another"))
    runner.close()
    assert (first.unprepared, first.output) == (second.unprepared, second.output), "by one process"
    assert project.run("true", tree).output != first.output, "another runner tries again"


def test_D5_build_runs_in_each_checks_own_copy_and_its_failure_is_the_trees(make: Make) -> None:
    project, tree = make(prepare="", build="cat src/app.py; test ! -e built && echo 1 > built"), Tree(FILES)
    for _ in range(2):
        assert project.run("cat built", tree).output == "right\n1\n"
    verdict = project.judged("true", Tree({**FILES, "built": ""}))
    assert (verdict.outcome, verdict.summary) == ("failed", "checkout.build ended with exit code 1")
    missing = make_again(project, build="no-such-program-here")
    assert missing.judged("true", tree).outcome == "crashed"


def make_again(project: Project, **fields: object) -> Project:
    (project.folder / "again").mkdir()
    return Project(project.folder / "again", **{"inputs": ("lock",), **fields})


def test_D5_programs_of_an_environment_go_first_but_none_that_the_tree_brings(make: Make) -> None:
    tool = (
        "mkdir -p .venv/bin && printf '#!/bin/sh\\necho prepared tool\\n' > .venv/bin/tool && chmod +x .venv/bin/tool"
    )
    project = make(prepare=tool)
    ran = project.run("tool", Tree(FILES))
    assert ran.output == "prepared tool\n"
    assert ran.program.startswith(".venv/bin/tool sha256:")
    assert project.run("tool", Tree({**FILES, ".venv/bin/other": "no\n"})).exit_code == 127


def test_D5_an_attempt_that_changes_what_prepare_makes_does_not_run(make: Make) -> None:
    """Another program, a new file among the packages, a link in the place of all."""
    tool = "mkdir -p .venv/bin && echo honest > .venv/bin/tool; touch made"
    project = make(prepare=tool)
    for path in (".venv/bin/tool", ".venv/lib/x.pth", ".venv", "made/up"):
        verdict = project.judged("true", Tree({**FILES, path: "mine\n"}, target=FILES))
        assert verdict.outcome == "failed", "another run would say the same: who made it takes it out"
        assert verdict.summary == (
            f"it changes {path}, which checkout.prepare creates. Remove it from the change, or list it in "
            "checkout.extra_inputs"
        )
    on_target = {**FILES, ".venv/bin/tool": "theirs\n"}
    ran = project.run("cat .venv/bin/tool", Tree({**on_target, "src/new": ""}, target=on_target))
    assert ran.output == "theirs\n", "somebody agreed to it"


def test_D5_a_file_that_a_check_leaves_longer_than_anybody_can_read_is_another_and_holds_nobody(make: Make) -> None:
    ran = make().run("truncate -s 3T src/app.py", Tree(FILES))
    assert (ran.exit_code, ran.rewritten.checked) == (0, ("src/app.py",))


def test_D5_an_input_that_prepare_rewrites_is_the_trees_own(make: Make) -> None:
    project = make(prepare="echo rewritten > lock")
    assert project.run("cat lock", Tree({**FILES, "lock": "2\n"}, target=FILES)).output == "2\n"


def test_D5_nothing_is_written_through_a_link_of_an_environment(make: Make, tmp_path: Path) -> None:
    """Of the target's own files, too, which may lie where a link was made."""
    (tmp_path / "python").write_text("the person's\n")
    (tmp_path / "lib").mkdir()
    project = make(prepare=f"mkdir -p .venv/bin; ln -s {tmp_path}/python .venv/bin/python3; ln -s {tmp_path}/lib lib")
    ran = project.run("cat .venv/bin/python3 lib/code", Tree({**FILES, ".venv/bin/python3": "a\n", "lib/code": "b\n"}))
    assert (ran.problem, ran.output) == ("", "a\nb\n")
    assert ((tmp_path / "python").read_text(), os.listdir(tmp_path / "lib")) == ("the person's\n", [])


def test_only_what_is_to_be_kept_is(make: Make) -> None:
    project = make(prepare="mkdir -p a/b c; touch a/b/x a/y c/z", keep=("a/b",))
    assert project.run("find a c", Tree(FILES)).output.startswith("a\na/b\na/b/x\nfind: ")


def test_nothing_is_left_of_a_run_but_its_environment(make: Make) -> None:
    project = make()
    project.run("touch x; mkdir -m 0 y", Tree(FILES))
    left = {name: os.listdir(project.cache / name) for name in ("at", "runs", "slots")}
    assert (left["at"], left["runs"], [name for name in left["slots"] if not name.endswith(".lock")]) == ([], [], [])


def test_what_is_kept_for_a_tree_is_lent_and_nothing_is_made_for_it(make: Make) -> None:
    project, tree = make(), Tree(FILES)
    runner = project.runner()
    with runner.lend(project.rule, tree) as lent:
        assert lent is None
    where = project.run("pwd", tree, runner).output.split()[-1]
    with runner.lend(project.rule, tree) as lent:
        assert lent is not None
        assert (Path(lent.path, "node_modules", "made").read_text(), lent.was) == ("1\n", where)
    runner.close()


# What is not there


def test_D5_in_a_room_there_is_no_home_checkout_or_other_run_and_tools_are_there(sandbox: Make, tmp_path: Path) -> None:
    project = sandbox()
    tools = project.home / "tools" / "bin"
    tools.mkdir(parents=True)
    (tools / "mine").write_text("#!/bin/sh\necho mine\ntouch $(dirname $0)/x 2>/dev/null || echo not to be written\n")
    (tools / "mine").chmod(0o755)
    project.environ["PATH"] = f"{tools}:{project.environ['PATH']}"
    (tmp_path / "elsewhere").write_text("")
    look = f"mine; ls -A {project.home} {project.checkout}; ls {project.cache} {tmp_path}"
    said = project.run(f"{look}; python3 -c 'print(1)'; git --version", Tree(FILES)).output
    assert "mine\nnot to be written\n" in said
    assert "secret" not in said
    assert "own.py" not in said
    assert "elsewhere" not in said
    assert "environments" not in said
    assert "\n1\ngit version " in said


def test_D5_who_is_root_in_a_room_cannot_take_away_what_hides(sandbox: Make) -> None:
    """Nor as the root of a namespace of their own, nor by the root of who started it, nor with a device."""
    project, outside = sandbox(isolation="full"), Path("/proc", str(os.getpid()))
    tries = (
        f"umount -l {project.home}; umount -l /tmp; mknod dev b 8 0 && echo made\n"
        f"unshare -Urm umount -l {project.home} && echo gone\n"
        f"cat {project.home}/secret {outside / 'root'}{project.home}/secret {outside}/environ\n"
        "chown 1:1 lock; stat -c %u lock"
    )
    ran = project.run(f"( {tries} ) 2>/dev/null", Tree(FILES))
    assert ran.output.removeprefix("prepared\n") == ("1\n" if os.getuid() == 0 else f"{os.getuid()}\n")


def test_D5_a_room_can_be_entered_though_our_own_python_is_hidden_in_there(sandbox: Make) -> None:
    """As where Foureyes has a Python below the home that no entry of the PATH leads to."""
    if sys.base_prefix == "/usr":
        pytest.skip("the Python that runs this is the system's: it cannot be hidden")
    project = sandbox()
    project.environ |= {"PATH": "/usr/bin:/bin", "HOME": sys.base_prefix}
    ran = project.run(f"test -e {sys.base_prefix}/lib || cat node_modules/made", Tree(FILES))
    assert (ran.unprepared, ran.exit_code, ran.output) == ("", 0, "prepared\n1\n")


def test_D5_where_everything_must_be_hidden_and_cannot_be_nothing_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(environments, "why_none", lambda cache: "forbidden")
    project = Project(tmp_path, isolation="full")
    verdict = project.judged("touch ran", Tree(FILES))
    assert verdict.outcome == "crashed"
    assert verdict.summary.endswith("(isolation = full): forbidden")


# Written from outside


@pytest.mark.parametrize(
    ("file", "what"),
    [
        ("runs/*/tree/src/app.py", "ran while another program wrote to the files of its checkout"),
        ("environments/*/work/node_modules/made", "ran while another program wrote to its environment"),
    ],
)
def test_D5_what_is_written_from_outside_while_a_check_runs_makes_it_unsound_and_reaches_no_other(
    sandbox: Make, file: str, what: str
) -> None:
    project, tree = sandbox(), Tree(FILES)
    runner = project.runner()

    def write(line: str) -> None:
        if line == "go":
            (shared,) = project.cache.glob(file)
            shared.write_text("written from outside\n")
            (door,) = project.cache.glob("runs/*/tmp/door")
            door.write_text("on\n")

    project.run("true", tree, runner)  # what it prints while it prepares would be the line that is told
    check = project.check("mkfifo $TMPDIR/door; echo go; read on < $TMPDIR/door")
    verdict = judge(check, runner.run(check, tree.export, write, tree=tree))
    assert (verdict.outcome, verdict.summary) == ("unsound", what)
    said = project.run("cat src/app.py node_modules/made", tree, runner)
    assert (judge(check, said).outcome, said.output.removeprefix("prepared\n")) == ("passed", "right\n1\n")
    runner.close()


# A write from outside, while it runs

WAITS = "touch ready; until test -e go; do sleep 0.01; done; cat src/app.py"


def outside(project: Project, path: str, text: str) -> Callable[[], bool]:
    """Somebody else of the same user, who waits until the check runs, writes to its files, and lets it go on."""
    written: list[Path] = []

    def write() -> bool:
        ways = [project.cache / "slots/1/work", *(Path("/proc", name, "cwd") for name in os.listdir("/proc"))]
        for work in ways if not written else ():
            with suppress(OSError):
                if (work / "ready").exists() and "foureyes-" in os.path.realpath(work):
                    (work / path).write_text(text)
                    (work / "go").touch()
                    written.append(work)
                    return False
        return False

    return write


@pytest.mark.parametrize(("text", "outcome"), [("wrong\n", "unsound"), ("right\n", "passed")])
def test_D5_a_write_from_outside_to_the_files_of_a_run_is_noticed(make: Make, text: str, outcome: str) -> None:
    project, tree = make(prepare="", build="true"), Tree(FILES)
    rule, runner = project.check(WAITS), project.runner()
    ran = runner.run(rule, tree.export, stop=outside(project, "src/app.py", text), tree=tree)
    assert (judge(rule, ran).outcome, ran.output.startswith(text)) == (outcome, True)
    assert project.run("cat src/app.py", tree, runner).output == "right\n", "it reaches no other run"
    runner.close()
