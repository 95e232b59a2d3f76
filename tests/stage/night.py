"""Day and night: what runs with every change, and what `make nightly` adds. One table, and a run says what it left.

A test with many variants (parameters, engines, attacks) runs by day with some of them, spread evenly and always with
the first and the last; strides are odd, so that both engines have their turn. By night, or where a test is named
(`file.py::test`), all of them run.
"""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol, TypeVar

import pytest

T = TypeVar("T")
NIGHT = bool(os.environ.get("FOUREYES_NIGHTLY"))
ALL = 10**9
KEY = "left_for_the_night"
ENGINES = ("sqlite", "postgres")
ODD = "ein Ordner mit ü"
"""A test that runs in folders of several names runs in this one by day."""


class Day(NamedTuple):
    """By day: a test below `where` with more than `most` variants runs with every `stride`-th of them and the last.

    A stride of ALL leaves the first. With `turns`, a variant runs on SQLite only; in the first test and every
    `turns`-th one after it of each file, or of each folder with `by_room`, the first variant runs on PostgreSQL in
    place of it.
    """

    where: str
    most: int
    stride: int
    why: str
    turns: int = 0
    by_room: bool = False


TABLE = (
    Day("tests/scenarios/test_readme.py", 1, 4, "a page is a minute of typing: the README and every fourth page"),
    Day(
        "tests/scenarios/test_demo.py",
        1,
        ALL,
        "what people see first, where it is hardest: below an agent; at a "
        "terminal until the app is there and the window is closed",
    ),
    Day("tests/scenarios", 1, ALL, "real processes, half a second a case: every test with its first one"),
    Day("tests/races", 2, 5, "many processes at once; a race costs three times as much on PostgreSQL", 12),
    Day("tests/faults/test_random_rounds.py", 1, ALL, "days of random kills, seconds each"),
    Day("tests/faults", 2, 9, "killed before each of many steps and started again: every family, few commands", 8),
    Day("tests/core/run", ALL, 1, "the table of what the runner does; a row takes no time"),
    Day("tests/ui/cli/test_golden.py", ALL, 1, "what people read"),
    Day("tests/ui/tui/test_every_key.py", 1, 5, "one story a context; that none leaves out a key is looked at by day"),
    Day("tests/ui/tui/test_small_and_large.py", ALL, 1, "one app a size"),
    Day("tests/ui", 2, ALL, "real processes"),
    Day("tests/app/review/test_policy_matrix.py", 6, 29, "the pure function answers every row by day, too", ALL),
    Day("tests/app/findings/test_loop_properties.py", ALL, 1, "one random play on either engine"),
    Day("tests/app", 2, 5, "a case costs six times as much on PostgreSQL; what engines differ in, the store", 40, True),
    Day("tests/adapters/store", 2, 19, "both engines by day, too: of many rows and columns to spoil, some"),
    Day("tests/adapters/git", 2, 3, "real git"),
    Day("tests/adapters", 6, 5, "real processes"),
    Day("tests", 12, 5, "one more case of the same"),
)
"""The first row that fits decides."""

