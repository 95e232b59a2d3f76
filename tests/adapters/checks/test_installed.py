"""Which environments have a checkout in place, read before anything runs: for `fe doctor` (D5)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from foureyes.adapters.checks.pipeline import Pipeline
from foureyes.core.nouns.check_config import CheckoutRule, CheckRule

from tests.adapters.checks.environments import Ground, make_ground, script


@pytest.fixture
def ground(tmp_path: Path) -> Ground:
    made = make_ground(tmp_path)
    script(made.environment, "pytest", "")
    return made


def misled(ground: Ground, command: str = "pytest -q") -> str:
    pipeline = Pipeline({"PATH": f"{ground.environment}/bin"}, [str(ground.checkout)])
    return pipeline.misled(CheckRule(name="tests", run=command))


@pytest.mark.parametrize("way", ["pth", "egg-link", "direct_url", "link"])
def test_D5_an_environment_that_has_the_checkout_in_place_is_told(ground: Ground, way: str) -> None:
    source = ground.checkout / "src"
    if way in ("pth", "egg-link"):
        (ground.site / f"shop.{way}").write_text(f"import sys\n{source}\n.")
    elif way == "link":
        (ground.site / "shop").symlink_to(source / "shop")
    else:
        (ground.site / "shop-1.dist-info").mkdir()
        (ground.site / "shop-1.dist-info" / "direct_url.json").write_text(json.dumps({"url": f"file://{source}"}))
    assert misled(ground).startswith(str(source))


def test_D5_nothing_is_told_where_the_tree_goes_first_or_nothing_is_installed(ground: Ground) -> None:
    (ground.site / "other.pth").write_text("/elsewhere\n")
    assert misled(ground) == ""
    ground.in_place()
    assert misled(ground)
    assert misled(ground, "PYTHONPATH=src pytest") == ""
    assert misled(ground, "make test") == ""
    assert misled(ground, "python -m mypy src") == ""
    (ground.checkout / "pytest.ini").write_text("[pytest]\npythonpath = src\n")
    assert misled(ground) == ""
    assert Pipeline({}, []).misled(CheckRule(name="tests", run="pytest")) == ""


def test_D5_a_root_that_goes_first_does_not_hide_a_package_that_is_installed_from_src(ground: Ground) -> None:
    (ground.site / "_editable_impl_shop.pth").write_text(f"{ground.checkout / 'src'}\n")
    (ground.checkout / "conftest.py").write_text("")
    assert misled(ground) == str(ground.checkout / "src")
    (ground.checkout / "pytest.ini").write_text("[pytest]\npythonpath = src\n")
    assert misled(ground) == ""


def test_D5_an_environment_inside_of_the_checkout_is_not_the_project_itself(ground: Ground) -> None:
    inside = ground.checkout / ".venv"
    ground.environment.rename(inside)
    script(inside, "pytest", "")
    site = inside / ground.site.relative_to(ground.environment)
    (site / "other-1.dist-info").mkdir()
    pipeline = Pipeline({"PATH": f"{inside}/bin"}, [str(ground.checkout)])
    assert pipeline.misled(CheckRule(name="tests", run="pytest -q")) == ""
    (site / "shop.pth").write_text(f"{ground.checkout / 'src'}\n")
    assert pipeline.misled(CheckRule(name="tests", run="pytest -q")) == str(ground.checkout / "src")


def test_D5_an_environment_that_prepare_makes_in_the_tree_is_not_the_one_of_the_checkout(ground: Ground) -> None:
    inside = ground.checkout / ".venv"
    ground.environment.rename(inside)
    script(inside, "pytest", "")
    (inside / ground.site.relative_to(ground.environment) / "shop.pth").write_text(f"{ground.checkout / 'src'}\n")
    made = CheckoutRule(prepare="python3 -m venv .venv")

    def told(run: str, path: str, checkout: CheckoutRule | None = made) -> bool:
        rule = CheckRule(name="tests", run=run, checkout=checkout)
        return bool(Pipeline({"PATH": path}, [str(ground.checkout)]).misled(rule))

    assert [told(run, "/usr/bin") for run in (".venv/bin/pytest -q", ".venv/bin/python -m pytest")] == [False, False]
    assert told(".venv/bin/pytest -q", "/usr/bin", None)
    assert told(f"{inside}/bin/pytest -q", "/usr/bin")
    assert told("pytest -q", f"{inside}/bin")


@pytest.mark.parametrize(
    ("run", "checkout", "word"),
    [
        ("pytest -q", None, ""),
        ("mypy src", None, "mypy"),
        ("CI=1 mypy src", None, "mypy"),
        (".venv/bin/mypy src", None, ""),
        ("cd src && mypy .", None, ""),
        ("! grep -r TODO src", None, ""),
        ("mypy src", CheckoutRule(prepare="uv sync --frozen"), "uv"),
        ("mypy src", CheckoutRule(prepare="pytest --version"), ""),
        ("mypy src", CheckoutRule(build="npm run build"), "npm"),
    ],
)
def test_D5_a_program_that_is_not_here_is_told_as_far_as_that_can_be_said_before(
    ground: Ground, run: str, checkout: CheckoutRule | None, word: str
) -> None:
    pipeline = Pipeline({"PATH": f"{ground.environment}/bin"}, [str(ground.checkout)])
    assert pipeline.absent(CheckRule(name="lint", run=run, checkout=checkout)) == word
