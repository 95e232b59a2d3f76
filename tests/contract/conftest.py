"""A ground for every contract: each test runs on the script and on real git."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.contract.grounds import Ground, Real, Scripted
from tests.stage.checkout import SETTINGS, Checkout, copy_of, quiet_home, template_in


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository that is made once and copied for every test."""
    return template_in(tmp_path_factory.mktemp("contract"), SETTINGS)


@pytest.fixture
def checkout(template: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Checkout:
    quiet_home(tmp_path / "home", monkeypatch)
    return copy_of(template, tmp_path / "project")


@pytest.fixture(params=["script", "git"])
def ground(request: pytest.FixtureRequest) -> Ground:
    return Scripted() if request.param == "script" else Real(request.getfixturevalue("checkout"))
