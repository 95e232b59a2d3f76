"""Bad input and bad surroundings: a clear error, the documented exit code, and nothing changed."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.stage.checkout import copied
from tests.stage.commands import Cast, Stage
from tests.stage.processes import Caller, Result

LONG = "x" * 1_000_000
ESCAPE = "\x1b[31mred"
NOT_UTF8 = "caf\udce9"
WITHOUT_OVERRIDE = (
    "import ctypes, os, sys; ctypes.CDLL(None).prctl(24, 1, 0, 0, 0);"
    " os.execv(sys.executable, [sys.executable, '-m', 'foureyes', *sys.argv[1:]])"
)
"""Root ignores permission bits; this takes that right (CAP_DAC_OVERRIDE) off the process, and does nothing to
others.
"""


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory, template: Path, cast: Cast) -> Stage:
    """One store for all that must change nothing: a task that is open and one in progress."""
    stage = Stage(copied(template, tmp_path_factory.mktemp("bad") / "shop"), cast)
    stage.create(cast.claude, "-p", "0", title="first")
    stage.done(cast.codex, "start", stage.create(cast.claude, title="second"))
    return stage


@pytest.fixture
def unchanged(shared: Stage) -> Iterator[Stage]:
    """The store is the same afterwards, to the last hash."""
    before = shared.head()
    yield shared
    assert shared.head() == before


def task_of(stage: Stage) -> str:
    """The task that is open."""
    return stage.tasks()[0]


def filled(stage: Stage, command: str, text: str) -> list[str]:
    """A command's words: T is the open task, P the one in progress, X the text."""
    first, second = stage.tasks()
    return [{"X": text, "T": first, "P": second}.get(word, word) for word in command.split()]


# Ids


@pytest.mark.parametrize("text", ["fe-zzzzzz", "nosuch", "other-1"])
def test_an_unknown_id_is_3(unchanged: Stage, text: str) -> None:
    problem = unchanged.no(unchanged.cast.claude, "show", text, rc=3)
    assert text in problem.message
    assert problem.hints


@pytest.mark.parametrize(
    "text", ["", " ", "x" * 5000, "fe-%", "fe_1", "../../etc", "fe-1;x", "fe-\n", "-", NOT_UTF8, ESCAPE, "fe-ü", "*"]
)
def test_what_cannot_be_an_id_is_2_and_is_not_echoed_raw(unchanged: Stage, text: str) -> None:
    problem = unchanged.no(unchanged.cast.claude, "show", text, rc=2)
    assert len(problem.message) < 200
    assert "\x1b" not in problem.text
    assert "\\u001b" not in problem.text


def test_an_ambiguous_prefix_is_2_and_names_the_tasks(unchanged: Stage) -> None:
    for command in (
        ["start", "fe-"],
        ["show", "FE-"],
        ["approve", "fe-", "--seen", "12345678"],
        ["create", "x", "--depends-on", "fe-"],
    ):
        problem = unchanged.no(unchanged.cast.claude, *command, rc=2)
        assert problem.code == "ambiguous"
        assert all(task in problem.message for task in unchanged.tasks())


# Texts


@pytest.mark.parametrize("title", ["", "   ", "\t\n"])
def test_an_empty_title_is_2(unchanged: Stage, title: str) -> None:
    assert "title" in unchanged.no(unchanged.cast.claude, "create", title, rc=2).message
    unchanged.no(unchanged.cast.claude, "update", task_of(unchanged), "--title", title, rc=2)


WITH_TEXT = """
create X | create t -d X | create t -a X | create t -l X | create t --group X | create t -t X | create t -p X | update T --title X
update T -d X | update T -a X | update T --group X | update T --label X | update T -t X | label add T X | log T X | log T t --type X
handoff T --done X | handoff T --remaining X | handoff T --decision X | handoff T --uncertain X | block T -m X | defer T --until X
hold T -m X | resume T -m X | hold --project -m X | close T -m X | close T --self-close-exception X | cancel T -m X | delete T -m X
redo T -m X | reject T -m X | approve T -m X | approve T --seen X | feature set balanced_review_policy X | feature set X true
policy set X 1 | policy set review.policy X | list --status X | list --sort X | submit T -m X | submit T --branch X | log T t --as X
unstart P -m X | submit P -m X | submit P --branch X | block P -m X | audit log --task X | show X | resume P -m X | init --prefix X
"""