WHOLE = {
    "tests/scenarios/test_baseline.py": "tests/app/gate/test_checks_baseline.py by the verbs; this by ruff itself",
    "tests/scenarios/test_matrix_by_processes.py": "tests/app/review/test_policy_matrix.py has the same rows, and "
    "tests/scenarios/test_identity.py shows who is told apart as a process",
    "tests/scenarios/test_strict_policy.py": "tests/app/review/test_policy_matrix.py, every story under strict",
    "tests/scenarios/test_balanced_policy.py": "tests/app/review/test_policy_matrix.py, every story under balanced",
    "tests/scenarios/test_attacks_modes.py": "tests/core/rules/test_modes.py and test_minor.py say whose word loosens"
    " what, tests/app/review/test_policy_matrix.py by the verbs; tests/scenarios/test_identity.py who is told apart",
    "tests/scenarios/test_stacks.py": "tests/app/gate/test_stacking.py, the same by the verbs, and "
    "tests/core/rules/test_stacks.py every way in which work of another task comes along",
    "tests/stage/test_warm.py": "tests/stage/test_processes.py shows who calls; every command of the day shows that a "
    "warm process answers, and the night starts each of them",
    "tests/bench/test_team.py": "tests/races/test_two_runners.py has runners at work by day; the benchmark's own data",
    "tests/bench/test_gate.py": "tests/app/gate/test_processes.py counts what a merge starts; the benchmark's own data",
    "tests/scenarios/test_terminal_signing.py": "tests/ui/tui/test_aside.py shows how the app steps aside, "
    "tests/adapters/identity/test_keys.py how a passphrase or a touch is asked for",
    "tests/races/test_commands.py": "tests/races/test_claims.py and test_decisions.py, the same by the verbs",
    "tests/adapters/git/client/test_ssh.py": "tests/adapters/git/client/test_transport.py and tests/contract/"
    "test_remote.py by a remote on the disk; this by a real sshd, where one is installed",
    "tests/faults/test_killed_push.py": "tests/app/gate/test_sent_merges.py kills, cuts and delays the push itself",
    "tests/faults/test_cut_merge.py": "tests/app/gate/test_sent_merges.py cuts off and delays the push itself, "
    "tests/app/gate/test_merge_cut_off.py the server in the middle of a queue",
    "tests/scenarios/test_team_day.py": "tests/scenarios/test_two_machines.py and "
    "tests/app/work/test_other_machines.py, piece by piece",
    "tests/scenarios/test_field_of_teams.py": "tests/scenarios/test_two_machines.py goes the way of a merge by day; "
    "the rest tests/app/work/test_other_machines.py, tests/app/gate/test_target_line.py, test_merge_cut_off.py and "
    "tests/adapters/store/test_postgres_roles.py, test_putting_back.py, test_mirror.py: docs/lessons.md says which",
    "tests/scenarios/test_field_of_joining.py": "tests/bootstrap/test_joining.py and the others that docs/lessons.md "
    "names beside it, in process; tests/scenarios/test_shared_store.py joins by processes by day",
    "tests/scenarios/test_page_of_machines.py": "tests/scenarios/test_two_machines.py goes the same way by day",
    "tests/races/test_runners_of_two_machines.py": "tests/app/work/test_other_machines.py shows where work goes on, "
    "tests/races/test_two_runners.py who is taken over; this by two clones and half a minute of leases",
    "tests/faults/test_killed_merge_command.py": "tests/faults/test_killed_gate.py kills the same merge at its steps, "
    "and tests/races/test_merges.py lets several meet",
}
"""Files that show once more, by the command line, what others show by day: they run at night, or where one is named."""

TESTS = {
    "tests/adapters/store/test_last_version.py::test_the_next_version_will_have_a_store_of_this_one": (
        "tests/adapters/store/test_last_version.py::"
        "test_the_last_version_wrote_rows_of_every_kind_it_knew_and_into_every_table"
    ),
    "tests/scenarios/test_attacks_environments.py::"
    "test_D5_what_somebody_writes_from_outside_while_the_command_runs_is_no_pass": (
        "tests/adapters/checks/test_standing.py::test_D5_a_write_from_outside_to_the_files_of_a_run_is_noticed"
    ),
    "tests/scenarios/test_attacks_environments.py::"
    "test_D5_what_the_installation_of_an_attempt_leaves_serves_that_attempt_alone": (
        "tests/adapters/checks/test_standing.py::"
        "test_D5_an_environment_of_other_inputs_than_the_targets_serves_that_tree_alone"
    ),
    "tests/scenarios/test_two_machines.py::"
    "test_a_main_that_was_pushed_over_is_told_on_both_machines_and_brought_back_by_what_is_printed_A2_Q6": (
        "tests/app/gate/test_target_line.py::"
        "test_a_target_that_was_pushed_over_stops_merging_in_every_clone_until_it_is_brought_back_Q6"
    ),
    "tests/scenarios/test_story.py::test_G4_a_writer_killed_at_any_moment_leaves_the_old_state_or_the_new_one": (
        "tests/faults/test_killed_verbs.py::"
        "test_a_killed_command_leaves_the_old_state_or_the_new_one_and_the_mirror_is_healed_by_the_next_write_G4_J1_J2_P8"
    ),
    "tests/scenarios/test_story.py::test_G4_an_exception_killed_before_its_mirror_line_gets_it_with_the_next_write": (
        "tests/faults/test_killed_commands.py::"
        "test_a_killed_approval_counts_whole_or_not_at_all_and_its_exception_reaches_the_mirror_G4_P8"
    ),
    "tests/scenarios/test_bypasses.py::test_lesson_61_of_twelve_that_start_one_task_exactly_one_wins": (
        "tests/races/test_claims.py::"
        "test_of_64_who_start_the_same_task_one_wins_and_the_others_are_told_who_T1_lesson_61"
    ),
    "tests/scenarios/test_bypasses.py::"
    "test_lesson_61_of_twelve_that_ask_for_the_next_of_five_tasks_five_get_one_each": (
        "tests/races/test_claims.py::test_64_claimers_take_more_tasks_than_they_are_each_exactly_once_T1_lesson_61"
    ),
    "tests/scenarios/test_attacks_merge.py::"
    "test_Q3_of_two_that_are_green_alone_and_red_together_one_reaches_the_target": (
        "tests/scenarios/test_merge_lessons.py::"
        "test_each_is_green_alone_and_the_second_is_red_on_top_of_the_first_lesson_54"
    ),
    "tests/races/test_two_runners.py::"
    "test_of_two_runners_one_is_killed_and_the_other_brings_its_work_to_the_target_J4": (
        "tests/faults/test_killed_runner.py::"
        "test_a_runner_that_is_killed_at_any_step_leaves_what_the_next_one_brings_to_its_end_J4_Q4"
    ),
    "tests/races/test_two_runners.py::"
    "test_a_runner_on_another_machine_that_is_gone_is_taken_over_without_waiting_for_its_lease_J4": (
        "tests/app/run/test_loop.py::test_a_run_whose_runner_is_cut_off_is_taken_over_without_waiting_for_its_lease_J4"
    ),
    "tests/scenarios/test_run_socket.py::"
    "test_I2_on_postgresql_a_run_that_has_no_address_of_the_store_works_by_its_socket_alone_I5": (
        "tests/scenarios/test_run_socket.py::test_I2_an_agent_of_a_run_looks_and_hands_in_and_approves_nothing_I5"
    ),
    "tests/adapters/store/test_postgres_roles.py::test_a_writer_lacks_nothing_that_any_verb_writes": (
        "tests/adapters/store/test_postgres_roles.py::test_a_writer_adds_to_the_journal_and_changes_nothing_of_it"
    ),
    "tests/faults/test_killed_commands.py::test_a_killed_log_is_written_whole_or_not_at_all_G4": (
        "tests/faults/test_killed_commands.py::"
        "test_a_killed_approval_counts_whole_or_not_at_all_and_its_exception_reaches_the_mirror_G4_P8"
    ),
}
"""Tests that run at night, or where their file is named, and the one that shows the same by day."""


