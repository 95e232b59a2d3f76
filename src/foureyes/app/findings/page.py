"""Findings as faces show them."""

from __future__ import annotations

from foureyes.app.views.finding import FindingView
from foureyes.core.loop.next_steps import state_in_words
from foureyes.core.nouns.finding import UNRESOLVED, Finding, Location


def view_of(one: Finding, now: str, names: dict[str, str], iteration: int = 0) -> FindingView:
    """A finding for every face. It stands for as many rounds as there were since; a settled one stood until it was last
    flagged.
    """
    last = max(iteration, one.flagged) if one.state in UNRESOLVED else one.flagged
    return FindingView(
        id=one.id,
        root=one.root,
        task=one.task,
        kind=one.kind,
        severity=one.severity,
        blocking=one.blocking,
        state=one.state,
        title=one.title,
        location=Location(one.path, one.line),
        problem=one.problem,
        fix=one.fix,
        why=one.why,
        quote=one.quote,
        fix_patch=one.fix_patch,
        rule=one.rule,
        source=one.source,
        check=one.by_check,
        by=names.get(one.session, one.session),
        raised=one.raised,
        flagged=one.flagged,
        flags=one.flags,
        rounds=last - one.raised + 1,
        note=one.note,
        anchored=one.anchored,
        waiting=one.waiting,
        must_fix=one.must_fix,
        left_diff=one.left_diff,
        answer=one.answer,
        ruling=one.ruling,
        false_fixes=one.false_fixes,
        waived_until=one.waived_until,
        expired=one.state == "waived" and not one.is_waived(now),
        tracked=one.tracked,
        alike=one.alike,
        holds=one.holds(now),
        state_in_words=state_in_words(one, now),
    )
