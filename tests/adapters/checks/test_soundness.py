"""D5: a run that uses a checkout's code is unsound; one that uses its own tree is what its exit code says. Real
interpreters in environments of their own; whether something is installed does not matter, only what is used.
"""

from __future__ import annotations

import json
import os
import subprocess
from contextlib import suppress
from pathlib import Path

import pytest

from foureyes.adapters.checks import code_use
from foureyes.adapters.checks.code_use import Interpreter, packages_in
from foureyes.core.nouns.check import CheckJudgement

from tests.adapters.checks.environments import Ground, make_environment, make_ground, script

RUN = "python tests/check.py"


@pytest.fixture
def ground(tmp_path: Path) -> Ground:
    return make_ground(tmp_path)


def took(judged: CheckJudgement, file: str, checkout: Path) -> str:
    """The advice of an unsound run that took a file of a checkout."""
    assert judged.outcome == "unsound", judged
    assert judged.summary.startswith(f"used {file} of {checkout} (by "), judged.summary
    return judged.summary.partition("To fix: ")[2]


# An environment that has the checkout in place


def test_D5_an_editable_install_of_the_checkout_is_unsound_and_says_what_to_type(ground: Ground) -> None:
    ground.in_place()
    advice = took(ground.checked(RUN), "src/shop/__init__.py", ground.checkout)
    assert advice == "begin its run with PYTHONPATH=src"
    assert list(ground.scratch.iterdir()) == []


@pytest.mark.parametrize(
    "command",
    [
        "PYTHONPATH=src python tests/check.py",
        "export PYTHONPATH=src; python tests/check.py",
        "PYTHONPATH=src:$PYTHONPATH python tests/check.py",
        "PYTHONPATH=$PWD/src sh -c 'cd tests && python check.py'",
        "cd src && python -c 'exec(open(\"../tests/check.py\").read())'",
    ],
)
def test_D5_the_trees_own_path_first_is_sound_whatever_is_installed(ground: Ground, command: str) -> None:
    ground.in_place()
    assert ground.checked(command).outcome == "failed", "the change is wrong, and that is its own fault"


@pytest.mark.parametrize(
    ("command", "advice"),
    [
        ("PYTHONPATH=tests python tests/check.py", "let its PYTHONPATH be src:$PYTHONPATH"),
        ("python -I tests/check.py", "let it create its own environment"),
        ('env -i "PATH=$PATH" PYTHONPATH= python tests/check.py', "let its PYTHONPATH be src:$PYTHONPATH"),
        ("PYTHONPATH=tests checker", "let its PYTHONPATH be src:$PYTHONPATH"),
    ],
)
def test_D5_who_takes_the_watch_off_is_asked_where_it_imports_from(ground: Ground, command: str, advice: str) -> None:
    ground.in_place()
    script(ground.environment, "checker", "import shop\n")
    assert took(ground.checked(command), "src/shop/__init__.py", ground.checkout).startswith(advice)


