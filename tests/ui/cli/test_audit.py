"""What `fe audit verify` says in a line."""

from __future__ import annotations

import pytest

from foureyes.app.results.journal import AuditReport
from foureyes.ui.cli.audit import mirror_words


@pytest.mark.parametrize(
    ("has_mirror", "behind", "words"),
    [
        (True, 0, "mirror complete"),
        (True, 1, "mirror behind by 1 row"),
        (True, 3, "mirror behind by 3 rows"),
        (False, 3, "mirror not here"),
    ],
)
def test_a_mirror_is_called_complete_where_it_is_P8_J2(has_mirror: bool, behind: int, words: str) -> None:
    assert mirror_words(AuditReport(5, "", (), has_mirror=has_mirror, mirror_behind=behind)) == words
