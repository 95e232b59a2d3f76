"""A ground for every contract: each test runs on the script and on real git."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.contract.grounds import Ground, Real, Scripted
from tests.stage.checkout import SETTINGS, Checkout, copy_of, make_template, quiet_home


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository that is made once and copied for every test."""
    folder = tmp_path_factory.mktemp("contract")
    with pytest.MonkeyPatch.context() as monkeypatch:
        quiet_home(folder / "home", monkeypatch)
        return make_template(folder / "project", SETTINGS)


@pytest.fixture
def checkout(template: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Checkout:
    quiet_home(tmp_path / "home", monkeypatch)
    return copy_of(template, tmp_path / "project")


@pytest.fixture(params=["script", "git"])
def ground(request: pytest.FixtureRequest) -> Ground:
    return Scripted() if request.param == "script" else Real(request.getfixturevalue("checkout"))
