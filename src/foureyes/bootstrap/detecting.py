"""Which checks a repository seems to have, and how their environment is made: read from its own files, so that `fe
init` can propose them. Runs nothing.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from foureyes.bootstrap import detecting_node, detecting_others, detecting_python
from foureyes.bootstrap.looking import LEFT_OUT, FolderFiles
from foureyes.core.nouns.check import CheckOutcome, Ran
from foureyes.core.nouns.check_config import CheckoutRule, CheckRule
from foureyes.core.words.check_output import report_line

if TYPE_CHECKING:
    from foureyes.config.settings import SettingValue

MOST_PARTS = 6
"""So many projects of a repository are proposed; who has more writes them down."""
AROUND = ("packages", "apps", "services", "libs")
"""Directories that hold projects of a monorepo."""


class CheckProposal(msgspec.Struct, frozen=True):
    """A check, where it comes from, and what came of trying it; `output` is the end of what it printed, all of which is
    kept as run `run`.
    """

    rule: CheckRule
    source: str
    tried: str = ""
    outcome: CheckOutcome | None = None
    output: str = ""
    ran: Ran | None = None
    tree: str = ""
    run: int = 0
    reporting: str = ""
    """The line that turns a report on, where its tool could write one and does not."""

    @property
    def is_of_use(self) -> bool:
        """Untried, or it ran on the tree: a check that cannot would refuse every approval, and so would a report in
        which no test passes (D5).
        """
        is_empty = self.outcome == "failed" and self.rule.report == "junit" and not self.rule.required
        return self.outcome not in ("crashed", "timed_out", "unsound") and not is_empty

    @property
    def is_red(self) -> bool:
        """It fails on the target as it is (D5)."""
        return self.outcome == "failed"


class Detected(msgspec.Struct, frozen=True):
    """What a repository seems to have: checks, ways to make their environment, the best one first, and what there is to
    say. `own`: the checkout that its configuration has already, and that they would run in.
    """

    checks: tuple[CheckProposal, ...] = ()
    ways: tuple[CheckoutRule, ...] = ()
    notes: tuple[str, ...] = ()
    own: CheckoutRule | None = None

    @property
    def checkout(self) -> CheckoutRule | None:
        rule = self.own or next(iter(self.ways), None)
        return rule if rule is not None and rule.matters else None

    @property
    def prepare(self) -> str:
        """What makes the environment that is proposed; empty where nothing says it."""
        return self.ways[0].prepare if self.ways else ""

    @property
    def settings(self) -> dict[str, SettingValue]:
        """The environment that is proposed, as settings."""
        way = self.ways[0] if self.ways else CheckoutRule()
        parts = {"checkout.prepare": way.prepare, "checkout.build": way.build}
        return {key: value for key, value in parts.items() if value}


def checks_in(root: str) -> list[CheckProposal]:
    """The checks alone."""
    return list(detected_in(root).checks)


def detected_in(root: str) -> Detected:
    """What lies at the top; where that is nothing, what lies in the projects below."""
    look = FolderFiles(root)
    detected = _at(look, whatever=True)
    detected = detected if detected.checks else _below(look)
    return replace(detected, notes=(*detected.notes, *_said(look))) if detected.checks else detected


Detector = tuple[str, Callable[[FolderFiles], list[CheckRule]]]


def _at(look: FolderFiles, *, whatever: bool = False) -> Detected:
    """Proposals in the order Python, Node, Rust, Go, JVM. `whatever`: where none of these says it, a Makefile, else a
    justfile; and pre-commit where there is no lint.
    """
    sources: list[Detector] = [
        (detecting_python.source_of(look), detecting_python.checks_of),
        (detecting_node.source_of(look), detecting_node.checks_of),
        ("Cargo.toml", detecting_others.cargo),
        ("go.mod", detecting_others.go),
        (look.first("pom.xml", *detecting_others.GRADLE), detecting_others.jvm),
    ]
    proposals = _taken(look, sources)
    if whatever:
        proposals = proposals or _taken(look, [("Makefile", detecting_others.make)])
        proposals = proposals or _taken(look, [(look.first(*detecting_others.JUST), detecting_others.just)])
        is_linted = any(proposal.rule.name in ("lint", "checks", "quality") for proposal in proposals)
        proposals += [] if is_linted else _taken(look, [(detecting_others.PRE_COMMIT, detecting_others.pre_commit)])
    names: dict[str, CheckProposal] = {}
    for proposal in proposals:
        names.setdefault(proposal.rule.name, proposal)
    lost = {proposal.source for proposal in proposals} - {proposal.source for proposal in names.values()}
    return Detected(tuple(names.values()), _ways(look, lost) if names else ())


def _taken(look: FolderFiles, sources: list[Detector]) -> list[CheckProposal]:
    return [
        CheckProposal(rule, source, reporting=_reporting(look, rule))
        for source, checks in sources
        if source
        for rule in checks(look)
    ]


def _reporting(look: FolderFiles, rule: CheckRule) -> str:
    return report_line(detecting_node.script_of(look, rule.run)) if rule.report == "none" else ""


def _ways(look: FolderFiles, lost: Collection[str]) -> tuple[CheckoutRule, ...]:
    """What the checks need. `lost`: the files of which no check is left, because others have those names."""
    plain = (detecting_others.cargo_prepare, detecting_others.go_prepare, detecting_others.jvm_prepare)
    others = [[CheckoutRule(prepare=how)] for prepare in plain if (how := prepare(look))]
    node = [] if "package.json" in lost else detecting_node.ways_of(look)
    return _together([detecting_python.ways_of(look), node, *others])


def _together(parts: Sequence[Sequence[CheckoutRule]]) -> tuple[CheckoutRule, ...]:
    """One environment of several: the first way of each, then the second; of one that has no more, its last."""
    rows = [[ways[min(number, len(ways) - 1)] for ways in parts if ways] for number in range(max(map(len, parts)))]
    return tuple(
        CheckoutRule(
            prepare=" && ".join(way.prepare for way in row), build=" && ".join(way.build for way in row if way.build)
        )
        for row in rows
    )


def _below(look: FolderFiles) -> Detected:
    """The projects of a monorepo that has nothing at its top, each by a check that begins there."""
    checks: list[CheckProposal] = []
    ways: list[list[CheckoutRule]] = [[]]
    parts = [part for part in _parts(look) if _at(FolderFiles(os.path.join(look.root, part))).checks]
    for part in parts[:MOST_PARTS]:
        detected = _at(FolderFiles(os.path.join(look.root, part)))
        ways.append([_way_in(part, way) for way in detected.ways])
        checks += [
            replace(proposal, rule=_in(part, proposal.rule), source=f"{part}/{proposal.source}")
            for proposal in detected.checks
        ]
    left = len(parts) - MOST_PARTS
    notes = [f"several projects in one repository; {left} more are not proposed"] if left > 0 else []
    notes = notes or (["several projects in one repository"] if len(parts) > 1 else [])
    return Detected(tuple(checks), _together(ways), tuple(notes))


def _parts(look: FolderFiles) -> list[str]:
    """Directories that may hold a project, with plain names."""
    tops = [name for name in look.names() if look.is_folder(name) and name not in LEFT_OUT]
    inner = [f"{around}/{name}" for around in AROUND for name in look.names(around)]
    return [name for name in (*tops, *inner) if re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9_/.-]*", name)]


def _way_in(part: str, way: CheckoutRule) -> CheckoutRule:
    prepare, build = (f"(cd {part} && {how})" if how else "" for how in (way.prepare, way.build))
    return CheckoutRule(prepare=prepare, build=build)


def _in(part: str, rule: CheckRule) -> CheckRule:
    name = f"{rule.name}-{re.sub(r'[^A-Za-z0-9_-]+', '-', part)}"[:40]
    return replace(rule, name=name, run=f"cd {part} && {rule.run}")


def _said(look: FolderFiles) -> list[str]:
    """What somebody should know before the checks run."""
    notes = []
    if detecting_node.is_workspace(look) or look.has("go.work"):
        notes.append("a workspace of several packages: the checks are those of its top")
    if look.is_large():
        notes.append("a large repository: these checks read all of it and may take long (timeout_minutes is 10)")
    return notes
