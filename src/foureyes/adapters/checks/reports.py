"""Reader for the report of a check. (D5)

A report is the file at `$FOUREYES_REPORT`, the files of a directory there, or files of the checkout that match the
configured globs and that the run wrote. Only plain files of limited size count.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import ExitStack
from functools import cached_property

from msgspec.structs import replace

from foureyes.adapters.checks.checkout import REPORT_PATH, REPORTS
from foureyes.adapters.folders import OddFile, entered, entered_below, opened, walked
from foureyes.core.nouns.check import Ran
from foureyes.core.nouns.check_config import CheckRule
from foureyes.core.words.paths import Tails, matching
from foureyes.core.words.text import visible

# ---- The report of a check (D5) ----

ENDINGS = {"junit": (".xml",), "sarif": (".sarif", ".json")}
MAX_FILES = 20_000

Stamp = tuple[int, int, int]


class Reports:
    """The reports of one run. Create it before the run, read it afterwards, and close it in any case.

    It holds the directories open and so finds the reports even if the check moves them.
    """

    def __init__(self, rule: CheckRule, folder: str, files: CheckedFiles) -> None:
        self._rule = rule
        self._open = ExitStack()
        self._folder, self._work = (self._open.enter_context(entered(path)) for path in (folder, files.root))
        self._files = files
        self._before = dict(self._matching()) if rule.report_files else {}

    def close(self) -> None:
        """Close the directories."""
        self._open.close()

    def read(self, ran: Ran) -> Ran:
        """Return the result with the content of the report added. An invalid report is a problem. (G1)"""
        if self._rule.report == "none" or ran.exit_code is None:
            return ran
        name = REPORTS[self._rule.report]
        try:
            return self._with(ran, self._written() if self._rule.report_files else self._given(name))
        except FileNotFoundError:
            problem = f"no report was written to ${REPORT_PATH} ({name})"
        except OSError as refused:
            problem = f"the report {name} cannot be read: {refused.strerror}"
        except ValueError as wrong:
            problem = str(wrong)
        return replace(ran, problem="; ".join(filter(None, (ran.problem, problem))))

    def _with(self, ran: Ran, reports: list[tuple[str, bytes]]) -> Ran:
        if self._rule.report == "junit":
            from foureyes.adapters.checks import junit_report

            return replace(ran, tests=junit_report.read_all(reports, self._files))
        from foureyes.adapters.checks import sarif_report

        return replace(
            ran, findings=tuple(finding for _, data in reports for finding in sarif_report.read(data, self._files))
        )

    def _given(self, name: str) -> list[tuple[str, bytes]]:
        """Return the file that the check was told to write, or all reports in a directory with that name."""
        if not _is_directory(name, self._folder):
            return [("", _content(name, self._folder, name, LARGEST_REPORT))]
        endings = ENDINGS[self._rule.report]
        files = [at for at in _files(name, self._folder) if at[0].endswith(endings)]
        if not files:
            raise ValueError(f"the report {name} is a directory without a report (*{', *'.join(endings)}) in it")
        return _contents(files, self._folder, name)

    def _written(self) -> list[tuple[str, bytes]]:
        """Return the files that match the globs and that the run wrote. Files of the tree that it did not change do not
        count.
        """
        files = [(path, stamp) for path, stamp in self._matching() if self._before.get(path) != stamp]
        if not files:
            raise ValueError(f"no report was written that matches one of {', '.join(self._rule.report_files)}")
        return _contents(files, self._work, ".")

    def _matching(self) -> Iterator[tuple[str, Stamp]]:
        for path, stamp in _files(".", self._work):
            if matching([path], self._rule.report_files):
                yield path, stamp


def _is_directory(name: str, at: int) -> bool:
    from stat import S_ISDIR

    try:
        return S_ISDIR(os.stat(name, dir_fd=at, follow_symlinks=False).st_mode)
    except OSError:
        return False


def _files(top: str, at: int) -> Iterator[tuple[str, Stamp]]:
    """Yield every file below a directory in order, with its path there. No link is followed. A check may nest a
    thousand folders, so the recursive `os.fwalk` is not used.
    """
    ahead: list[tuple[str, ...]] = [()]
    while ahead:
        below = ahead.pop()
        with ExitStack() as stack:
            try:
                handle = stack.enter_context(entered_below(top, below, at))
            except OSError:  # unreadable, deleted, or now a link
                continue
            entries = sorted(stack.enter_context(os.scandir(handle)), key=lambda entry: entry.name)
            folders = {each.name for each in entries if each.is_dir(follow_symlinks=False)}
            files = {each.name: each.stat(follow_symlinks=False) for each in entries if each.name not in folders}
        ahead += [(*below, name) for name in sorted(folders - LEFT_OUT, reverse=True)]
        for name, status in files.items():
            yield "/".join((*below, name)), (status.st_ino, status.st_mtime_ns, status.st_size)


def _contents(files: list[tuple[str, Stamp]], at: int, top: str) -> list[tuple[str, bytes]]:
    if len(files) > MAX_FILES:
        raise ValueError(f"the report has more than {MAX_FILES:,} files")
    left, contents = LARGEST_REPORT, []
    for path, _ in files:
        data = _content(os.path.join(top, path), at, path, left)
        left -= len(data)
        contents.append((path, data))
    return contents


def _content(path: str, at: int, name: str, most: int) -> bytes:
    """Return the content of a plain file of limited size. Raise ValueError for a link, pipe or device."""
    try:
        with open(opened(path, at=at), "rb") as file:
            data = file.read(most + 1)
    except OddFile as odd:
        raise ValueError(f"the report {visible(name)} is not a plain file: {odd.strerror}") from odd
    if len(data) > most:
        raise ValueError(f"the report {visible(name)} is larger than {LARGEST_REPORT // 1_000_000} MB")
    return data


# ---- The files of a check's checkout ----

MOST_FILES = 200_000
LEFT_OUT = frozenset({".git", "node_modules", ".venv", "venv", "__pycache__", ".tox", ".nox", ".gradle", ".mypy_cache"})
LARGEST_REPORT = 50_000_000


class CheckedFiles:
    """Files below a directory, or none. The check sees that directory as `seen`, inside `place`. Both paths are valid
    in this run only.
    """

    def __init__(self, root: str = "", seen: str = "", place: str = "") -> None:
        self.root = root.rstrip("/")
        self._tops = tuple(f"{path}/" for path in dict.fromkeys((seen.rstrip("/"), self.root)) if path)
        self._paths = (*self._tops, *([f"{place.rstrip('/')}/"] if place.strip("/") else []))

    @cached_property
    def _own(self) -> re.Pattern[str] | None:
        dotted = [path.strip("/").replace("/", ".") + "." for path in self._paths]
        words = "|".join(re.escape(word) for word in [*self._paths, *dotted])
        return re.compile(rf"(?<![\w.-])(?:file://)?(?:{words})") if self._paths else None

    def cut(self, text: str) -> str:
        """Return a text without the paths of this run's checkout."""
        return self._own.sub("", text) if self._own is not None else text

    def relative(self, path: str) -> str:
        """Return a path relative to the top of the tree, if it is below it."""
        top = next((top for top in self._tops if path.startswith(top)), "")
        return path.removeprefix(top).removeprefix("./")

    def find(self, path: str, near: list[str] | None = None) -> str:
        """Return the file of the tree for a path: an exact match, or the only file whose path ends with it."""
        own = self.relative(path.strip().removeprefix("file://").replace("\\", "/"))
        if not own or not self.root or own.startswith(("/", "../")):
            return ""
        return own if own in self._tails else self._tails.ending(own, near or ())

    def longest(self, path: str) -> str:
        """Like find(), but also accept the longest end of the path that the tree has, for a path of another clone."""
        return self.find(path) or (self._tails.longest(path) if self.root else "")

    @cached_property
    def _tails(self) -> Tails:
        return Tails(self._below())

    def _below(self) -> Iterator[str]:
        number, start = 0, len(self.root) + 1
        for folder, folders, names in walked(self.root):
            folders[:] = [name for name in folders if name not in LEFT_OUT]
            for name in names:
                number += 1
                if number > MOST_FILES:
                    return
                path = os.path.join(folder, name)[start:]
                if path.isprintable():  # what cannot be shown is no place
                    yield path
