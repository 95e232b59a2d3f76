"""Proposed patches: they fit as a whole or leave no trace, and never reach beyond the worktree (L3)."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from foureyes.adapters import process
from foureyes.adapters.git.checkouts import patch
from foureyes.errors import GitProblem

from tests.adapters.git.workshop_project import Bench, add, bench
from tests.stage import night

FITS = """\
--- a/code.py
+++ b/code.py
@@ -2,3 +2,3 @@
 line 2
-line 3
+line three
 line 4
"""
NEW = "diff --git a/{0} b/{0}\nnew file mode 100644\n--- /dev/null\n+++ b/{0}\n@@ -0,0 +1 @@\n+new\n"


@pytest.fixture(params=["project", night.ODD])
def project(tmp_path: Path, request: pytest.FixtureRequest) -> Bench:
    return bench(tmp_path / request.param)


def state(path: Path) -> dict[str, tuple[int, bytes]]:
    """Every file below, the repository's own too, with its mode and content."""
    found = {}
    for folder, _, files in os.walk(path):
        for name in files:
            full = Path(folder, name)
            mode = full.lstat().st_mode
            found[str(full)] = (mode, os.readlink(full).encode() if stat.S_ISLNK(mode) else full.read_bytes())
    return found


def refused(project: Bench, patch: str, *, at: Path | None = None) -> str:
    """Why a patch is not applied, which leaves everything as it was, around the project too."""
    before = state(project.path.parent)
    tried = project.workshop(at).apply_patch(patch, only_try=True)
    assert state(project.path.parent) == before
    why = project.workshop(at).apply_patch(patch, only_try=False)
    assert state(project.path.parent) == before
    assert why, "it was applied"
    assert why == tried
    return why


def test_a_patch_that_fits_is_tried_without_a_trace_and_then_applied_L3(project: Bench) -> None:
    before = state(project.path)
    assert project.workshop().apply_patch(FITS, only_try=True) == ""
    assert state(project.path) == before
    assert project.workshop().apply_patch(FITS, only_try=False) == ""
    assert "line 2\nline three\nline 4\n" in (project.path / "code.py").read_text()
    assert project.git("status", "--porcelain") == "M code.py", "changed, not staged"


def test_paths_are_relative_to_the_root_wherever_the_caller_stands_L3(project: Bench) -> None:
    project.write("deep/down/x", "x\n")
    assert project.workshop(project.path / "deep" / "down").apply_patch(FITS, only_try=False) == ""
    assert "line three" in (project.path / "code.py").read_text()


def test_a_patch_goes_to_the_worktree_of_the_caller_alone_L3(project: Bench) -> None:
    worktree = add(project)
    assert project.workshop(worktree).apply_patch(FITS, only_try=False) == ""
    assert "line three" in (worktree / "code.py").read_text()
    assert "line three" not in (project.path / "code.py").read_text()


def test_a_patch_may_lack_its_last_line_break_and_stand_among_words_L3(project: Bench) -> None:
    assert project.workshop().apply_patch("Try this:\n\n" + FITS.rstrip("\n"), only_try=False) == ""
    assert "line three" in (project.path / "code.py").read_text()


def test_new_renamed_and_removed_files_are_a_patch_too_L3(project: Bench) -> None:
    project.write("gone.py", "a\nb\n")
    project.commit()
    project.git("mv", "code.py", "core.py")
    project.git("rm", "-q", "gone.py")
    project.write("deep/new.py", "new\n")
    project.git("add", "-A")
    patch = project.git("diff", "--cached", "-M") + "\n"
    assert "rename from code.py" in patch
    project.git("reset", "-q", "--hard")
    assert project.workshop().apply_patch(patch, only_try=False) == ""
    assert sorted(name.name for name in project.path.iterdir() if name.name != ".git") == ["core.py", "deep"]


def test_one_part_that_does_not_fit_keeps_all_of_it_out_L3(project: Bench) -> None:
    project.write("other.py", "something else\n")
    project.commit()
    why = refused(project, FITS + FITS.replace("code.py", "other.py"))
    assert why == "the patch does not fit: patch failed: other.py:2; other.py: patch does not apply"


