"""`fe config accept`: what is shown, and what it wants to hear."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import Any, cast

import pytest

from foureyes.app.results.settings import ConfigurationOffer
from foureyes.errors import BadInput
from foureyes.ui.cli import config
from foureyes.ui.steps import steps_text


def test_the_digest_that_is_shown_is_the_one_that_seen_wants_P12_G2(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", SimpleNamespace(isatty=lambda: False))
    told: list[str] = []
    offer = ConfigurationOffer(
        target="main", seen=f"sha256:{'1a' * 32}", digest=f"sha256:{'2b' * 32}", new=True, changed=(), lines=("a",)
    )
    with pytest.raises(BadInput) as caught:
        config._agrees(cast("Any", SimpleNamespace(json=False, note=told.append)), offer)
    digests = re.findall(r"sha256:[0-9a-f]{8}", "\n".join([*told, steps_text(caught.value.next_step)]))
    assert digests == ["sha256:1a1a1a1a"] * 2
