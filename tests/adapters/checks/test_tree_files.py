"""The files of a checkout, and texts without its path."""

from __future__ import annotations

from pathlib import Path

from foureyes.adapters.checks.reports import CheckedFiles


def test_a_path_is_a_file_of_the_tree_or_nothing(tmp_path: Path) -> None:
    for name in ("src/a.py", "web/a.test.js", "node_modules/x/index.js", "go/main.go", "odd\x1b.py"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")
    files = CheckedFiles(str(tmp_path))
    named = {name: files.find(name) for name in ("src/a.py", "./src/a.py", "a.py", "main.go", "index.js", "odd\x1b.py")}
    assert named == {
        "src/a.py": "src/a.py", "./src/a.py": "src/a.py", "a.py": "src/a.py", "main.go": "go/main.go", "index.js": "",
        "odd\x1b.py": "",
    }  # fmt: skip
    assert files.find(f"file://{tmp_path}/src/a.py") == files.find(f"{tmp_path}/src/a.py") == "src/a.py"
    assert [files.find(name) for name in ("/etc/passwd", "../src/a.py", "", "no.py")] == [""] * 4


def test_a_text_has_nothing_of_the_checkouts_own_path() -> None:
    files = CheckedFiles("/proc/7/root/tmp/work", "/tmp/foureyes-check-1/work", "/tmp/foureyes-check-1")
    said = "at /tmp/foureyes-check-1/work/js/ok (file:///tmp/foureyes-check-1/tmp/x) tmp.foureyes-check-1.work.a::b"
    assert files.cut(said) == "at js/ok (tmp/x) a::b"
    assert files.cut("/other/tmp/foureyes-check-1/work/a") == "/other/tmp/foureyes-check-1/work/a"
    assert CheckedFiles().cut("/a/b") == "/a/b"
    assert CheckedFiles().find("a") == ""
