"""Checkpoints: refs to tag objects that record name and time. (K2)"""

from __future__ import annotations

import re
from datetime import UTC, datetime

from foureyes.adapters.git.client.answers import as_sha, as_text
from foureyes.adapters.git.client.git import EMAIL, NAME, Git
from foureyes.adapters.git.objects import refs
from foureyes.adapters.git.reading import history
from foureyes.app.results.work import CheckpointView
from foureyes.core.words.ids import TASK_INPUT, Sha
from foureyes.errors import BadInput, Conflict, GitProblem
from foureyes.steps import fe

PLACE = refs.OURS + "checkpoints/"
_NO_TASK = "_"
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,63}\Z")
_FORMAT = "%00".join(
    f"%({field})"
    for field in (
        "refname",
        "objectname",
        "*objectname",
        "creatordate:unix",
        "subject",
        "*subject",
        "objecttype",
        "*objecttype",
    )
)
_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z\Z")


def add(git: Git, task: str, name: str, commit: Sha, at: datetime) -> None:
    """Create a checkpoint. A repeated call does nothing. Raise Conflict if the name has another commit."""
    ref = _ref(task, name)
    if history.known(git, commit) == [None]:
        raise GitProblem(f"{commit} is not a commit of this repository")
    if _commit_at(git, ref) is None and refs.create(git, ref, _tag(git, name, commit, at)):
        return
    if _commit_at(git, ref) != commit:
        raise Conflict(f"the checkpoint {name} already exists, at another commit", next_step=fe("checkpoint", "list"))


def listed(git: Git) -> list[CheckpointView]:
    """Return all checkpoints, the newest first."""
    out = git.real("for-each-ref", f"--format={_FORMAT}", PLACE).out
    views = [
        view for line in out.split(b"\n") if line and (view := _view([as_text(word) for word in line.split(b"\0")]))
    ]
    return sorted(sorted(views, key=lambda view: (view.task, view.name)), key=lambda view: view.at, reverse=True)


def drop(git: Git, task: str, name: str, sha: Sha) -> bool:
    """Delete a checkpoint if it is at this commit. Return True if deleted."""
    ref = _ref(task, name)
    value = refs.at(git, ref).value
    return value is not None and _commit_at(git, ref) == sha and refs.delete(git, ref, old=value)


def _ref(task: str, name: str) -> str:
    if task and not TASK_INPUT.match(task):
        raise BadInput(f"{task!r} is not the id of a task")
    ref = f"{PLACE}{task or _NO_TASK}/{name}"
    if not _NAME.match(name):
        raise BadInput(
            f"a checkpoint cannot be called {name!r}. Use up to 64 letters, digits, dots, underscores and dashes"
        )
    try:
        return refs.well_formed(ref, PLACE)
    except GitProblem as problem:
        raise BadInput(f"a checkpoint cannot be called {name!r}, because git does not allow that name") from problem


def _commit_at(git: Git, ref: str) -> Sha | None:
    out = git.real("for-each-ref", "--format=%(refname)%00%(objectname)%00%(*objectname)", ref).out
    rows = [line.split(b"\0") for line in out.splitlines()]
    return next((as_sha(peeled or value) for name, value, peeled in rows if as_text(name) == ref), None)


def _tag(git: Git, name: str, commit: Sha, at: datetime) -> Sha:
    tagger = f"{NAME} <{EMAIL}> {int(at.timestamp())} +0000"
    text = f"object {commit}\ntype commit\ntag {name}\ntagger {tagger}\n\n{_stamp(at)}\n"
    made = as_sha(git.store("hash-object", "-t", "tag", "-w", "--stdin", stdin=text.encode()).out.strip())
    if made is None:
        raise GitProblem("git hash-object named no object")
    return made


def _view(words: list[str]) -> CheckpointView | None:
    """Return the checkpoint of a ref, or None for a ref that Foureyes did not create."""
    ref, value, peeled, seconds, subject, peeled_subject, kind, peeled_kind = words
    task, _, name = ref.removeprefix(PLACE).partition("/")
    sha = as_sha(peeled if kind == "tag" else value)
    if not name or "/" in name or sha is None or (peeled_kind or kind) != "commit":
        return None
    at = subject if kind == "tag" and _MOMENT.match(subject) else _moment(seconds)
    return CheckpointView("" if task == _NO_TASK else task, name, sha, at, peeled_subject if kind == "tag" else subject)


def _moment(seconds: str) -> str:
    return _stamp(datetime.fromtimestamp(int(seconds) if seconds.isdigit() else 0, UTC))


def _stamp(moment: datetime) -> str:
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