def texts() -> list[str]:
    return [command.strip() for command in WITH_TEXT.strip().replace("\n", "|").split("|")]


@pytest.mark.parametrize("text", [ESCAPE, NOT_UTF8], ids=["control characters", "not UTF-8"])
def test_control_characters_and_bytes_that_are_not_UTF_8_are_refused_in_every_text(unchanged: Stage, text: str) -> None:
    wrong = []
    for command in texts():
        words = filled(unchanged, command, text)
        result = unchanged.run(unchanged.cast.alice, *words, "--json")
        says = result.out.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
        if result.rc not in (1, 2, 3) or "\x1b" in says or "error" not in says or result.err:
            wrong.append((command, result.rc, says[:100], result.err[-200:]))
    assert wrong == []


def test_the_same_without_json_is_a_sentence_on_stderr(unchanged: Stage) -> None:
    wrong = []
    for command in texts()[::4]:
        words = filled(unchanged, command, NOT_UTF8 + ESCAPE)
        result = unchanged.run(unchanged.cast.alice, *words)
        if (
            result.rc not in (1, 2, 3)
            or result.out
            or "\x1b" in result.err
            or not result.err.startswith(("fe: ", "refused: "))
        ):
            wrong.append((command, result.rc, result.out[:100], result.err[-200:]))
    assert wrong == []


@pytest.mark.parametrize(
    "command", ["list --text X", "list --label X", "show T --as X", "X", "audit log --task X", "list --type X"]
)
def test_odd_bytes_in_a_question_are_answered_and_never_a_crash(unchanged: Stage, command: str) -> None:
    task = task_of(unchanged)
    for text in (NOT_UTF8 + ESCAPE, "'a\" AND NEAR(*", LONG[:100_000]):
        words = [{"X": text, "T": task}.get(word, word) for word in command.split()]
        for json_too in ([], ["--json"]):
            result = unchanged.run(unchanged.cast.alice, *words, *json_too)
            assert result.rc in (0, 1, 2, 3), (command, text[:20], result.rc, result.err[-300:])
            assert "\x1b" not in result.out + result.err


def test_a_description_of_1_MB_is_2_by_argument_and_by_stdin(unchanged: Stage) -> None:
    cast = unchanged.cast
    parts = ["create", "t", "-d", "-", "--json"]
    problem = json.loads(unchanged.run(cast.claude, *parts, input=LONG).out)["error"]
    assert "1,000,000 characters" in problem["message"]
    assert len(json.dumps(problem)) < 500
    for words in (
        ["create", "t", "-d", LONG[:120_000]],
        ["create", LONG[:501]],
        ["log", task_of(unchanged), LONG[:120_000]],
    ):
        unchanged.no(cast.claude, *words, rc=2)
    unchanged.no(cast.claude, "log", task_of(unchanged), "-", rc=2, input=LONG)
    unchanged.no(cast.claude, "update", task_of(unchanged), "-d", "-", rc=2, input=LONG)


@pytest.mark.parametrize(
    "command",
    ["log T t --as X", "update T --group X", "create t --group X", "label add T X", "create t -l X", "create X"],
)
def test_a_name_has_a_reasonable_length(unchanged: Stage, command: str) -> None:
    unchanged.no(unchanged.cast.alice, *filled(unchanged, command, LONG[:100_000]), rc=2)


def test_the_longest_texts_that_are_allowed_are_kept_whole(stage: Stage) -> None:
    title, text = "t" * 500, "ü\n" * 50_000
    task = stage.done(stage.cast.claude, "create", title, "-d", "-", input=text)["task"]
    kept = stage.show(task)["task"]
    assert (kept["title"], kept["description"]) == (title, text)


# Values


