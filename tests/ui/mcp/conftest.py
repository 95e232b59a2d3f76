"""A project for the server, made once and copied."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.stage.checkout import quiet_home
from tests.ui.mcp.office import Conversation, Office, build


@pytest.fixture(scope="session")
def office_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("office") / "shop")


@pytest.fixture
def office(office_template: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Office:
    quiet_home(tmp_path / "home", monkeypatch)
    return Office(office_template, tmp_path / "shop")


@pytest.fixture
def talk(office: Office) -> Iterator[Conversation]:
    """A conversation with all tools."""
    conversation = Conversation(office, everything=True)
    yield conversation
    conversation.close()