class Plays(NamedTuple):
    """How many random examples a property is tried on."""

    day: int
    night: int


PLAYS = {
    "random verbs": Plays(3, 200),
    "random verbs of runners": Plays(12, 300),
    "tasks that 64 claim": Plays(66, 200),
    "lines that each of 32 writes": Plays(3, 8),
    "random verbs, copied to the other engine": Plays(1, 30),
    "random loops on sqlite": Plays(5, 600),
    "random loops on postgres": Plays(1, 60),
    "random diffs by git": Plays(5, 60),
    "random histories that are merged": Plays(25, 300),
    "random histories by the real program": Plays(2, 10),
    "random passwords in addresses": Plays(30, 300),
    "random values through the engines": Plays(10, 100),
    "random run ends": Plays(50, 1000),
    "random cycles": Plays(4, 60),
    "run ends of real processes": Plays(8, 30),
    "random values": Plays(30, 300),
}
"""All properties that need a store, git or a socket for every example; `random values` are those of all others."""


def plays(name: str) -> int:
    """How many examples now."""
    return PLAYS[name].night if NIGHT else PLAYS[name].day


STRIDES = {"rows of a journal that are removed": 13, "pages of a store that are noise": 9}
"""Long walks in one test: by day it is every so-many-th step."""


def steps(name: str, every: Sequence[T]) -> Sequence[T]:
    """The steps of a walk that are gone now."""
    return every if NIGHT else every[:: STRIDES[name]]


MOST = {"steps before which a command is killed": 4, "steps before which the command line is killed": 3}
"""Walks of any length: by day they have so many steps, the first and the last among them."""