@pytest.mark.parametrize(
    ("command", "says"),
    [
        ("create t -t story", "task, bug, feature, chore, docs, epic"),
        ("create t -p 5", "0 (highest) to 4"),
        ("create t -p high", "0 (highest) to 4"),
        ("create t --estimate 0", "0"),
        ("create", "TITLE"),
        ("create t --nosuch", "--nosuch"),
        ("list --status doing", "open, in_progress, reviewing, approved, closed, blocked, deferred"),
        ("list --type story", "task, bug, feature, chore, docs, epic"),
        ("list --limit 0", "0"),
        ("list --sort size", "priority"),
        ("defer T --until tomorrow", "2027-01-31"),
        ("log T x --type secret", "progress, blocker, decision"),
        ("log T x --type security", "progress, blocker, decision"),
        ("log T ''", "empty"),
        ("handoff T", "empty"),
        ("show T --since 1", "--diff"),
        ("update T --if-version x --title y", "x"),
        ("feature set balanced_review_policy maybe", "true, false"),
        ("feature get nosuch", "balanced_review_policy"),
        ("policy set review.policy lax", "strict, balanced, delegated, trusted"),
        ("policy set minor.max_lines many", "whole numbers"),
        ("policy set minor.self perhaps", "true, false"),
        ("policy set review.independence friend", "session, origin, model, vendor, human"),
        ("hold", "--project"),
        ("setup emacs", "agents-md"),
        ("approve T --withdraw --seen 12345678", "--withdraw"),
        ("init --prefix Shop!", "prefix"),
    ],
)
def test_a_wrong_value_is_2_and_the_allowed_ones_are_named(unchanged: Stage, command: str, says: str) -> None:
    task = task_of(unchanged)
    words = [{"T": task, "''": ""}.get(word, word) for word in command.split()]
    problem = unchanged.no(unchanged.cast.alice, *words, rc=2)
    assert says in problem.text


def test_circles_are_refused_by_a_rule(stage: Stage) -> None:
    one = stage.create(stage.cast.claude)
    two = stage.create(stage.cast.claude, "--depends-on", one)
    three = stage.create(stage.cast.claude, "--depends-on", two, "--parent", one)
    before = stage.head()
    for task, other in ((one, one), (one, two), (one, three)):
        stage.no(stage.cast.claude, "dep", "add", task, other, rules=["T4"])
        stage.no(stage.cast.claude, "update", task, "--depends-on", other, "--title", "half done?", rules=["T4"])
    stage.no(stage.cast.claude, "update", one, "--parent", three, rules=["T4"])
    stage.no(stage.cast.claude, "update", one, "--parent", one, rules=["T4"])
    assert stage.head() == before


def test_T6_a_stale_write_is_4_and_says_who_changed_what(stage: Stage) -> None:
    task = stage.create(stage.cast.claude)
    version = stage.show(task)["task"]["version"]
    stage.done(stage.cast.codex, "update", task, "--title", "new")
    before = stage.head()
    for command in (["update", task, "--title", "x"], ["start", task], ["close", task], ["approve", task]):
        problem = stage.no(stage.cast.gemini, *command, "--if-version", str(version), rc=4)
        assert problem.code == "stale"
        assert "codex#1" in problem.message
    assert stage.head() == before
    stage.done(
        stage.cast.gemini, "update", task, "--title", "x", "--if-version", str(stage.show(task)["task"]["version"])
    )


# Configuration


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ('policy = "lax"', ['foureyes.toml:3 review.policy = "lax"', "strict, balanced, delegated, trusted"]),
        ("policy = 3", ["foureyes.toml:3 review.policy = 3", "strict, balanced, delegated, trusted"]),
        ('polcy = "strict"', ["foureyes.toml:3 review.polcy", "review.policy"]),
        ('independence = "friend"', ["foureyes.toml:3 review.independence", "session, origin, model, vendor, human"]),
        ("label_rules = { security = { independence = 1 } }", ["foureyes.toml:3 review.label_rules.security", "human"]),
        ("policy = ", ["foureyes.toml", "line 3"]),
    ],
)
def test_a_broken_foureyes_toml_on_the_target_is_2_with_file_line_key_and_allowed_values(
    stage: Stage, line: str, says: list[str]
) -> None:
    work = stage.in_review(stage.cast.claude, stage.cast.codex)
    (stage.repo / "foureyes.toml").write_text(f"# broken\n[review]\n{line}\n")
    stage.git("commit", "-q", "-am", "break it")
    before = stage.head()
    problem = stage.no(stage.cast.alice, "config", "accept", rc=2)
    assert problem.code == "config"
    assert [part for part in says if part not in problem.message] == []
    doctor = stage.run(stage.cast.alice, "doctor")
    assert doctor.rc == 6
    assert "FAIL" in doctor.out
    assert [part for part in says if part not in doctor.out + doctor.err] == []
    assert "changes that were not accepted" in stage.run(stage.cast.alice, "status").out
    assert stage.head() == before
    assert stage.done(stage.cast.gemini, "approve", work.task, "--seen", work.seen)["rule"] == "P7", (
        "the accepted one is in force"
    )


