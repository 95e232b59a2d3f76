"""Where the store lies, as its journal says and as it was found; and whether it knows the merges of the target (P12,
J3).
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from foureyes.app.call.noted_target import branch_here, furthest_target, tip_of
from foureyes.app.call.recorded_target import last_merge
from foureyes.app.call.refusals import refuse_task
from foureyes.core.words.ids import NO_ROW, Sha, anchored_row
from foureyes.core.words.place import FILE, place_words
from foureyes.errors import GitProblem, Reason, StoreProblem
from foureyes.steps import by_person, fe, phrase

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from foureyes.app.call.context import Context
    from foureyes.app.git_ports import HeldAnchors
    from foureyes.app.ports import Tx
    from foureyes.app.views.project import ProjectView
    from foureyes.core.words.ids import TaskId

ADOPT = fe("store", "adopt", "-m", phrase("why it is here"))
MERGES_WITHIN = 500
"""Among so many commits of the target merges are looked for that the store does not know."""


def found_elsewhere(context: Context, project: ProjectView) -> str:
    """P12: that the store is not where its journal says; empty where it is, or where nothing is on record."""
    recorded, place = project.place, context.store.place
    if not recorded or not place or recorded == place:
        return ""
    return f"the journal says that the store lies {place_words(recorded)}, and this one was found {place_words(place)}"


def unplaced(context: Context, project: ProjectView) -> str:
    """P12: that a shared store does not say where it lies: it was made before journals did."""
    if project.place or context.store.place in ("", FILE):
        return ""
    return "the journal does not say where the store lies, so a copy of it elsewhere would not be told from it"


def lost_anchor(
    context: Context, tx: Tx, project: ProjectView, *, near: bool = False, since: Sha | None = None, ref: str = ""
) -> str:
    """J3: the last anchor on the target, if this store neither holds it nor was taken up without it. `near`: as far as
    that can be told without a walk through its history, which only shows whether what was met counts. `since`: a commit
    that was looked at before, with all behind it. `ref`: what git calls the target, if not what is known of it here
    (Q6).
    """
    repo, target = context.repo, ref or furthest_target(context, tx, project)
    taken = _taken_at(context, project)
    taken_up = "" if taken else project.anchor or ""

    def held(anchors: Sequence[str]) -> set[str]:
        """Those in the journal, and the one without which the store was taken up, where no commit says since when."""
        return {taken_up} | held_of(tx, anchors)

    last = _last(tx, project)
    if near and _near(context, project, target, last, held, taken) is None:
        return ""
    known, behind = _sent_there(context, tx, target) or since or last, since is None
    if repo.last_anchor(target, known, behind=behind, held=held, taken=taken) is None:
        return ""
    work = _work(tx)
    lost = repo.last_anchor(target, known, behind=behind, held=held, taken=taken, work=work) or ""
    is_before = bool(lost and taken_up) and anchored_row(lost) < anchored_row(taken_up)
    # What was lost before the store was taken up counts as taken up with it; not what was lost since.
    is_taken_up = is_before and repo.last_anchor(target, known, held=partial(held_of, tx), work=work) == taken_up
    return "" if is_taken_up else lost


def lost_now(context: Context, tx: Tx, project: ProjectView, told: Sha | None = None) -> tuple[str, str]:
    """J3, P12: what a person takes up who adopts the store: the last anchor that it lacks, and the commit of the target
    up to which that was looked for. `told`: where the remote has it; else it is what this clone has.
    """
    at = told or furthest_target(context, tx, project)
    tip = told or tip_of(context, project, at) or ""
    return lost_anchor(context, tx, project, ref=tip or at), tip


def _taken_at(context: Context, project: ProjectView) -> Sha | None:
    """Where the target was when the store was taken up, if that is on record and in this clone: all that it had then
    was taken up with it, and nothing that came later, whichever row that names.
    """
    at = Sha(project.taken_at or "")
    return at if at and context.repo.commit_of(at) is not None else None


def _last(tx: Tx, project: ProjectView) -> Sha | None:
    """The last merge, or where the target was when a person made it so."""
    return last_merge(tx) or (Sha(project.tip) if project.tip else None)


def _sent_there(context: Context, tx: Tx, at: str) -> Sha | None:
    """Q4: a merge of this store that was pushed and is on the target: what lies behind it was looked at before."""
    from foureyes.app.call.merge_intents import sent_merges

    repo, sent = context.repo, [row.made for row in sent_merges(tx).values()]
    tip = repo.commit_of(at) if sent else None
    return next((made for made in sent if tip is not None and (made == tip or repo.is_ancestor(made, tip))), None)


def _work(tx: Tx) -> set[Sha]:
    """Commits of tasks that are approved or on the target: who made one wrote its message."""
    from foureyes.app.call.known_commits import approved_commits, brought_by_tasks

    return brought_by_tasks(tx) | approved_commits(tx)


def _near(
    context: Context, project: ProjectView, target: str, last: Sha | None, held: HeldAnchors, taken: Sha | None
) -> str | None:
    """What is not held of what the remote has more than this clone; else of the newest commits of the branch here."""
    repo = context.repo
    is_more = target != project.target
    here = branch_here(context, project.target) if is_more else None
    more = repo.last_anchor(target, here, held=held, taken=taken) if is_more else None
    return more or repo.near_anchor(project.target, last, held, taken)


def held_of(tx: Tx, anchors: Sequence[str]) -> set[str]:
    """J3: those of some anchors `<row>:<hash>` of which the journal has the row: one question for all of them."""
    from foureyes.app.views.journal import JournalHead

    named = {anchor: row for anchor in anchors if (row := anchored_row(anchor)) < NO_ROW}
    rows = tx.all("journal.some", JournalHead, seqs=sorted(set(named.values()))) if named else []
    there = {row.seq: row.hash for row in rows}
    return {anchor for anchor, row in named.items() if there.get(row) == anchor.partition(":")[2]}


def misplaced(
    context: Context, tx: Tx, project: ProjectView, *, near: bool = False, told: Sha | None = None
) -> list[str]:
    """Everything that says that this is not the store of the target: a sentence each. `told`: where the remote has
    it.
    """
    sentences = [found_elsewhere(context, project)]
    try:
        anchor = lost_anchor(context, tx, project, near=near, ref=told or "")
    except (GitProblem, StoreProblem) as problem:
        return [*filter(None, sentences), f"whether it lacks a merge of the target cannot be told: {problem.message}"]
    if anchor:
        sentences.append(
            f"the last merge on {project.target} names a row ({anchor[:20]}) that this store does not have: it is an "
            "older state or a copy"
        )
    return [sentence for sentence in sentences if sentence]


def unread_anchor(context: Context, tx: Tx, project: ProjectView) -> GitProblem | StoreProblem | None:
    """Why the anchors on the target cannot be compared, if so: then nothing says that this is another store."""
    try:
        lost_anchor(context, tx, project)
    except (GitProblem, StoreProblem) as problem:
        return problem
    return None


def merged_there(context: Context, target: str) -> dict[str, Sha]:
    """P12: tasks whose merge is on the target, for a store that lacks the last one: it may take them for open. `target`
    is what git calls it.
    """
    merges = [commit for commit in context.repo.history(target, MERGES_WITHIN).commits if len(commit.parents) > 1]
    line = context.repo.line(target, MERGES_WITHIN)
    return {task: commit.sha for commit in (*merges, *line) for task in commit.tasks}


def merged_reason(task: str, merged: Mapping[str, Sha]) -> Reason | None:
    """P12: why nobody works on what is merged already, as long as nobody took up the store that lacks the merge."""
    if task not in merged:
        return None
    text = f"its merge is on the target ({merged[task][:7]}), and this store, an older state or a copy, lacks it"
    return Reason("P12", text, by_person(ADOPT))


def refuse_merged(task: TaskId, merged: Mapping[str, Sha]) -> None:
    """P12: what is merged already is not started."""
    if (reason := merged_reason(task, merged)) is not None:
        refuse_task(task, "was not started", reason)