def test_a_patch_that_was_applied_does_not_fit_again_L3(project: Bench) -> None:
    assert project.workshop().apply_patch(FITS, only_try=False) == ""
    assert "code.py: patch does not apply" in refused(project, FITS)


def test_white_space_has_to_fit_whatever_the_repository_says_L3(project: Bench) -> None:
    project.git("config", "apply.ignoreWhitespace", "change")
    project.git("config", "apply.whitespace", "fix")
    assert "does not apply" in refused(project, FITS.replace(" line 2", "  line  2"))
    assert project.workshop().apply_patch(FITS.replace("line three", "line three  "), only_try=False) == ""
    assert "line three  \n" in (project.path / "code.py").read_text()


OUTSIDE = [
    "../x",
    "deep/../../x",
    ".git/config",
    ".git/hooks/pre-commit",
    ".GIT/config",
    "git~1/x",
    "sub/.git/config",
    ".git",
    "a/../.git/x",
]


@pytest.mark.parametrize("path", OUTSIDE)
@pytest.mark.parametrize("form", ["git", "plain"])
def test_nothing_outside_the_worktree_or_in_the_repository_is_touched_L3(project: Bench, path: str, form: str) -> None:
    project.git("config", "core.protectHFS", "false")
    project.git("config", "core.protectNTFS", "false")
    patch = NEW.format(path)
    refused(project, patch if form == "git" else patch[patch.index("--- ") :])


def test_an_absolute_path_is_refused_L3(project: Bench, tmp_path: Path) -> None:
    target = tmp_path / "outside.txt"
    target.write_text("old\n")
    for prefix in ("", "a"):
        hunk = "@@ -1 +1 @@\n-old\n+new\n"
        refused(project, f"--- {prefix}/{target}\n+++ {prefix}/{target}\n{hunk}")
    refused(project, f"diff --git a/{target} b/{target}\nrename from {target}\nrename to x\n")


def test_a_change_of_the_repositorys_own_settings_is_refused_L3(project: Bench) -> None:
    first = (project.path / ".git" / "config").read_text().splitlines()[0]
    refused(project, f"--- a/.git/config\n+++ b/.git/config\n@@ -1 +1,2 @@\n {first}\n+[x]\n")


def test_no_way_leads_through_a_link_L3(project: Bench, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "file").write_text("old\n")
    os.symlink(tmp_path / "elsewhere", project.path / "link")
    os.symlink(tmp_path / "elsewhere" / "file", project.path / "file")
    assert "beyond a symbolic link" in refused(project, NEW.format("link/x"))
    refused(project, "--- a/link/file\n+++ b/link/file\n@@ -1 +1 @@\n-old\n+new\n")
    refused(project, "--- a/file\n+++ b/file\n@@ -1 +1 @@\n-old\n+new\n")


