"""Which checks a repository seems to have, and how their environment is made: read from its own files, so that `fe
init` can propose them. Runs nothing.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable

import msgspec
from msgspec.structs import replace

from foureyes.bootstrap import detecting_node, detecting_others, detecting_python
from foureyes.bootstrap.looking import LEFT_OUT, FolderFiles
from foureyes.core.nouns.check import CheckOutcome, Ran
from foureyes.core.nouns.check_rule import CheckRule
from foureyes.core.nouns.checkout import CheckoutRule

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

    @property
    def is_of_use(self) -> bool:
        """Untried, or it ran on the tree: a check that cannot would refuse every approval (D5)."""
        return self.outcome not in ("crashed", "timed_out", "unsound")

    @property
    def is_red(self) -> bool:
        """It fails on the target as it is: required, it would refuse every approval, too (D5)."""
        return self.outcome == "failed"


class Detected(msgspec.Struct, frozen=True):
    """What a repository seems to have: checks, what makes their environment (empty where nothing says it), and what
    there is to say. `own`: the checkout that its configuration has already, and that they would run in.
    """

    checks: tuple[CheckProposal, ...] = ()
    prepare: str = ""
    notes: tuple[str, ...] = ()
    own: CheckoutRule | None = None

    @property
    def checkout(self) -> CheckoutRule | None:
        rule = self.own or CheckoutRule(prepare=self.prepare)
        return rule if rule.matters else None


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
    return Detected(tuple(names.values()), _prepare(look) if names else "")


def _taken(look: FolderFiles, sources: list[Detector]) -> list[CheckProposal]:
    return [CheckProposal(rule, source) for source, checks in sources if source for rule in checks(look)]


def _prepare(look: FolderFiles) -> str:
    ways = (
        detecting_python.prepare_of,
        detecting_node.prepare_of,
        detecting_others.cargo_prepare,
        detecting_others.go_prepare,
        detecting_others.jvm_prepare,
    )
    return " && ".join(how for prepare in ways if (how := prepare(look)))


def _below(look: FolderFiles) -> Detected:
    """The projects of a monorepo that has nothing at its top, each by a check that begins there."""
    checks: list[CheckProposal] = []
    prepares: list[str] = []
    parts = [part for part in _parts(look) if _at(FolderFiles(os.path.join(look.root, part))).checks]
    for part in parts[:MOST_PARTS]:
        detected = _at(FolderFiles(os.path.join(look.root, part)))
        prepares += [f"(cd {part} && {detected.prepare})"] if detected.prepare else []
        checks += [
            replace(proposal, rule=_in(part, proposal.rule), source=f"{part}/{proposal.source}")
            for proposal in detected.checks
        ]
    left = len(parts) - MOST_PARTS
    notes = [f"several projects in one repository; {left} more are not proposed"] if left > 0 else []
    notes = notes or (["several projects in one repository"] if len(parts) > 1 else [])
    return Detected(tuple(checks), " && ".join(prepares), tuple(notes))


def _parts(look: FolderFiles) -> list[str]:
    """Directories that may hold a project, with plain names."""
    tops = [name for name in look.names() if look.is_folder(name) and name not in LEFT_OUT]
    inner = [f"{around}/{name}" for around in AROUND for name in look.names(around)]
    return [name for name in (*tops, *inner) if re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9_/.-]*", name)]


def _in(part: str, rule: CheckRule) -> CheckRule:
    name = f"{rule.name}-{re.sub(r'[^A-Za-z0-9_-]+', '-', part)}"[:40]
    return replace(rule, name=name, run=f"cd {part} && {rule.run}")


def _said(look: FolderFiles) -> list[str]:
    """What somebody should know before the checks run."""
    notes = []
    if detecting_node.is_workspace(look) or look.has("go.work"):
        notes.append("a workspace of several packages: the checks are those of its top")
    if look.is_large():
        notes.append("a large repository: these checks look at all of it and may take long (timeout_minutes is 10)")
    return notes
