"""What decisions rest on comes into the clean room by the hash of its bytes, and git's side files are not read."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from foureyes.adapters.git.client import clean_room_objects
from foureyes.adapters.git.client.clean_room_objects import Differing
from foureyes.adapters.git.client.object_files import Object
from foureyes.adapters.git.client.object_reader import ObjectReader
from foureyes.core.nouns.attempt import Change
from foureyes.core.words.ids import Sha
from foureyes.errors import GitProblem
from foureyes.ui.steps import steps_text

from tests.adapters.git.client.swapping import BROKEN, PLACES, break_blob, put
from tests.adapters.git.conftest import Project
from tests.stage.checkout import CODE

WORK = "refs/heads/work"
EVIL = CODE.replace("line 7\n", "evil\n").encode()


@pytest.fixture(params=["by hand", "by git"], autouse=True)
def _way_in(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """A few objects are written into the room; of these tests each goes the way of many, too."""
    if request.param == "by git":
        monkeypatch.setattr(clean_room_objects, "HANDFUL", 0)


@pytest.fixture
def work(project: Project) -> Project:
    """A branch of two commits, and a target that moved: also in the file that the branch changes."""
    project.write("docs/a.txt", "a\n")
    project.write("docs/b.txt", "b\n")
    project.commit("second", foureyes_toml="x = 1\n")
    project.branch("work")
    project.commit("one", code_py=CODE.replace("line 7\n", "line seven\n"))
    project.commit("two", foureyes_toml="x = 2\n")
    project.switch("main")
    project.commit("meanwhile", code_py=CODE.replace("line 30\n", "line thirty\n"), other_py="x\n")
    project.switch("work")
    return project


def raw(project: Project, kind: str, name: str) -> bytes:
    return subprocess.run(["git", "cat-file", kind, name], cwd=project.path, capture_output=True, check=True).stdout


def swapped_blob(project: Project, place: str) -> None:
    put(project.path / ".git", project.head("work:code.py"), "blob", EVIL, place)


def swapped_old_blob(project: Project, place: str) -> None:
    put(project.path / ".git", project.head("main~1:code.py"), "blob", EVIL, place)


def swapped_settings(project: Project, place: str) -> None:
    put(project.path / ".git", project.head("work:foureyes.toml"), "blob", b"x = 3\n", place)


def swapped_tree(project: Project, place: str) -> None:
    evil = raw(project, "tree", "main^{tree}")
    put(project.path / ".git", project.head("work^{tree}"), "tree", evil, place)


def swapped_commit(project: Project, place: str) -> None:
    evil = raw(project, "commit", "work").replace(b"two", b"owt")
    put(project.path / ".git", project.head("work"), "commit", evil, place)


def swapped_base(project: Project, place: str) -> None:
    """The commit where the branch began says that it has no parents, and holds the tree of the branch."""
    evil = f"tree {project.head('work^{tree}')}\n".encode() + raw(project, "commit", "main~1").partition(b"\n")[2]
    put(project.path / ".git", project.head("main~1"), "commit", evil, place)


SWAPS = [swapped_blob, swapped_old_blob, swapped_settings, swapped_tree, swapped_commit, swapped_base]


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("swap", SWAPS)
def test_bytes_under_a_wrong_name_are_refused_wherever_they_lie_A2_Q2(
    work: Project, swap: Callable[[Project, str], None], place: str, tmp_path: Path
) -> None:
    head, main, base = work.head("work"), work.head("main"), work.head("main~1")
    before = work.change()
    swap(work, place)
    repo, shop = work.port(), work.workshop()
    (tmp_path / "out").mkdir()
    questions: dict[str, Callable[[], object]] = {
        "change": lambda: repo.change(target="main", ref=WORK, since=None),
        "text": lambda: repo.diff_text(base, head),
        "files": lambda: repo.file_diffs(base, head),
        "pieces": lambda: repo.pieces(base, head),
        "merge": lambda: shop.merge(base=base, tip=main, head=head),
        "export": lambda: shop.export(head, str(tmp_path / "out")),
        "settings": lambda: repo.file_at(head, "foureyes.toml"),
        "texts": lambda: repo.texts(head, ["code.py", "foureyes.toml"]),
    }
    refused = {name for name, ask in questions.items() if is_refused(ask, before)}
    always = {"change", "text", "files", "pieces", "merge"}
    others = {"settings", "texts", "export"}
    expected = {
        "swapped_blob": always | {"export", "texts"},
        "swapped_old_blob": always,
        "swapped_settings": (always - {"merge"}) | others | ({"merge"} & refused),
        "swapped_tree": always | others,
        "swapped_commit": always | others,
        "swapped_base": always,
    }[swap.__name__]
    assert refused == expected
    assert work.head("main") == main


def is_refused(ask: Callable[[], object], before: Change) -> bool:
    """Refused, or else nothing of what was swapped in is in the answer."""
    try:
        answer = ask()
    except GitProblem as refused:
        # Git itself hashes the commit that a ref names: to it there is none.
        if "bytes were changed" in refused.message or "has no commit" in refused.message:
            return True
        raise
    assert "evil" not in str(answer)
    assert not isinstance(answer, Change) or answer.diff_id == before.diff_id
    return False


@pytest.mark.parametrize("many", [1, 36])
@pytest.mark.parametrize("form", BROKEN)
def test_a_file_of_an_object_in_a_form_that_git_refuses_is_refused_and_named_A1_A2_Q2(
    project: Project, form: str, many: int
) -> None:
    """What it holds has the right hash, and nobody could check it out from the target."""
    base = project.head()
    project.branch("work")
    head = project.commit("work", **{f"a{number}_py": f"code = {number} # something\n" for number in range(many)})
    blob = project.head("work:a0.py")
    break_blob(project.path / ".git", blob, b"code = 0 # something\n", form)
    repo, shop = project.port(), project.workshop()
    questions: list[Callable[[], object]] = [
        lambda: repo.change(target="main", ref=WORK, since=None),
        lambda: repo.diff_text(base, head),
        lambda: shop.merge(base=base, tip=base, head=head),
    ]
    for ask in questions:
        with pytest.raises(GitProblem, match=blob):
            ask()


@pytest.mark.parametrize("form", BROKEN)
def test_a_broken_file_beside_the_object_in_a_pack_hinders_nobody_A2(project: Project, form: str) -> None:
    """Git reads the pack first."""
    project.branch("work")
    project.commit("work", a_py="code = 0 # something\n")
    project.git("repack", "-qad")
    break_blob(project.path / ".git", project.head("work:a.py"), b"code = 0 # something\n", form)
    assert [file.path for file in project.change().files] == ["a.py"]


@pytest.mark.parametrize("mode", [b"100644", b"100755", b"120000", b"100664"])
@pytest.mark.parametrize("kind", ["commit", "tree", "tag"])
def test_a_file_that_is_no_file_is_refused_and_named_A1_A2_Q2(project: Project, mode: bytes, kind: str) -> None:
    """A tree that has a commit, a folder or a tag in the place of a file is shown, and checked out by nobody."""
    base = project.head()
    project.write("docs/a.txt", "a\n")
    project.commit("second")
    project.git("tag", "-a", "-m", "a tag", "v1")
    named = project.head({"commit": "main", "tree": "main:docs", "tag": "v1^{tag}"}[kind])
    content = raw(project, "tree", f"{base}^{{tree}}") + mode + b" zz\0" + bytes.fromhex(named)
    tree = written(project, "tree", content)
    head = Sha(project.git("commit-tree", tree, "-p", "main", "-m", "work").strip())
    project.git("update-ref", WORK, head)
    repo, shop, main = project.port(), project.workshop(), project.head("main")
    questions: list[Callable[[], object]] = [
        lambda: repo.change(target="main", ref=WORK, since=None),
        lambda: repo.diff_text(main, head),
        lambda: repo.pieces(main, head),
        lambda: shop.merge(base=main, tip=main, head=head),
    ]
    for ask in questions:
        with pytest.raises(GitProblem, match=f"{named}.*is no file"):
            ask()


def test_what_was_not_there_yet_is_looked_at_when_it_is_A2() -> None:
    """A file that nobody needs may be missing; what comes in its place later is not known to be one."""
    sha, kinds = Sha("a" * 40), dict[Sha, bytes]()
    differing = Differing()
    differing.spare, differing.files = {sha}, {sha}
    here: Any = SimpleNamespace(
        _admit=lambda needed, spare: None,
        _inside=SimpleNamespace(files=set()),
        _lookup=SimpleNamespace(kinds=lambda names: {name: kinds[name] for name in names if name in kinds}),
    )
    clean_room_objects.Entrance._admit_files(here, differing)
    kinds[sha] = b"commit"
    with pytest.raises(GitProblem, match="is no file"):
        clean_room_objects.Entrance._admit_files(here, differing)


def written(project: Project, kind: str, content: bytes) -> str:
    """The name of an object that git itself would not make."""
    made = ["git", "hash-object", "-t", kind, "--literally", "-w", "--stdin"]
    return (
        subprocess.run(made, cwd=project.path, input=content, capture_output=True, check=True).stdout.decode().strip()
    )


def answers(project: Project, main: Sha, base: Sha, head: Sha, before: Sha) -> list[object]:
    """What the program says about the branch, and what a merge makes."""
    repo, shop = project.port(), project.workshop()
    return [
        repo.change(target="main", ref=WORK, since=None),
        repo.is_ancestor(base, head),
        repo.is_ancestor(head, main),
        repo.merged_by(head, "main"),
        repo.relation(base=base, head=before, new_head=head, target="main"),
        repo.pieces(base, head),
        shop.merge(base=base, tip=main, head=head),
    ]


def shallow_file(project: Project) -> None:
    project.write(".git/shallow", f"{project.head('work~1')}\n{project.head('main')}\n")


def grafts(project: Project) -> None:
    project.write(".git/info/grafts", f"{project.head('work')}\n{project.head('main')} {project.head('work')}\n")


def replace_refs(project: Project) -> None:
    project.git("replace", project.head("work"), project.head("main"))
    project.git("replace", project.head("work:code.py"), project.head("main:code.py"))


def commit_graph(project: Project) -> None:
    """A commit graph that says that the branch is on the target: written while the target's commit says so."""
    sha = project.head("main")
    true = raw(project, "commit", "main")
    lie = true.replace(project.head("main~1").encode(), project.head("work").encode())
    put(project.path / ".git", sha, "commit", lie)
    project.git("commit-graph", "write", "--reachable")
    put(project.path / ".git", sha, "commit", true)
    assert "one" in project.git("log", "--format=%s", "main"), "git believes it"


