"""`GitRemote`: the application's `Remote` port over the git executable."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from hashlib import sha256
from typing import TYPE_CHECKING

from foureyes.adapters.git import objects
from foureyes.adapters.git.client.answers import as_sha, as_text
from foureyes.adapters.git.client.locate import Located, SharedGit
from foureyes.adapters.git.client.ref_files import read_loose
from foureyes.adapters.git.client.transport import (
    ASKING,
    LONGEST,
    ExchangeFolder,
    Transport,
    plain,
    without_credentials,
)
from foureyes.app.git_ports import Address, Moved, Pushed, RefUpdate, TakenAway
from foureyes.core.words.refs import tracked
from foureyes.core.words.text import visible
from foureyes.errors import GitProblem, RemoteProblem
from foureyes.steps import NO_STEP, shell, unshallow

if TYPE_CHECKING:
    from foureyes.adapters import process
    from foureyes.core.words.ids import Sha

_QUIETLY = (
    "--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules", "--no-auto-maintenance", "--no-prune",
    "--no-write-commit-graph",
)  # fmt: skip
_EACH = ("--porcelain", "--no-verify", "--no-follow-tags", "--recurse-submodules=no")
_AS_ONE = ("--atomic", *_EACH)
_WHY = re.compile(r"\[(?:remote )?(?:rejected|failure)\] \((.*)\)$")
_REJECTED = re.compile(r"^!\t.*\t\[(?:remote )?rejected\]", re.MULTILINE)
"""Pattern for a rejection by the remote. An interrupted push prints none."""
_DELETED = re.compile(r"^-\t:(\S+)\t", re.MULTILINE)
_IN = "refs/in/"
_KNOWN = ("refs/foureyes/remote", "refs/heads", "refs/remotes")
_MOST_KNOWN = 2_000


class GitRemote:
    """One remote of a repository."""

    def __init__(self, here: Located, name: str, shared: SharedGit | None = None) -> None:
        self._here, self._name = here, name
        self._shared = shared or SharedGit(here)

    @property
    def name(self) -> str:
        """The remote's name in this repository."""
        return self._name

    def address(self) -> Address:
        """Return the remote's read and push addresses, without credentials."""
        named = self._way.named()
        read, written = (without_credentials(each) for each in self._way.reached)
        shown = visible(read) if read == written else f"{visible(read)} (pushed to {visible(written)})"
        both = f"{read}\0{written}".encode(errors="surrogateescape")
        return Address(sha256(both).hexdigest(), shown, is_split=named[0] != named[1])

    @cached_property
    def _way(self) -> Transport:
        return Transport(self._shared.git, self._here.root, self._name)

    def tips(self, refs: Sequence[str]) -> dict[str, Sha]:
        """Return the current commits of these refs on the remote, in one round trip. Absent refs are left out."""
        with self._way.place() as place:
            return self._tips(place, refs, place.read)

    def _tips(self, place: ExchangeFolder, refs: Sequence[str], address: str) -> dict[str, Sha]:
        wanted = {objects.refs.well_formed(ref, "refs/") for ref in refs}
        if not wanted:
            return {}
        done = place.git("ls-remote", "--refs", "--", address, *sorted(wanted), timeout=ASKING)
        if done.rc:
            raise self._way.problem(done)
        rows = (as_text(line).partition("\t") for line in done.out.splitlines())
        return {ref: sha for name, _, ref in rows if ref in wanted and (sha := as_sha(name))}

    def fetch(self, refs: Sequence[str]) -> dict[str, Sha]:
        """Like tips(), but also bring the objects here, named by `tracked` refs. Moves no user branch."""
        with self._way.place() as place:
            tips = self._tips(place, refs, place.read)
            lacking = self._missing(tips)
            if lacking:
                tips |= self._bring(place, lacking)
        self._note_all(tips)
        return tips

    def _missing(self, tips: dict[str, Sha]) -> list[str]:
        """Return the refs whose commits are absent or incomplete here, for example after an interrupted fetch."""
        known = self._shared.git.lookup.kinds(tips.values())
        here = {ref: sha for ref, sha in tips.items() if sha in known}
        new = {ref: sha for ref, sha in here.items() if not self._is_noted(ref, sha)}
        torn = {} if self._is_whole(*new.values()) else {ref for ref, sha in new.items() if not self._is_whole(sha)}
        return [ref for ref in tips if ref not in here or ref in torn]

    def _is_noted(self, ref: str, commit: Sha) -> bool:
        """Return True if our tracking ref is at this commit. We write that ref only after a complete fetch."""
        return read_loose(self._here.common_dir, tracked(self._name, ref)) == commit

    def _is_whole(self, *tips: Sha) -> bool:
        """Return True if every object that our refs lack is present, by the check git runs after a fetch."""
        args = ("rev-list", "--objects", "--quiet", "--missing=allow-promisor", "--stdin", "--not", "--all")
        return (
            not tips
            or self._shared.git.real(*args, stdin="".join(f"{tip}\n" for tip in tips).encode(), ok=(0, 1, 128)).rc == 0
        )

    def _known(self) -> bytes:
        """Return the commits that are here already, one per line, so that git does not fetch them again. Only complete
        refs of ours are included.
        """
        git = self._shared.git
        names = git.real("for-each-ref", f"--count={_MOST_KNOWN}", "--format=%(objectname)", *_KNOWN).out
        answers = git.real("cat-file", "--batch-check", stdin=names).out.splitlines()
        return b"".join(line.split(b" ")[0] + b"\n" for line in answers if line.split(b" ")[1:2] == [b"commit"])

    def _bring(self, place: ExchangeFolder, refs: list[str]) -> dict[str, Sha]:
        specs = [f"+{ref}:{_IN}{number}" for number, ref in enumerate(refs)]
        known = place.knowing(self._known())
        done = place.git("-c", f"core.alternateRefsCommand={known}", "fetch", *_QUIETLY, "--", place.read, *specs)
        if done.rc:
            problem = self._way.problem(done)
            if problem.kind == "failed" and self._shared.git.lookup.is_shallow:
                text = f"{problem.message} (this clone is shallow and lacks part of the history)"
                raise RemoteProblem(text, kind="failed", next_step=unshallow(self._name))
            raise problem
        for pack in place.packs():
            self._way.take(pack)
        rows = place.git("for-each-ref", "--format=%(objectname) %(refname)", _IN).out.splitlines()
        came = {as_text(name): as_sha(value) for value, name in (row.split(b" ") for row in rows)}
        return {ref: sha for number, ref in enumerate(refs) if (sha := came.get(f"{_IN}{number}"))}

    def _note_all(self, tips: Mapping[str, Sha]) -> None:
        """Update the tracking refs. Ignores a failed write, because the remote's answer is already known."""
        with suppress(GitProblem):
            self._note({ref: commit for ref, commit in tips.items() if not self._is_noted(ref, commit)})

    def _note(self, tips: Mapping[str, Sha]) -> None:
        """Write the remote's commits to our tracking refs, so that git keeps them. Objects that are not commits are
        skipped, because anyone with push access can put one behind a ref.
        """
        git, commits = self._shared.git, self._commits(set(tips.values()))
        notes = {tracked(self._name, ref): sha for ref, sha in tips.items() if sha in commits}
        if objects.refs.keep_all(git, notes):
            return
        for name, commit in notes.items():
            with suppress(GitProblem):
                objects.refs.keep(git, name, commit)

    def _commits(self, names: set[Sha]) -> set[Sha]:
        """Return the names that are commits. If one cannot be read, look each up separately."""
        try:
            return {sha for sha, kind in self._shared.git.lookup.kinds(names).items() if kind == b"commit"}
        except GitProblem:
            if len(names) < 2:
                return set()
        return {sha for each in names for sha in self._commits({each})}

    def push(self, updates: Sequence[RefUpdate]) -> Pushed | Moved:
        """Push all refs or none, each only from its expected commit. Remote hooks apply."""
        for update in updates:
            objects.refs.well_formed(update.ref, "refs/")
        leases = [f"--force-with-lease={update.ref}:{update.old or ''}" for update in updates]
        with self._way.place() as place:
            address = place.written
            done = place.git("push", *_AS_ONE, *leases, "--", address, *(f"{each.new}:{each.ref}" for each in updates))
            answer = Pushed(_said(done)) if done.rc == 0 else self._verified(place, address, updates, done)
        if isinstance(answer, Pushed):
            self._note_all({update.ref: update.new for update in updates})
        return answer

    def _verified(
        self, place: ExchangeFolder, address: str, updates: Sequence[RefUpdate], done: process.Finished
    ) -> Pushed | Moved:
        """Read the remote's refs again, and return the result of a push that failed or was interrupted."""
        try:
            now = self._tips(place, [update.ref for update in updates], address)
        except RemoteProblem:
            raise self._way.problem(done) from None
        if all(now.get(update.ref) == update.new for update in updates):
            return Pushed()
        for update in updates:
            if now.get(update.ref) not in (update.old, update.new):
                return Moved(update.ref, now.get(update.ref))
        words = _said(done) or self._way.problem(done).message
        kind = "refused" if _REJECTED.search(as_text(done.out)) else "unreachable"
        step = (
            self._way.access_check() if kind != "refused" else NO_STEP
        )  # access works, so another look shows nothing new
        if kind == "refused" and (odd := self._in_the_way(place, address, updates)):
            step = shell("git", "push", self._name, f":{odd}")
            words += f". The ref {odd} is in the way until an account with the rights runs: git push "
            words += f"{self._name} :{odd}"
        raise RemoteProblem(f"{self._name} did not take the push: {words}", kind=kind, next_step=step)

    def _in_the_way(self, place: ExchangeFolder, address: str, updates: Sequence[RefUpdate]) -> str:
        """Return a remote ref that conflicts with these names: one below a pushed ref, or one named like a parent
        folder."""
        names = [update.ref.split("/") for update in updates]
        above = {"/".join(parts[:many]) for parts in names for many in range(3, len(parts))}
        below = {f"{update.ref}/*" for update in updates}
        done = place.git("ls-remote", "--refs", "--", address, *sorted(above | below), timeout=ASKING)
        refs = [as_text(line).partition("\t")[2] for line in done.out.splitlines()] if done.rc == 0 else []
        starts = tuple(f"{update.ref}/" for update in updates)
        return next((ref for ref in refs if ref in above or ref.startswith(starts)), "")

    def take_away(self, refs: Mapping[str, Sha]) -> TakenAway:
        """Delete refs on the remote, each only if still at the given commit. Remote hooks apply."""
        for ref in refs:
            objects.refs.well_formed(ref, "refs/")
        leases = [f"--force-with-lease={ref}:{old}" for ref, old in refs.items()]
        with self._way.place() as place:
            address = place.written
            done = place.git("push", *_EACH, *leases, "--", address, *(f":{ref}" for ref in refs))
            went = set(_DELETED.findall(as_text(done.out)))
            if done.rc and not _REJECTED.search(as_text(done.out)):
                raise self._way.problem(done)
            now = self._tips(place, list(refs), address) if done.rc else {}
        for ref in refs:
            self._forget(ref)
        why = _said(done) or "it was not accepted"
        stay = {ref: why if at == refs[ref] else f"it is at {at[:7]} there" for ref, at in now.items()}
        return TakenAway(tuple(ref for ref in refs if ref in went and ref not in now), stay)

    def _forget(self, ref: str) -> None:
        git, name = self._shared.git, tracked(self._name, ref)
        with suppress(GitProblem):
            if (old := objects.refs.at(git, name).value) is not None:
                objects.refs.delete(git, name, old=old)


def _said(done: process.Finished) -> str:
    """Return the remote's message and its reasons for rejecting refs, without git's own wording."""
    lines = [line.removeprefix("remote:").strip() for line in as_text(done.err).splitlines() if line[:7] == "remote:"]
    why = [match.group(1) for line in as_text(done.out).splitlines() if (match := _WHY.search(line))]
    words = [*lines, *(each for each in dict.fromkeys(why) if each not in lines)]
    return plain("; ".join(word for word in words if word)[:LONGEST])
