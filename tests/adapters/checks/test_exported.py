"""One export for several checks, and that none of them reaches another by it (D5)."""

from __future__ import annotations

import os
from pathlib import Path
from types import SimpleNamespace

import pytest

from foureyes.adapters.checks import checkout as module
from foureyes.adapters.checks.checkout import Exported, fingerprint
from foureyes.adapters.checks.pipeline import Pipeline
from foureyes.core.nouns.check_config import CheckRule

from tests.adapters.checks.trees import blob


class Written:
    """An export that counts."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self, path: str) -> None:
        assert os.listdir(path) == []
        self.count += 1
        Path(path, "src").mkdir()
        Path(path, "src", "app.py").write_text("right\n")
        os.symlink("src/app.py", Path(path, "link"))


FILES = {"src/app.py": "100644 " + blob(b"right\n"), "link": "120000 " + blob(b"src/app.py")}
TREE = SimpleNamespace(name="abc", listed=lambda globs: FILES)
"""Of which only the name and the files are asked for."""


@pytest.fixture
def export() -> Written:
    return Written()


@pytest.fixture
def tree(export: Written, tmp_path: Path) -> Exported:
    (tmp_path / "place").mkdir()
    return Exported(export, str(tmp_path / "place"), lambda: FILES)


def copied(tree: Exported, place: Path) -> Path:
    place.mkdir()
    tree.copy_to(str(place))
    return place


def test_D5_a_tree_is_written_once_and_copied_as_it_is(tree: Exported, export: Written, tmp_path: Path) -> None:
    for name in ("a", "b"):
        place = copied(tree, tmp_path / name)
        assert (place / "src" / "app.py").read_text() == "right\n"
        assert os.readlink(place / "link") == "src/app.py"
        (place / "src" / "app.py").write_text("wrong\n")
    assert export.count == 1
    tree.close()
    assert not (tmp_path / "place").exists()


def test_D5_what_was_written_to_it_is_never_copied(tree: Exported, export: Written, tmp_path: Path) -> None:
    copied(tree, tmp_path / "a")
    shared = Path(tree.path, "src", "app.py")
    about = shared.stat()
    shared.write_text("very wrong\n")
    os.utime(shared, ns=(about.st_atime_ns, about.st_mtime_ns))
    assert (copied(tree, tmp_path / "b") / "src" / "app.py").read_text() == "right\n"
    Path(tree.path, "conftest.py").touch()
    assert sorted(os.listdir(copied(tree, tmp_path / "c"))) == ["link", "src"]
    assert export.count == 3


def test_D5_what_is_written_to_it_while_it_is_copied_is_copied_again(
    tree: Exported, export: Written, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    times, real = [0], module.copy_tree

    def meanwhile(source: str, into: str) -> None:
        times[0] += 1
        Path(source, "src", "app.py").write_text(f"wrong {times[0]}\n")
        real(source, into)

    monkeypatch.setattr(module, "copy_tree", meanwhile)
    assert (copied(tree, tmp_path / "a") / "src" / "app.py").read_text() == "right\n"
    assert (times[0], export.count) == (module.TRIES, module.TRIES + 1), "at last git writes to the place itself"


@pytest.mark.parametrize("path", ["src/app.py", "conftest.py"])
def test_D5_what_is_written_between_the_export_and_the_first_look_at_it_is_not_used(
    tree: Exported, export: Written, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    left, real = [2], module.fingerprint

    def meanwhile(place: str) -> str:
        if left[0]:
            left[0] -= 1
            Path(place, path).write_text("wrong\n")
        return real(place)

    monkeypatch.setattr(module, "fingerprint", meanwhile)
    assert sorted(os.listdir(copied(tree, tmp_path / "a"))) == ["link", "src"]
    assert ((tmp_path / "a" / "src" / "app.py").read_text(), export.count) == ("right\n", 3)
    left[0] = 100
    Path(tree.path, "src", "app.py").write_text("wrong\n")
    with pytest.raises(OSError, match="another program writes to the files of its checkout"):
        tree.written()


def test_a_seal_is_of_names_rights_and_content(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("a")
    fingerprints = [fingerprint(str(tmp_path))]
    (tmp_path / "a").chmod(0o755)
    fingerprints.append(fingerprint(str(tmp_path)))
    (tmp_path / "a").rename(tmp_path / "b")
    fingerprints.append(fingerprint(str(tmp_path)))
    (tmp_path / "b").write_text("longer")
    fingerprints.append(fingerprint(str(tmp_path)))
    assert len(set(fingerprints)) == 4
    assert fingerprint(str(tmp_path)) == fingerprints[-1]


def test_D5_checks_of_one_tree_share_an_export_and_none_sees_what_another_rewrote(
    export: Written, tmp_path: Path
) -> None:
    """The second half: a check that looks for the shared files beside its own."""
    runner = Pipeline({"PATH": os.environ["PATH"], "TMPDIR": str(tmp_path)})
    rewrites = "echo wrong > src/app.py; for f in ../../*/tree/src/app.py; do echo wrong > $f; done; echo done"
    said = [
        runner.run(CheckRule(name="c", run=run), export, tree=TREE).output
        for run in ("cat src/app.py", rewrites, "cat src/app.py")
    ]
    assert said == ["right\n", "done\n\n(It changed files of its tree: src/app.py.)\n", "right\n"]
    assert export.count == 2, "once, and once more after somebody wrote there"
    runner.close()
    assert list(tmp_path.iterdir()) == []


def test_D5_a_single_check_gets_the_export_and_the_last_of_several_what_was_copied_from(
    export: Written, tmp_path: Path
) -> None:
    runner = Pipeline({"PATH": os.environ["PATH"], "TMPDIR": str(tmp_path)})
    rule = CheckRule(name="c", run="cat src/app.py; ls ../..")
    said = [runner.run(rule, export, tree=TREE, last=last).output.split() for last in (True, False, True)]
    assert [(words[0], len(words) - 1) for words in said] == [("right", 1), ("right", 2), ("right", 2)]
    assert export.count == 2, "for the single one, and once for both others"
    runner.close()
    assert list(tmp_path.iterdir()) == []