@pytest.mark.parametrize("forge", [shallow_file, grafts, replace_refs, commit_graph])
def test_files_beside_the_objects_that_say_what_parents_are_are_not_read_A2(
    work: Project, forge: Callable[[Project], None]
) -> None:
    shas = [work.head(name) for name in ("main", "main~1", "work", "work~1")]
    before = answers(work, *shas)
    forge(work)
    assert answers(work, *shas) == before


# Ordinary clones


def clone(project: Project, path: Path, *how: str) -> Project:
    project.git("config", "uploadpack.allowFilter", "true")
    project.git("clone", "-q", *how, f"file://{project.path}", str(path))
    return Project(path)


def merged_in(made: Project) -> list[object]:
    """Work on a branch of a clone, submitted and merged there."""
    made.branch("work")
    made.commit("work", code_py=CODE.replace("line 7\n", "line seven\n"), new_py="new\n")
    base, head = made.head("main"), made.head()
    change = made.change()
    result = made.workshop().merge(base=base, tip=base, head=head)
    return [change.base == base, len(change.files), result.tree == made.head("work^{tree}")]


@pytest.mark.parametrize(
    "how", [("--depth=1",), ("--filter=blob:none",), ("--depth=1", "--filter=blob:none"), ("--reference=.",)]
)
def test_shallow_partial_and_borrowing_clones_are_ordinary_A2(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: tuple[str, ...]
) -> None:
    monkeypatch.chdir(project.path)
    project.commit("second", old_py="old\n")
    project.commit("third", code_py=CODE + "more\n")
    assert merged_in(clone(project, tmp_path / "clone", *how)) == [True, 2, True]


