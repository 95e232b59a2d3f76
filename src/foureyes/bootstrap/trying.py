"""Proposed checks, tried once on what is checked in: what cannot run is left out, what fails is not required (D5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from foureyes.adapters.checks.pipeline import Pipeline
from foureyes.adapters.git.checkouts.following import roots
from foureyes.adapters.git.client.locate import Located
from foureyes.app.gate.checks import NO_TASK
from foureyes.app.gate.running import Telling, record_run
from foureyes.app.views.news import News
from foureyes.bootstrap.detecting import CheckProposal, Detected
from foureyes.bootstrap.places import folder_of, git, is_project, workshop
from foureyes.core.nouns.check import Ran, judge
from foureyes.core.nouns.rewritten import in_words
from foureyes.core.words.globs import matching
from foureyes.core.words.ids import Sha

if TYPE_CHECKING:
    from foureyes.adapters.git.workshop import GitWorkshop
    from foureyes.app.application import Application
    from foureyes.core.nouns.checkout import CheckoutRule
    from foureyes.core.nouns.session import Actor

SHOWN_LINES = 20
"""How much of what a red check printed is shown."""
MOST_WRITTEN = 10
"""So many files of the tree may be proposed as what a check writes; one that writes more is no check of a tree."""


class TriedTree(msgspec.Struct, frozen=True):
    """The tree that checks are tried on, which is also what the target has."""

    shop: GitWorkshop
    tree: Sha

    @property
    def name(self) -> str:
        return self.tree

    def listed(self, globs: Sequence[str]) -> Mapping[str, str]:
        files = self.shop.files_of(self.tree)
        return {path: files[path] for path in matching(files, globs)}

    def of_target(self, globs: Sequence[str]) -> list[Mapping[str, str]]:
        return [self.listed(globs)]

    @property
    def beside(self) -> str:
        return self.tree

    def agreed(self) -> list[Mapping[str, str]]:
        return self.of_target(("**",))

    def agreed_beside(self) -> Mapping[str, str]:
        return {}

    def write_some(self, paths: Sequence[str], path: str) -> None:
        if paths:
            self.shop.export(self.tree, path, paths)


def tried(place: Located, environ: Mapping[str, str], detected: Detected, tell: Telling) -> Detected:
    """Each check, with what came of it, where the gate would run it. A proposed environment that cannot be made here is
    proposed to nobody: then they are tried with what is on the PATH; the project's own is what it is.
    """
    with closing(workshop(place)) as shop:
        head = git(place).commit_of("HEAD")
        tree = shop.tree_of(head) if head else None
        if tree is None:
            nothing = "there is no commit to try it on"
            return replace(detected, checks=tuple(replace(proposal, tried=nothing) for proposal in detected.checks))
        with closing(_pipeline(place, environ)) as pipeline:
            checks = _Each(pipeline, TriedTree(shop, tree), detected.checkout, tell).all(detected.checks)
            broken = next(
                (proposal.ran.unprepared for proposal in checks if proposal.ran and proposal.ran.unprepared), ""
            )
            if not broken:
                return replace(detected, checks=checks)
            if detected.own is not None:
                rest = (
                    replace(proposal, tried=checks[-1].tried, outcome="crashed")
                    for proposal in detected.checks[len(checks) :]
                )
                return replace(detected, checks=(*checks, *rest))
            note = f"no environment is made by {detected.prepare}: {broken}"
            checks = _Each(pipeline, TriedTree(shop, tree), None, tell).all(detected.checks)
            return replace(detected, checks=checks, prepare="", notes=(*detected.notes, note))


def _pipeline(place: Located, environ: Mapping[str, str]) -> Pipeline:
    """What runs checks, as the gate has it: with what is the project's own out of sight, where there is one."""
    folder = folder_of(place)
    if not is_project(folder):
        return Pipeline(environ, roots(place))
    return Pipeline(environ, roots(place), (place.common_dir, folder), store=folder)


class _Each(msgspec.Struct, frozen=True):
    """Tries checks one after the other."""

    pipeline: Pipeline
    tree: TriedTree
    checkout: CheckoutRule | None
    tell: Telling

    def all(self, proposals: Sequence[CheckProposal]) -> tuple[CheckProposal, ...]:
        """In order; where the environment cannot be made, none after the first needs to be tried."""
        done: list[CheckProposal] = []
        for proposal in proposals:
            done.append(self._one(proposal))
            if done[-1].ran is not None and done[-1].ran.unprepared:
                break
        return tuple(done)

    def _one(self, proposal: CheckProposal) -> CheckProposal:
        name = proposal.rule.name
        self.tell(News(f"trying {name}: {proposal.rule.run}"))
        rule = replace(proposal.rule, checkout=self.checkout)
        ran = self.pipeline.run(
            rule,
            lambda path: self.tree.shop.export(self.tree.tree, path),
            lambda line: self.tell(News(f"trying {name}: {line}", printed=True)),
            tree=self.tree,
        )
        verdict = judge(rule, ran)
        written = _to_be_named(ran) if verdict.outcome == "unsound" else ()
        if written:
            rule = replace(rule, writes=written)
            verdict = judge(rule, ran)
        words = f"{verdict.outcome.replace('_', ' ')}: {verdict.summary}"
        words += f"; it {in_words(ran.rewritten)}, which its writes name now: see that it should" if written else ""
        printed = "" if verdict.outcome == "passed" else "\n".join(ran.output.rstrip().split("\n")[-SHOWN_LINES:])
        return replace(
            proposal,
            rule=replace(proposal.rule, required=verdict.outcome != "failed", writes=rule.writes),
            tried=words,
            outcome=verdict.outcome,
            output=printed,
            ran=ran,
            tree=str(self.tree.tree),
        )


def _to_be_named(ran: Ran) -> tuple[str, ...]:
    """What a check wrote on the target itself, for its `writes`; nothing where a glob would mean another path."""
    paths = ran.rewritten.checked
    is_plain = all(path.isprintable() and not set("*?") & set(path) for path in paths)
    return paths if is_plain and len(paths) <= MOST_WRITTEN else ()


def all_kept(app: Application, actor: Actor, detected: Detected) -> list[CheckProposal]:
    """What was tried, on record; nothing of what was not."""
    return [kept(app, actor, proposal, detected.checkout) for proposal in detected.checks]


def kept(app: Application, actor: Actor, proposal: CheckProposal, checkout: CheckoutRule | None) -> CheckProposal:
    """D5: what a check printed that was tried is kept, as of every run."""
    if proposal.ran is None:
        return proposal
    rule = replace(proposal.rule, checkout=checkout)
    with app.context.writing(actor, "check run") as work:
        run = record_run(work, NO_TASK, rule, Sha(proposal.tree), proposal.ran, "target")
    return replace(proposal, run=run)
