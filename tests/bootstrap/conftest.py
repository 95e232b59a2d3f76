"""What tests of bootstrap share: a home with a name in it, and a repository that has no project yet."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.stage.checkout import Checkout, copy_of, quiet_home, template_in


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    quiet_home(tmp_path / "home", monkeypatch)


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return template_in(tmp_path_factory.mktemp("bootstrap"))


@pytest.fixture
def checkout(tmp_path: Path, template: Path, _home: None) -> Checkout:
    return copy_of(template, tmp_path / "project")