def test_a_file_that_only_the_target_touched_need_not_be_there_to_merge_A2(project: Project, tmp_path: Path) -> None:
    made = clone(project, tmp_path / "clone", "--filter=blob:none")
    project.commit("elsewhere", new_py="new\n")
    made.branch("work")
    base = made.head()
    head = made.commit("work", code_py=CODE.replace("line 7\n", "line seven\n"))
    made.git("fetch", "-q", "origin")
    tip = made.head("origin/main")
    assert made.workshop().merge(base=base, tip=tip, head=head).tree is not None
    project.commit("the same file", code_py=CODE.replace("line 30\n", "line thirty\n"))
    made.git("fetch", "-q", "origin")
    with pytest.raises(GitProblem) as refused:
        made.workshop().merge(base=base, tip=made.head("origin/main"), head=head)
    assert "git fetch --refetch --no-filter" in steps_text(refused.value.next_step)


def test_a_history_that_is_cut_off_before_the_fork_refuses_with_the_fetch_to_type_A2(
    project: Project, tmp_path: Path
) -> None:
    project.branch("work")
    project.commit("work", new_py="new\n")
    project.switch("main")
    project.commit("meanwhile", other_py="x\n")
    made = clone(project, tmp_path / "clone", "--depth=1", "--no-single-branch")
    made.git("branch", "work", "origin/work")
    with pytest.raises(GitProblem) as refused:
        made.change()
    assert "git fetch --unshallow" in steps_text(refused.value.next_step)


