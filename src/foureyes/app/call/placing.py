"""Where the store lies, as its journal says and as it was found; and whether it knows the merges of the target (P12,
J3).
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from foureyes.app.call.noted_target import furthest_target, tip_of
from foureyes.app.call.recorded_target import last_merge
from foureyes.app.call.refusals import refuse_task
from foureyes.core.words.ids import NO_ROW, Sha, anchored_row
from foureyes.core.words.place import place_words
from foureyes.errors import GitProblem, Reason, StoreProblem
from foureyes.steps import by_person, fe, phrase

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from foureyes.app.call.context import Context
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


def lost_anchor(context: Context, tx: Tx, project: ProjectView, *, ref: str = "") -> str:
    """J3: an anchor on the target that this store does not hold. What the target has up to the adopted commit counts as
    held, and what lies behind the last merge was compared when that was made. `ref`: what git calls the target, if not
    what is known of it here (Q6).
    """
    repo, target = context.repo, ref or furthest_target(context, tx, project)
    since, adopted = _sent_there(context, tx, target) or _last(tx, project), _adopted(context, project)
    held = partial(held_of, tx)
    if repo.last_anchor(target, since, held=held, adopted=adopted) is None:
        return ""
    return repo.last_anchor(target, since, held=held, adopted=adopted, work=_work(tx)) or ""


def lost_now(context: Context, tx: Tx, project: ProjectView, told: Sha | None = None) -> tuple[str, str]:
    """J3, P12: the last anchor that the store lacks, and the commit of the target up to which a person adopts it.
    `told`: where the remote has it; else it is what this clone has.
    """
    at = told or furthest_target(context, tx, project)
    tip = told or tip_of(context, project, at) or ""
    return lost_anchor(context, tx, project, ref=tip or at), tip


def _adopted(context: Context, project: ProjectView) -> Sha | None:
    """Where the target was when the store was made or adopted, if that commit is in this clone."""
    at = Sha(project.adopted or "")
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


def held_of(tx: Tx, anchors: Sequence[str]) -> set[str]:
    """J3: those of some anchors `<row>:<hash>` of which the journal has the row: one question for all of them."""
    from foureyes.app.views.journal import JournalHead

    named = {anchor: row for anchor in anchors if (row := anchored_row(anchor)) < NO_ROW}
    rows = tx.all("journal.some", JournalHead, seqs=sorted(set(named.values()))) if named else []
    there = {row.seq: row.hash for row in rows}
    return {anchor for anchor, row in named.items() if there.get(row) == anchor.partition(":")[2]}


def misplaced(context: Context, tx: Tx, project: ProjectView, *, told: Sha | None = None) -> list[str]:
    """Everything that says that this is not the store of the target: a sentence each. `told`: where the remote has
    it.
    """
    sentences = [found_elsewhere(context, project)]
    try:
        anchor = lost_anchor(context, tx, project, ref=told or "")
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