def spread(name: str, every: Sequence[T]) -> Sequence[T]:
    """The steps of such a walk that are gone now."""
    most = MOST[name]
    if NIGHT or len(every) <= most:
        return every
    return [every[number * (len(every) - 1) // (most - 1)] for number in range(most)]


def day_of(name: str) -> Day:
    """The row that a test's file stands under."""
    return next(row for row in TABLE if name == row.where or name.startswith(row.where + "/"))


def by_day(name: str, variants: Sequence[T]) -> list[T]:
    """The variants of one test that run by day."""
    row = day_of(name)
    many = len(variants) > max(row.most, 24)
    if len(variants) <= row.most or row.stride == 1:
        return list(variants)
    stride = max(row.stride, 5) if many else row.stride
    kept = list(variants[::stride])
    return kept if stride == ALL or (len(variants) - 1) % stride == 0 else [*kept, variants[-1]]


def engine_of(case: Case) -> str:
    """The engine that a case runs on; nothing where that is no parameter of it, or where several are."""
    named = [value for value in case.params.values() if isinstance(value, str) and value in ENGINES]
    return named[0] if len(named) == 1 else ""


def in_one_place(cases: Sequence[T], places: Callable[[T], Sequence[object]]) -> Sequence[T]:
    """Of a test in folders of several names, the cases in the one with the name that is hardest."""
    return [case for case in cases if ODD in places(case)] or cases


class Turns:
    """Whose turn it is on PostgreSQL, file by file or room by room."""

    def __init__(self) -> None:
        self._tests: Counter[str] = Counter()

    def cases(self, name: str, cases: Sequence[T], engine: Callable[[T], str]) -> list[T]:
        """The cases of one test that run by day."""
        row, (sqlite, postgres) = day_of(name), ([case for case in cases if engine(case) == each] for each in ENGINES)
        if not (row.turns and sqlite and postgres and len(sqlite) + len(postgres) == len(cases)):
            return by_day(name, cases)
        kept, place = by_day(name, sqlite), name.rpartition("/")[0] if row.by_room else name
        self._tests[place] += 1
        return kept if (self._tests[place] - 1) % row.turns else [postgres[0], *kept[1:]]


class Case(Protocol):
    """The parameters of a test, once."""

    @property
    def params(self) -> dict[str, object]: ...


def is_left(path: Path, config: pytest.Config) -> bool:
    """Whether a whole file is left for the night."""
    name = path.relative_to(config.rootpath).as_posix() if path.is_relative_to(config.rootpath) else ""
    return name in WHOLE and not NIGHT and not any(name in argument for argument in config.args)


def is_test_left(nodeid: str, config: pytest.Config) -> bool:
    """Whether a test is left for the night, of a file that is not."""
    test, _, _ = nodeid.partition("[")
    named = any(test.partition("::")[0] in argument for argument in config.args)
    return test in TESTS and not NIGHT and not named


class Leaving:
    """Takes out of a run what is one more case of the same, before it becomes an item: that alone took seconds of every
    worker.
    """

    def __init__(self) -> None:
        self._turns = Turns()
        self.left = 0
        self.every: dict[str, set[str]] = defaultdict(set)
        """Which engines the cases of a test run on by night."""
        self.kept: dict[str, set[str]] = defaultdict(set)
        """And which ones now."""

    def pytest_ignore_collect(self, collection_path: Path, config: pytest.Config) -> bool | None:
        return True if is_left(collection_path, config) else None

    @pytest.hookimpl(wrapper=True)
    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> Iterator[None]:
        yield
        name, cases = metafunc.definition.nodeid, metafunc._calls
        is_whole = NIGHT or any("::" in argument for argument in metafunc.config.args)
        if cases and not is_whole:
            here = in_one_place(cases, lambda case: list(case.params.values()))
            metafunc._calls = self._turns.cases(name.partition("::")[0], here, engine_of)
            self.left += len(cases) - len(metafunc._calls)
        self.every[name] |= {engine_of(case) for case in cases}
        self.kept[name] |= {engine_of(case) for case in metafunc._calls}

    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        left = [item for item in items if is_test_left(item.nodeid, config)]
        if left:
            items[:] = [item for item in items if item not in set(left)]
            self.left += len(left)

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        session.config.stash[LEFT] = self.left


LEFT = pytest.StashKey[int]()


class Report:
    """Says at the end of a run how many variants were left for the night, also with several workers."""

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        output = getattr(session.config, "workeroutput", None)
        if output is not None:
            output[KEY] = session.config.stash.get(LEFT, 0)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: object, error: object | None) -> None:
        config: pytest.Config = node.config  # type: ignore[attr-defined]
        left = getattr(node, "workeroutput", {}).get(KEY, 0)
        config.stash[LEFT] = max(config.stash.get(LEFT, 0), left)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
        if left := config.stash.get(LEFT, 0):
            shorter = f"{len(PLAYS) + len(STRIDES) + len(MOST)} random plays and walks are shorter than there"
            most = f"{left} variants and {len(WHOLE)} files left for the night"
            terminalreporter.write_line(f"{most}, and {shorter} (make nightly; tests/stage/night.py)")