def test_D5_an_interpreter_deep_in_the_check_is_seen_among_its_processes(
    ground: Ground, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It waits until somebody has looked."""
    ground.in_place()
    os.mkfifo(seen := tmp_path / "seen")
    (ground.checkout / "tests" / "waits.py").write_text(f"import shop\nopen({str(seen)!r}).read()\n")
    (ground.checkout / "run.sh").write_text("PYTHONPATH=tests python tests/waits.py\n")
    look = code_use.at

    def looking(process: str, watch: str, work: str) -> Interpreter | None:
        found = look(process, watch, work)
        if found is not None:
            with suppress(OSError):  # nobody reads it yet, or any more
                os.close(os.open(seen, os.O_WRONLY | os.O_NONBLOCK))
        return found

    monkeypatch.setattr(code_use, "at", looking)
    took(ground.checked("sh run.sh"), "src/shop/__init__.py", ground.checkout)


def test_D5_installed_and_not_used_is_sound(ground: Ground) -> None:
    ground.in_place()
    assert ground.checked("python -c pass").outcome == "passed"
    assert ground.checked("! grep -q 'w + h' src/shop/__init__.py").outcome == "failed"


def test_D5_an_editable_install_of_the_runs_own_tree_is_sound(ground: Ground) -> None:
    own = 'echo "$PWD/src" > "$SITE/own.pth"'
    assert ground.checked(f"{own} && {RUN}", SITE=str(ground.site)).outcome == "failed"


def test_D5_what_another_run_left_installed_is_unsound(ground: Ground, tmp_path: Path) -> None:
    left = tmp_path / "foureyes-check-left" / "work" / "src" / "shop"
    left.mkdir(parents=True)
    (left / "__init__.py").write_text((ground.checkout / "src/shop/__init__.py").read_text())
    (ground.site / "own.pth").write_text(f"{left.parent}\n")
    took(ground.checked(RUN), "work/src/shop/__init__.py", tmp_path / "foureyes-check-left")


def test_D5_a_copy_of_the_checkout_is_unsound_and_one_from_an_index_is_not_judged(ground: Ground) -> None:
    copy = ground.site / "shop"
    copy.mkdir()
    (copy / "__init__.py").write_text((ground.checkout / "src/shop/__init__.py").read_text())
    assert ground.checked(RUN).outcome == "passed"
    info = ground.site / "shop-1.dist-info"
    info.mkdir()
    (info / "RECORD").write_text("shop/__init__.py,,\nshop-1.dist-info/RECORD,,\n")
    (info / "direct_url.json").write_text(json.dumps({"dir_info": {}, "url": f"file://{ground.checkout}"}))
    judged = ground.checked(RUN)
    assert judged.outcome == "unsound"
    assert judged.summary.startswith(f"used {copy}/__init__.py, installed from {ground.checkout} (by ")
    assert judged.summary.endswith("PYTHONPATH=src")
    assert ground.checked(f"PYTHONPATH=src {RUN}").outcome == "failed"


def test_D5_a_link_in_an_environment_is_unsound(ground: Ground) -> None:
    (ground.site / "shop").symlink_to(ground.checkout / "src" / "shop")
    assert ground.checked(RUN).outcome == "unsound"


def test_D5_a_clone_that_git_does_not_list_is_known_by_its_files(ground: Ground, tmp_path: Path) -> None:
    clone = tmp_path / "clone"
    (clone / ".git").mkdir(parents=True)
    (clone / "src").mkdir()
    os.rename(ground.checkout / "src" / "shop", clone / "src" / "shop")
    (ground.checkout / "src" / "shop").mkdir()
    (ground.site / "clone.pth").write_text(f"{clone}/src\n")
    took(ground.checked(RUN), "src/shop/__init__.py", clone)


def test_D5_code_of_a_checkout_that_is_only_read_counts_too(ground: Ground) -> None:
    """As linters and type checkers do."""
    read = f"python -c \"open('{ground.checkout}/src/shop/__init__.py').read()\""
    took(ground.checked(read), "src/shop/__init__.py", ground.checkout)


def test_D5_an_environment_inside_of_the_checkout_holds_other_peoples_code(ground: Ground) -> None:
    site = make_environment(ground.checkout / ".venv")
    (site / "other.py").write_text("")
    script(ground.checkout / ".venv", "checker", "import other\n")
    other = ground.checkout / "other"
    (other / ".git").mkdir(parents=True)
    (other / "lib.py").write_text("")
    (site / "other_repository.pth").write_text(f"{other}\n")
    path = f"PATH={ground.checkout}/.venv/bin:$PATH"
    assert ground.checked(f"{path} checker && {path} python -c 'import other, lib'").outcome == "passed"


# What the watch leaves as it was


def test_D5_the_environments_own_sitecustomize_runs_and_the_path_is_as_it_would_be(ground: Ground) -> None:
    (ground.site / "sitecustomize.py").write_text("import sys\nsys.own = 1\n")
    ask = [str(ground.environment / "bin" / "python"), "-c", "import sitecustomize; print(sitecustomize.__file__)"]
    own = subprocess.run(ask, capture_output=True, text=True, check=True).stdout.strip()  # Debian's comes before it
    look = f"import sys, sitecustomize\nassert sitecustomize.__file__ == {own!r} and 'watch' not in str(sys.path), sys.path\n"
    (ground.checkout / "look.py").write_text(look)
    (ground.checkout / "above.py").write_text(
        "import subprocess, sys\nsubprocess.check_call([sys.executable, 'look.py'])\n"
    )
    assert ground.checked("python look.py && python above.py").outcome == "passed"


def test_D5_a_path_that_the_check_asks_for_stays(ground: Ground, tmp_path: Path) -> None:
    (tmp_path / "extra").mkdir()
    (tmp_path / "extra" / "extra.py").write_text("")
    assert ground.checked("python -c 'import extra'", PYTHONPATH=str(tmp_path / "extra")).outcome == "passed"


def test_D5_a_scratch_place_is_never_inside_of_a_checkout(ground: Ground) -> None:
    """Tools look for their files in every directory above."""
    inside = ground.checkout / "tmp"
    inside.mkdir()
    assert ground.checked(f'case "$PWD" in {ground.checkout}/*) exit 1;; esac', TMPDIR=str(inside)).outcome == "passed"


def test_packages_are_found_where_projects_have_them(tmp_path: Path) -> None:
    for name in ("src/shop/__init__.py", "src/one.py", "top/__init__.py", "tests/__init__.py", "setup.py", "data/x.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    assert packages_in([str(tmp_path), str(tmp_path / "gone")]) == ["top", "one", "shop"]
