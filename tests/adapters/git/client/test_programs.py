"""Q2: which programs a repository's own configuration names."""

from __future__ import annotations

from pathlib import Path

import pytest

from foureyes.errors import GitProblem

from tests.adapters.git.workshop_project import Bench, bench


@pytest.fixture
def project(tmp_path: Path) -> Bench:
    return bench(tmp_path / "project")


@pytest.mark.parametrize(
    "key",
    """merge.ours.driver filter.lfs.smudge filter.lfs.clean filter.a.b.process diff.x.textconv diff.x.command diff.external
    core.fsmonitor core.alternateRefsCommand uploadpack.packObjectsHook gpg.program gpg.ssh.program trailer.x.cmd""".split(),
)
def test_a_setting_that_names_a_program_is_listed_Q2(project: Bench, key: str) -> None:
    project.git("config", key, "evil --now")
    assert project.workshop().programs_named() == [key]


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("core.fsmonitor", "true"), ("core.fsmonitor", "off"), ("core.fsmonitor", ""), ("filter.lfs.smudge", ""),
        ("filter.lfs.required", "true"), ("merge.ours.name", "x"), ("core.hooksPath", ".husky/_"), ("alias.x", "!evil"),
        ("credential.helper", "store"), ("core.editor", "vi"), ("core.pager", "less"), ("core.sshCommand", "ssh -i x"),
        ("diff.x.xfuncname", "x"), ("remote.origin.url", "https://example.org"),
    ],
)  # fmt: skip
def test_what_the_gate_never_runs_is_not_listed_Q2(project: Bench, key: str, value: str) -> None:
    project.git("config", key, value)
    assert project.workshop().programs_named() == []


def test_what_the_user_configured_is_not_the_repositorys_Q2(project: Bench, home: Path) -> None:
    project.git("config", "--global", "filter.lfs.smudge", "git-lfs smudge")
    assert project.workshop().programs_named() == []


def test_included_files_and_worktree_settings_count_Q2(project: Bench, tmp_path: Path) -> None:
    included = tmp_path / "more"
    included.write_text('[merge "Ours"]\n\tdriver = true\n[diff]\n\texternal = evil\n')
    project.git("config", "include.path", str(included))
    project.git("config", "extensions.worktreeConfig", "true")
    linked = tmp_path / "linked"
    project.git("worktree", "add", "-q", str(linked))
    project.git("config", "--worktree", "filter.main.clean", "evil")
    project.git("config", "--worktree", "filter.linked.clean", "evil", cwd=linked)
    assert project.workshop().programs_named() == ["diff.external", "filter.main.clean", "merge.Ours.driver"]
    assert project.workshop(linked).programs_named() == [
        "diff.external",
        "filter.linked.clean",
        "filter.main.clean",
        "merge.Ours.driver",
    ]


def test_a_filter_that_cannot_be_switched_off_stops_whatever_would_run_it_Q2(project: Bench) -> None:
    project.write(".gitattributes", "*.py filter=a=b\n")
    project.commit("attributes")
    project.write("new.py", "new\n")
    project.git("add", "new.py")
    project.git("config", "filter.a=b.clean", project.trap())
    with pytest.raises(GitProblem, match="switched off"):
        project.workshop().catch_up("main")
    assert project.workshop().programs_named() == ["filter.a=b.clean"]
    assert project.sprung() == ""