def test_P13_under_a_configuration_that_cannot_be_read_nothing_is_said_to_be_approvable(stage: Stage) -> None:
    """Approve is refused then (above), so no list and no page may promise it."""
    work = stage.in_review(stage.cast.claude, stage.cast.codex)
    env = {"FOUREYES_REVIEW_POLICY": "maybe"}
    assert stage.no(stage.cast.gemini, "approve", work.task, "--seen", work.seen, rc=2, env=env).code == "config"
    listed = stage.run(stage.cast.gemini, "reviewable", "--json", env=env)
    assert (listed.rc, listed.out) == (0, "") or (listed.rc == 2 and listed.json["error"]["code"] == "config")
    page = stage.run(stage.cast.gemini, "show", work.task, "--json", env=env)
    assert page.rc == 2 or page.json["you"]["may_approve"] is False


def test_G1_a_variable_with_an_impossible_value_is_an_error_not_the_default(unchanged: Stage) -> None:
    for name in ("FOUREYES_REVIEW_POLICY", "FOUREYES_MINOR_MAX_LINES", "FOUREYES_FEATURE_BALANCED_REVIEW_POLICY"):
        problem = unchanged.no(unchanged.cast.claude, "config", "show", rc=2, env={name: "maybe"})
        assert problem.code == "config"
        assert name in problem.message


# Surroundings


def fake_git(place: Path, says: str) -> str:
    """A directory whose git says something else; to go first on PATH."""
    place.mkdir()
    script = place / "git"
    script.write_text(f"#!/bin/sh\necho '{says}'\n")
    script.chmod(0o755)
    return str(place)


NEEDS_GIT = ("submit T", "init", "show T --diff")


def needing_git(stage: Stage, env: dict[str, str], word: str) -> None:
    work = stage.in_review(stage.cast.claude, stage.cast.codex)
    before = stage.head()
    for command in NEEDS_GIT:
        words = [work.task if part == "T" else part for part in command.split()]
        who = stage.cast.codex if words[0] == "submit" else stage.cast.gemini
        problem = stage.no(who, *words, rc=5, env=env)
        assert problem.code == "git"
        assert word in problem.message + " ".join(problem.hints)
    assert stage.head() == before


