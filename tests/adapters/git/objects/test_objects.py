"""Export, merge and commit: by the gate, with nobody else's say (Q2)."""

from __future__ import annotations

import os
import shutil
import stat
from datetime import UTC, datetime
from pathlib import Path

import pytest

from foureyes.adapters.git.objects import export
from foureyes.adapters.git.workshop import GitWorkshop
from foureyes.app.git_ports import MergeResult, Workshop
from foureyes.core.words.ids import Sha
from foureyes.errors import GitProblem

from tests.adapters.git.workshop_project import Bench, bench, raw_tree, tricked
from tests.stage import night

NOBODY = Sha("1" * 40)


@pytest.fixture(params=["project", night.ODD])
def project(tmp_path: Path, request: pytest.FixtureRequest) -> Bench:
    return bench(tmp_path / request.param)


@pytest.fixture
def out(tmp_path: Path) -> Path:
    path = tmp_path / "out put"
    path.mkdir()
    return path


def names(path: Path) -> list[str]:
    return sorted(str(Path(folder, name).relative_to(path)) for folder, _, files in os.walk(path) for name in files)


def test_a_git_workshop_is_a_workshop(project: Bench) -> None:
    port: Workshop = project.workshop()
    port.close()


# Export


def test_files_are_exported_as_they_were_committed_Q2(project: Bench, out: Path) -> None:
    project.write("run.sh", "#!/bin/sh\n").chmod(0o755)
    project.write("deep/ä b/c.txt", "x\n")
    os.symlink("/nowhere/at all", project.path / "dangling")
    project.commit()
    project.write("untracked", "x")
    project.workshop().export(project.tree(), str(out))
    assert names(out) == ["code.py", "dangling", "deep/ä b/c.txt", "run.sh"]
    assert os.readlink(out / "dangling") == "/nowhere/at all"
    assert (out / "run.sh").stat().st_mode & stat.S_IXUSR
    assert not (out / "code.py").stat().st_mode & stat.S_IXUSR


def test_a_commit_is_exported_too_Q2(project: Bench, out: Path) -> None:
    project.workshop().export(project.head(), str(out))
    assert names(out) == ["code.py"]


@pytest.mark.parametrize("place", [".gitattributes", ".git/info/attributes"])
def test_no_attribute_converts_what_is_exported_and_no_program_is_run_D5_Q2(
    project: Bench, out: Path, place: str
) -> None:
    content = {"a.txt": b"one\r\ntwo\n$Id$\n", "b.txt": "héé\n".encode(), "c.txt": b"filtered\n"}
    for name, raw in content.items():
        project.write(name, raw)
    project.commit()
    project.write(
        place,
        "*.txt text eol=crlf ident\nb.txt working-tree-encoding=UTF-16LE\nc.txt filter=x crlf\n[attr]text eol=crlf\n",
    )
    project.git("-c", "core.autocrlf=false", "add", ".gitattributes") if place == ".gitattributes" else None
    project.git("commit", "-q", "--allow-empty", "-m", "attributes")
    project.set_traps()
    project.git("config", "core.autocrlf", "true")
    project.workshop().export(project.tree(), str(out))
    assert {name: (out / name).read_bytes() for name in content} == content
    assert project.sprung() == ""


def test_a_submodule_is_exported_as_an_empty_directory_Q2(project: Bench, out: Path) -> None:
    project.git("update-index", "--add", "--cacheinfo", f"160000,{NOBODY},sub")
    project.git("commit", "-q", "-m", "submodule")
    project.workshop().export(project.tree(), str(out))
    assert (out / "sub").is_dir()
    assert not list((out / "sub").iterdir())


@pytest.mark.parametrize("name", [b".git", b"..", b".", b".GIT", b"git~1", b""])
def test_a_tree_that_would_be_written_outside_is_refused_Q2(project: Bench, out: Path, name: bytes) -> None:
    blob = project.git("hash-object", "-w", "--stdin", stdin=b"evil\n")
    inner = raw_tree(project, (b"100644", b"x", blob))
    with pytest.raises(GitProblem):
        project.workshop().export(raw_tree(project, (b"40000", name, inner)), str(out))
    assert list(out.iterdir()) == []
    assert not (out.parent / "x").exists()


def test_a_tree_with_modes_of_old_is_written_as_git_reads_it_Q2(project: Bench, out: Path) -> None:
    blob = project.git("rev-parse", "HEAD:code.py")
    below = raw_tree(project, (b"100664", b"a.py", blob), (b"100744", b"b.py", blob))
    project.workshop().export(raw_tree(project, (b"120644", b"link", blob), (b"40000", b"old", below)), str(out))
    assert (out / "link").is_symlink()
    assert [bool((out / "old" / name).stat().st_mode & 0o100) for name in ("a.py", "b.py")] == [False, True]


