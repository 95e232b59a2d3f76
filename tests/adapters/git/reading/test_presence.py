"""What is not there, or cannot be read, is missing; nothing else is."""

from __future__ import annotations

from foureyes.core.words.ids import Sha

from tests.adapters.git.conftest import Project


def test_commits_that_cannot_be_read_and_trees_that_are_torn_are_missing_J2(project: Project) -> None:
    first = project.head()
    cut, torn = (project.commit(name, **{f"{name}_py": name}) for name in ("cut", "torn"))
    trees = {name: project.head(f"{sha}^{{tree}}") for name, sha in (("first", first), ("torn", torn))}
    nowhere, objects = Sha("1" * 40), project.path / ".git" / "objects"
    asked = [first, cut, torn, *trees.values(), nowhere]
    assert project.port().missing(asked) == {nowhere}
    file = objects / cut[:2] / cut[2:]
    content = file.read_bytes()
    file.unlink()
    file.write_bytes(content[:-4])
    blob = project.head(f"{torn}:torn.py")
    (objects / blob[:2] / blob[2:]).unlink()
    assert project.port().missing(asked) == {nowhere, cut, trees["torn"]}