def test_no_git_on_PATH_is_5(stage: Stage, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    needing_git(stage, {"PATH": str(tmp_path / "empty")}, "git")


def test_a_git_that_is_too_old_is_5_and_says_which_is_needed(stage: Stage, tmp_path: Path) -> None:
    path = fake_git(tmp_path / "old", "git version 2.30.0")
    needing_git(stage, {"PATH": f"{path}:{os.environ['PATH']}"}, "2.38")


def test_a_git_that_talks_nonsense_is_5(stage: Stage, tmp_path: Path) -> None:
    path = fake_git(tmp_path / "odd", "hello")
    stage.no(stage.cast.claude, "init", rc=5, env={"PATH": f"{path}:{os.environ['PATH']}"})


def test_without_git_what_needs_none_goes_on(stage: Stage, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    env = {"PATH": str(tmp_path / "empty")}
    task = stage.done(stage.cast.claude, "create", "x", env=env)["task"]
    stage.done(stage.cast.claude, "log", task, "a note", env=env)
    assert len(stage.lines(stage.cast.claude, "list", env=env)) == 1


def error(result: Result, rc: int) -> str:
    assert result.rc == rc, result
    assert result.out == ""
    assert result.err.startswith("fe: ")
    return result.err


@pytest.mark.parametrize("command", ["status", "list", "create x", "log fe-1 x", "init", "doctor"])
def test_not_a_repository_is_5(cast: Cast, tmp_path: Path, command: str) -> None:
    assert "not in a git repository" in error(cast.alice.fe(*command.split(), cwd=tmp_path), 5)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("command", ["status", "list", "create x", "log fe-1 x", "doctor", "restore x", "audit verify"])
def test_no_project_is_5_and_nothing_is_made(cast: Cast, bare_repo: Path, command: str) -> None:
    text = error(cast.alice.fe(*command.split(), cwd=bare_repo), 5)
    assert "no Foureyes project" in text
    assert "next: fe init" in text
    assert not (bare_repo / ".foureyes").exists()


def test_a_missing_store_file_is_5_and_no_new_one_is_made(stage: Stage) -> None:
    os.rename(stage.folder / "store.db", stage.repo / "kept.db")
    for command in (["list"], ["create", "x"], ["status"], ["init"], ["audit", "verify"]):
        problem = stage.no(stage.cast.alice, *command, rc=5)
        assert problem.code == "store"
        assert "missing" in problem.message
    looked = stage.run(stage.cast.alice, "doctor", "--json")
    last = json.loads(looked.out.splitlines()[-1])
    assert (looked.rc, last["check"], last["result"], "missing" in last["message"]) == (5, "store", "fail", True)
    assert not (stage.folder / "store.db").exists()
    stage.done(stage.cast.alice, "restore", "kept.db")
    stage.verify()


@pytest.mark.parametrize("damage", ["text", "empty", "header", "cut", "pages"])
def test_a_corrupt_store_file_is_5_or_6_and_is_not_touched(stage: Stage, damage: str) -> None:
    task = stage.create(stage.cast.claude)
    path = stage.folder / "store.db"
    whole = path.read_bytes()
    broken = {
        "text": b"not a database at all\n" * 500,
        "empty": b"",
        "header": b"\0" * 100 + whole[100:],
        "cut": whole[: len(whole) // 2],
        "pages": whole[:4096] + b"\xff" * (len(whole) - 4096),
    }[damage]
    path.write_bytes(broken)
    for command in (["show", task], ["create", "x"], ["start", task], ["audit", "verify"], ["doctor"]):
        result = stage.run(stage.cast.alice, *command)
        assert result.rc in ((5, 6) if command[0] in ("audit", "doctor") else (5,)), (command, result)
        assert "Traceback" not in result.err
    assert path.read_bytes() == broken


def without_rights(caller: Caller, *args: str, cwd: Path) -> Result:
    """Run fe with the rights of the owner of the files and no more, also when the tests run as root."""
    return caller.run([sys.executable, "-c", WITHOUT_OVERRIDE, *args], cwd=cwd)


@pytest.mark.parametrize("what", [".foureyes", ".foureyes/store.db", ".foureyes/store.lock"])
def test_a_read_only_store_is_5_and_reads_still_work_or_say_so(stage: Stage, what: str) -> None:
    work = stage.in_review(stage.cast.claude, stage.cast.codex)
    before = stage.head()
    place = stage.repo / what
    mode = place.stat().st_mode
    place.chmod(0o555 if place.is_dir() else 0o444)
    try:
        for command in (
            ["create", "x"],
            ["log", work.task, "x"],
            ["approve", work.task],
            ["redo", work.task, "-m", "x"],
        ):
            result = without_rights(stage.cast.alice, *command, cwd=stage.repo)
            assert result.rc == 5, (command, result)
            assert result.err.startswith("fe: ")
            assert "Traceback" not in result.err
        listed = without_rights(stage.cast.alice, "list", cwd=stage.repo)
        assert (listed.rc == 0 and work.task in listed.out) or (listed.rc == 5 and listed.err.startswith("fe: ")), (
            listed
        )
    finally:
        place.chmod(mode)
    assert stage.head() == before
    stage.verify()


def test_a_read_only_directory_is_5_for_init_and_nothing_half_is_left(cast: Cast, bare_repo: Path) -> None:
    bare_repo.chmod(0o555)
    try:
        result = without_rights(cast.alice, "init", cwd=bare_repo)
    finally:
        bare_repo.chmod(0o755)
    assert result.rc == 5
    assert "cannot be made here" in result.err
    assert sorted(path.name for path in bare_repo.iterdir()) == [".git", "README.md", "app.py"]


def test_a_full_disk_is_5_and_leaves_the_old_state(stage: Stage) -> None:
    task = stage.create(stage.cast.claude)
    before = stage.head()
    limit = "ulimit -f 32; trap '' XFSZ; exec \"$@\""
    argv = ["/bin/sh", "-c", limit, "sh", sys.executable, "-m", "foureyes", "log", task, "x" * 90_000]
    result = stage.cast.claude.run(argv, cwd=stage.repo)
    assert result.rc == 5, result
    assert result.err.startswith("fe: ")
    assert stage.head() == before
    stage.verify()


def test_a_directory_that_is_gone_is_5_not_a_crash(stage: Stage, tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    result = stage.cast.claude.run(
        ["/bin/sh", "-c", f'rmdir {gone}; exec "$@"', "sh", sys.executable, "-m", "foureyes", "list"], cwd=gone
    )
    assert result.rc == 5, result
    assert "Traceback" not in result.err


def test_afterwards_the_shared_store_is_whole(shared: Stage) -> None:
    shared.verify()