def test_a_tree_with_a_name_twice_or_with_a_slash_is_refused_Q2(project: Bench, out: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    link = project.git("hash-object", "-w", "--stdin", stdin=os.fsencode(outside))
    blob = project.git("hash-object", "-w", "--stdin", stdin=b"evil\n")
    inner = raw_tree(project, (b"100644", b"x", blob))
    twice = raw_tree(project, (b"120000", b"a", link), (b"40000", b"a", inner))
    for tree in (twice, raw_tree(project, (b"100644", b"a/x", blob))):
        with pytest.raises(GitProblem, match="damaged"):
            project.workshop().export(tree, str(out))
    assert list(outside.iterdir()) == []


def test_a_missing_blob_is_a_problem_and_not_a_missing_file_G1(project: Bench, out: Path) -> None:
    with pytest.raises(GitProblem):
        project.workshop().export(raw_tree(project, (b"100644", b"gone", NOBODY)), str(out))


@pytest.mark.parametrize("tree", [NOBODY, "HEAD", "--help", ""])
def test_what_is_no_tree_cannot_be_exported_G1(project: Bench, out: Path, tree: str) -> None:
    with pytest.raises(GitProblem):
        project.workshop().export(Sha(tree), str(out))


def test_files_are_exported_into_an_empty_directory_only(project: Bench, out: Path) -> None:
    (out / "mine").write_text("x")
    for path in (out, out / "missing"):
        with pytest.raises(GitProblem):
            project.workshop().export(project.tree(), str(path))
    assert names(out) == ["mine"]


def test_replace_refs_change_neither_export_nor_merge_Q2(project: Bench, out: Path) -> None:
    honest = project.head()
    project.branch("evil")
    evil = project.commit("evil", code_py="evil\n")
    project.git("replace", honest, evil)
    project.git("replace", project.git("--no-replace-objects", "rev-parse", f"{honest}^{{tree}}"), project.tree(evil))
    project.workshop().export(honest, str(out))
    assert (out / "code.py").read_text().startswith("line 1\n")
    assert project.workshop().merge(base=honest, tip=honest, head=honest).tree == project.git(
        "--no-replace-objects", "rev-parse", f"{honest}^{{tree}}"
    )


def test_thousands_of_files_are_exported(project: Bench, out: Path) -> None:
    many = night.plays("files that are exported")
    rows = "".join(f"M 100644 inline d{n % 100}/f{n}\ndata 2\n{n % 10}\n\n" for n in range(many))
    text = f"commit refs/heads/many\ncommitter a <a@b> 0 +0000\ndata 1\nm\n{rows}"
    project.git("fast-import", "--quiet", stdin=text.encode())
    project.workshop().export(project.head("many"), str(out))
    assert len(names(out)) == many


def test_what_was_let_in_for_one_check_is_the_same_for_the_next_whatever_becomes_of_it_on_disk_D5(
    project: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree, workshop = project.tree(), project.workshop()
    places = [tmp_path / str(number) for number in range(3)]
    for place in places:
        place.mkdir()
    workshop.export(tree, str(places[0]))
    project.write("another.py", "y = 2\n")
    project.commit()
    other = project.tree()
    shutil.rmtree(project.path / ".git" / "objects")
    (project.path / ".git" / "objects").mkdir()
    workshop.export(tree, str(places[1]))
    assert names(places[0]) == names(places[1]) == ["code.py"]
    assert (places[0] / "code.py").read_bytes() == (places[1] / "code.py").read_bytes()
    with pytest.raises(GitProblem):
        workshop.export(other, str(places[2]))
    monkeypatch.setattr(export, "KEPT_BYTES", 0)
    assert export._kept(str(project.path / ".git")) == {}, "what is large is let in again"


# Merge


def joined(project: Bench, tip: Sha, head: Sha, workshop: GitWorkshop | None = None) -> MergeResult:
    """The merge of two sides, by the commit that both began from."""
    return (workshop or project.workshop()).merge(base=project.head(f"{tip}~1"), tip=tip, head=head)


def sides(project: Bench, ours: dict[str, str], theirs: dict[str, str]) -> tuple[Sha, Sha]:
    """Two branches out of HEAD."""
    base = project.head()
    project.git("checkout", "-q", "--detach", base)
    tip = project.commit("ours", **ours)
    project.git("checkout", "-q", "--detach", base)
    return tip, project.commit("theirs", **theirs)


def test_a_merge_is_a_tree_that_can_be_committed_Q2(project: Bench) -> None:
    tip, head = sides(project, {"a_py": "a\n"}, {"b_py": "b\n"})
    before = project.refs(), project.git("status", "--porcelain")
    workshop = project.workshop()
    merged = joined(project, tip, head, workshop)
    workshop.close()
    assert merged.tree is not None
    assert project.git("ls-tree", "--name-only", merged.tree).split() == ["a.py", "b.py", "code.py"]
    commit = project.workshop().commit(tree=merged.tree, parents=[tip, head], message="Merge\n")
    assert project.git("rev-list", "--parents", "-n1", commit).split() == [commit, tip, head]
    assert (project.refs(), project.git("status", "--porcelain")) == before


def test_a_conflict_names_every_path_Q3(project: Bench) -> None:
    project.commit("base", a_py="a\n", b_py="b\n", c_py="c\n")
    project.write("ü x/ä.txt", "base\n")
    project.commit("base")
    tip, head = sides(project, {"a_py": "A\n", "ü x/ä.txt": "o\n"}, {"a_py": "AA\n", "b_py": "B\n", "ü x/ä.txt": "t\n"})
    merged = joined(project, tip, head)
    assert merged.tree is None
    assert merged.conflicts == ("a.py", "ü x/ä.txt")


def test_a_directory_renamed_two_ways_is_a_conflict_with_a_name_Q3(project: Bench) -> None:
    for name in "abcd":
        project.write(f"dir/{name}", f"{name}\n" * 20)
    base = project.commit("base")
    project.git("checkout", "-q", "--detach", base)
    for name, to in zip("abcd", ("one", "one", "two", "two"), strict=True):
        (project.path / to).mkdir(exist_ok=True)
        project.git("mv", f"dir/{name}", f"{to}/{name}")
    tip = project.commit("split")
    project.git("checkout", "-q", "--detach", base)
    project.write("dir/new", "new\n")
    merged = joined(project, tip, project.commit("add"))
    assert merged.tree is None
    assert merged.conflicts


@pytest.mark.parametrize("place", [".gitattributes", ".git/info/attributes"])
@pytest.mark.parametrize(
    "attribute", ["merge=union", "-merge", "merge=binary", "merge=x", "merge=ours", "text eol=crlf", "merge"]
)
def test_no_attribute_or_driver_decides_a_conflict_Q2(project: Bench, place: str, attribute: str) -> None:
    project.write(place, f"*.py {attribute}\n")
    project.commit("attributes")
    project.set_traps()
    project.git("config", "merge.ours.driver", "true")
    project.git("config", "merge.default", "ours")
    project.git("config", "core.hooksPath", "/dev/null")
    tip, head = sides(project, {"code_py": "ours\n"}, {"code_py": "theirs\n"})
    project.mark.unlink(missing_ok=True)
    merged = joined(project, tip, head)
    assert (merged.tree, merged.conflicts) == (None, ("code.py",))
    assert project.sprung() == ""


@pytest.mark.parametrize("attribute", ["merge=union", "-merge", "merge=binary", "merge=x", "merge=ours"])
def test_no_attribute_drops_a_side_of_a_clean_merge_Q2(project: Bench, attribute: str) -> None:
    code = (project.path / "code.py").read_text()
    project.write(".gitattributes", f"*.py {attribute}\n")
    project.commit("attributes")
    project.git("config", "merge.ours.driver", "true")
    tip, head = sides(
        project, {"code_py": code.replace("line 3\n", "three\n")}, {"code_py": code.replace("line 30\n", "thirty\n")}
    )
    merged = joined(project, tip, head)
    assert merged.tree is not None
    text = project.git("show", f"{merged.tree}:code.py")
    assert "three\n" in text
    assert "thirty\n" in text


def test_attributes_that_one_side_brings_along_do_not_decide_Q2(project: Bench) -> None:
    tip, head = sides(project, {"code_py": "ours\n"}, {"code_py": "theirs\n", ".gitattributes": "* merge=union\n"})
    assert joined(project, tip, head).conflicts == ("code.py",)


def test_a_graft_does_not_change_a_merge_Q2(project: Bench) -> None:
    """With the graft, `head` would descend from `tip`, and the merge would be all of `head`."""
    tip, head = sides(project, {"a_py": "a\n"}, {"b_py": "b\n"})
    project.write(".git/info/grafts", f"{head} {tip}\n")
    merged = joined(project, tip, head)
    assert merged.tree is not None
    assert "a.py" in project.git("ls-tree", "--name-only", merged.tree)


def test_the_environment_does_not_move_the_gate_Q2(
    project: Bench, out: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tip, head = sides(project, {"a_py": "a\n"}, {"b_py": "b\n"})
    workshop, base = project.workshop(), project.head(f"{tip}~1")
    with monkeypatch.context() as patch:
        tricked(patch, tmp_path / "elsewhere")
        merged = workshop.merge(base=base, tip=tip, head=head)
        assert merged.tree is not None
        commit = workshop.commit(tree=merged.tree, parents=[tip, head], message="m\n")
        workshop.keep("refs/foureyes/attempts/fe-1/1", commit)
        workshop.export(merged.tree, str(out))
    assert project.head("refs/foureyes/attempts/fe-1/1") == commit
    assert project.git("log", "-1", "--format=%an %cn", commit) == "Foureyes gate Foureyes gate"
    assert project.git("log", "-1", "--format=%ct", commit) != "0"


def test_unknown_commits_are_a_problem_G1(project: Bench) -> None:
    head = project.head()
    for other in (NOBODY, Sha("main"), Sha("--help")):
        for base, tip, theirs in ((other, head, head), (head, other, head), (head, head, other)):
            with pytest.raises(GitProblem):
                project.workshop().merge(base=base, tip=tip, head=theirs)


# Commit


def test_a_commit_is_the_gates_and_its_message_is_kept_to_the_byte_Q2(project: Bench) -> None:
    project.set_traps()
    project.git("config", "commit.gpgSign", "true")
    project.git("config", "gpg.program", project.trap())
    message = "  Merge ü\n\n# not a comment\n\n\nTask: fe-7k2\nJournal: abc"
    made = project.workshop().commit(tree=project.tree(), parents=[project.head()], message=message)
    raw = project.git("cat-file", "commit", made)
    assert raw.split("\n\n", 1)[1] == message
    assert "author Foureyes gate <foureyes@localhost> " in raw
    assert "committer Foureyes gate <foureyes@localhost> " in raw
    assert "gpgsig" not in raw
    assert project.sprung() == ""


def test_a_commit_of_what_is_not_there_is_a_problem_G1(project: Bench) -> None:
    workshop = project.workshop()
    for tree, parent in (
        (NOBODY, project.head()),
        (project.tree(), NOBODY),
        (Sha("-h"), project.head()),
        (project.tree(), Sha("main")),
    ):
        with pytest.raises(GitProblem):
            workshop.commit(tree=tree, parents=[parent], message="m")


def test_the_tree_of_a_commit_is_told(project: Bench) -> None:
    workshop = project.workshop()
    assert workshop.tree_of(project.head()) == project.tree()
    assert workshop.tree_of(NOBODY) is None
    assert workshop.tree_of(project.tree()) is None


# Every kind of repository


@pytest.mark.parametrize("kind", ["bare", "sha256", "linked"])
def test_the_gate_works_in_every_kind_of_repository(tmp_path: Path, out: Path, kind: str) -> None:
    made = bench(tmp_path / "origin", *(["--object-format=sha256"] if kind == "sha256" else []))
    tip, head = sides(made, {"a_py": "a\n"}, {"b_py": "b\n"})
    made.git("branch", "one", tip)
    made.git("branch", "two", head)
    at = made.path
    if kind == "bare":
        made.git("clone", "-q", "--bare", str(made.path), str(tmp_path / "bare.git"))
        at = tmp_path / "bare.git"
    elif kind == "linked":
        made.git("worktree", "add", "-q", str(tmp_path / "linked"), "two")
        at = tmp_path / "linked"
    workshop: GitWorkshop = made.workshop(at)
    merged = workshop.merge(base=made.head("one~1"), tip=tip, head=head)
    assert merged.tree is not None
    commit = workshop.commit(tree=merged.tree, parents=[tip, head], message="m")
    assert workshop.move("refs/heads/one", new=commit, old=tip)
    workshop.keep("refs/foureyes/x", commit)
    workshop.add_checkpoint("", "start", commit, at=datetime.now(UTC))
    workshop.export(merged.tree, str(out))
    assert names(out) == ["a.py", "b.py", "code.py"]
    assert made.git("rev-parse", "one", "refs/foureyes/x", cwd=at).split() == [commit, commit]
    assert workshop.checkpoints()[0].sha == commit
    assert workshop.drop_checkpoint("", "start", commit)
    assert workshop.catch_up("main") == []


def test_objects_of_a_shared_repository_can_be_read_by_its_group(project: Bench) -> None:
    project.git("config", "core.sharedRepository", "group")
    objects = project.path / ".git/objects"
    there = {each.name for each in objects.iterdir()}
    commits = (project.workshop().commit(tree=project.tree(), parents=[], message=f"m {n}") for n in range(20))
    made = next(commit for commit in commits if commit[:2] not in there)
    assert (objects / made[:2]).stat().st_mode & stat.S_IWGRP