# Out of the room


def test_what_a_merge_makes_is_whole_in_the_repository_and_no_planted_bytes_stand_for_it_Q2(work: Project) -> None:
    base, main, head = work.head("main~1"), work.head("main"), work.head("work")
    made = work.workshop().merge(base=base, tip=main, head=head)
    assert made.tree is not None
    work.git("fsck", "--strict")
    assert "line seven" in work.git("cat-file", "-p", f"{made.tree}:code.py")
    blob = work.head(f"{made.tree}:code.py")
    put(work.path / ".git", blob, "blob", EVIL)
    with pytest.raises(GitProblem, match="bytes were changed"):
        work.workshop().merge(base=base, tip=main, head=head)


def test_a_room_that_was_tidied_away_is_made_and_filled_again(work: Project) -> None:
    repo = work.port()
    before = repo.change(target="main", ref=WORK, since=None)
    repo._git._room._finalizer()  # type: ignore[misc]
    assert repo.change(target="main", ref=WORK, since=None) == before
    repo.close()
    assert repo.change(target="main", ref=WORK, since=None) == before


def test_many_commits_go_through_git_and_few_do_not(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    from foureyes.adapters.git.client import clean_room_objects

    project.branch("work")
    shas: list[Sha] = [project.commit(f"{number}", a_py=f"{number}\n") for number in range(4)]
    change = project.change()
    monkeypatch.setattr(clean_room_objects, "FEW", 2)
    assert project.change() == change
    assert [commit.sha for commit in change.commits] == shas


def test_an_object_that_goes_between_two_looks_is_named_as_missing_G1(
    work: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As `git gc` of somebody else takes it, after its size was asked for."""
    work.git("repack", "-qad")
    gone, read = work.head("work:code.py"), ObjectReader.read

    def without(reader: ObjectReader, names: Iterable[Sha]) -> dict[Sha, Object]:
        return {sha: each for sha, each in read(reader, names).items() if sha != gone}

    monkeypatch.setattr(clean_room_objects, "HANDFUL", 40)
    monkeypatch.setattr(ObjectReader, "read", without)
    with pytest.raises(GitProblem, match=f"the object {gone} is needed and is not in this repository"):
        work.port().change(target="main", ref=WORK, since=None)


def test_a_commit_that_goes_between_two_looks_is_named_as_missing_G1(project: Project) -> None:
    lookup, head = project.port()._git.lookup, project.head()
    lookup.commits([head])
    lookup.raw(head)
    (project.path / ".git/objects" / head[:2] / head[2:]).unlink()
    with pytest.raises(GitProblem, match=f"the object {head} is needed and is not in this repository"):
        lookup.raw(head)