def test_a_link_that_the_patch_itself_makes_leads_nowhere_L3(project: Bench, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    link = (
        NEW.format("link")
        .replace("100644", "120000")
        .replace("+new\n", f"+{tmp_path}/elsewhere\n\\ No newline at end of file\n")
    )
    assert "beyond a symbolic link" in refused(project, link + NEW.format("link/x"))


def test_the_projects_store_is_not_for_patches_L3(project: Bench) -> None:
    assert "project's store" in refused(project, NEW.format(".foureyes/feedback/x.md"))


@pytest.mark.parametrize(
    "text",
    ["", "please rename it", "+++ b/code.py\n", "1c1\n< a\n> b\n", "*** code.py\n--- code.py\n***************\n"],
)
def test_what_is_no_unified_diff_is_refused_in_a_sentence_L3(project: Bench, text: str) -> None:
    assert refused(project, text) == "this is not a unified diff"


def test_a_broken_patch_is_refused_in_gits_words_L3(project: Bench) -> None:
    assert "corrupt patch" in refused(project, FITS.replace("@@ -2,3 +2,3 @@", "@@ -2,9 +2,9 @@"))
    refused(project, "diff --git something\n")


def test_a_large_patch_is_refused_L3(project: Bench) -> None:
    assert refused(project, FITS + "x" * patch.LARGEST_PATCH) == "the patch is larger than 1 MB"
    assert refused(project, FITS + "ü" * (patch.LARGEST_PATCH // 2)) == "the patch is larger than 1 MB"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("\ud800", "not valid UTF-8"),
        ("+\0\n", "binary"),
        ("GIT binary patch\nliteral 1\n", "binary"),
        ("Binary files a/x and b/x differ\n", "binary"),
    ],
)
def test_what_nobody_can_read_is_refused_L3(project: Bench, text: str, sentence: str) -> None:
    assert sentence in refused(project, FITS + text)


def test_a_refusal_is_short_and_has_no_control_characters_L3(project: Bench) -> None:
    why = refused(project, FITS.replace("code.py", "co\x1b[31mde.py"))
    assert "\x1b" not in why
    assert "[31m" in why
    assert len(refused(project, FITS.replace("code.py", "x" * 3000))) < patch.MAX_REASON + 60


def test_no_program_and_no_hook_of_the_repository_is_run_L3(project: Bench) -> None:
    project.write(".gitattributes", "*.py filter=x diff=x merge=x\n")
    project.commit()
    project.set_traps()
    assert project.workshop().apply_patch(FITS, only_try=False) == ""
    assert "line three" in (project.path / "code.py").read_text()
    assert project.sprung() == ""


def test_a_bare_repository_has_no_files_to_patch_L3(project: Bench, tmp_path: Path) -> None:
    project.git("clone", "-q", "--bare", ".", str(tmp_path / "bare.git"))
    assert "bare repository" in refused(project, FITS, at=tmp_path / "bare.git")


# What git leaves half done


def ready(project: Bench) -> str:
    """A patch of a rename, a link, a removal, a new file and a program, and files as they were before it."""
    os.symlink("there", project.path / "link")
    project.write("run.sh", "#!/bin/sh\n").chmod(0o755)
    project.write("gone/file", "x\n")
    project.commit()
    project.git("mv", "code.py", "core.py")
    project.git("rm", "-q", "gone/file", "link")
    project.write("new.py", "new\n")
    project.write("run.sh", "#!/bin/sh\necho\n")
    project.git("add", "-A")
    patch = project.git("diff", "--cached", "-M") + "\n"
    project.git("reset", "-q", "--hard")
    return patch


def break_git(project: Bench, monkeypatch: pytest.MonkeyPatch, ending: process.Finished | Exception) -> None:
    """From now on git removes every old file, writes one new file, and ends."""
    real = process.run

    def run(argv: list[str], **options: object) -> process.Finished:
        if "apply" not in argv or "--numstat" in argv:
            return real(argv, **options)  # type: ignore[arg-type]
        for name in ("code.py", "link", "run.sh", "gone/file"):
            (project.path / name).unlink()
        (project.path / "gone").rmdir()
        project.write("new.py", "half")
        if isinstance(ending, Exception):
            raise ending
        return ending

    monkeypatch.setattr(process, "run", run)


def test_what_git_did_before_it_failed_is_undone_L3(project: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    patch = ready(project)
    before = state(project.path)
    break_git(
        project,
        monkeypatch,
        process.Finished(128, b"", b"fatal: unable to write file 'new.py': No space left on device\n"),
    )
    why = project.workshop().apply_patch(patch, only_try=False)
    assert why == "the patch could not be applied: unable to write file 'new.py': No space left on device"
    assert state(project.path) == before


def test_what_git_did_before_it_was_ended_is_undone_L3(project: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    patch = ready(project)
    before = state(project.path)
    break_git(project, monkeypatch, process.ProgramTimedOut("git was still running"))
    with pytest.raises(GitProblem, match="still running"):
        project.workshop().apply_patch(patch, only_try=False)
    assert state(project.path) == before


def test_what_could_not_be_put_back_is_named_L3(project: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    patch = ready(project)
    break_git(project, monkeypatch, process.Finished(1, b"", b"error: no\n"))
    monkeypatch.setattr(
        "foureyes.adapters.git.checkouts.patch._is_back", lambda kept: not kept.path.endswith(b"code.py")
    )
    why = project.workshop().apply_patch(patch, only_try=False)
    assert why == f"the patch could not be applied: no. {project.path}/code.py could not be restored"
