"""Values as JSON has them."""

from __future__ import annotations

from foureyes.errors import BadInput
from foureyes.steps import fe
from foureyes.ui.values import error_of, storable


def test_text_that_is_no_utf_8_is_written_out_wherever_it_stands() -> None:
    assert storable({"caf\udce9": ["\udce9", ("x", 1)]}) == {"caf\\xe9": ["\\xe9", ["x", 1]]}


def test_G2_an_error_has_its_code_and_the_next_step_as_text() -> None:
    body = error_of(BadInput("no.", next_step=fe("list"), task="fe-1"))["error"]
    assert (body.code, body.message, body.next, body.task) == ("usage", "no.", "fe list", "fe-1")
