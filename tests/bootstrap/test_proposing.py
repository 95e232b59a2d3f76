"""What a project could have for checks, later than `fe init`: as lines that read back (D5)."""

from __future__ import annotations

from contextlib import closing

from foureyes.bootstrap.check_trial import as_lines, propose, try_out
from foureyes.bootstrap.init import create_project
from foureyes.bootstrap.wiring import open_project
from foureyes.config.parser import read_file

from tests.stage.checkout import Checkout
from tests.stage.people import ALICE


def test_what_is_proposed_reads_back_and_is_written_nowhere(checkout: Checkout) -> None:
    checkout.write("package.json", '{"scripts": {"test": "x"}}')
    checkout.write("package-lock.json", "{}")
    found = propose(str(checkout.path))
    settings = read_file(as_lines(found))
    assert (settings["checkout.prepare"], settings["checks"]) == ("npm ci", tuple(one.rule for one in found.checks))
    assert not (checkout.path / "foureyes.toml").exists()
    (checkout.path / "package.json").unlink()
    assert as_lines(propose(str(checkout.path))) == ""


def test_what_is_tried_says_what_came_of_it_D5(checkout: Checkout) -> None:
    makefile = "test:\n\techo red; false\nlint:\n\ttrue\n"
    checkout.commit("Makefile", makefile)
    found = try_out(str(checkout.path), {"PATH": "/usr/bin:/bin"}, ALICE, lambda line: None)
    assert [(one.rule.name, one.outcome, one.rule.required) for one in found.checks] == [
        ("tests", "failed", True), ("lint", "passed", True),
    ]  # fmt: skip
    assert "red" in found.checks[0].output
    assert [one.run for one in found.checks] == [0, 0], "there is no project that could keep it"
    checkout.commit("Makefile", "all:\n")
    create_project(str(checkout.path), {}, ALICE, prefix="fe", target=None, commit=True)
    checkout.commit("Makefile", makefile)
    red, _ = try_out(str(checkout.path), {"PATH": "/usr/bin:/bin"}, ALICE, lambda news: None).checks
    with closing(open_project(str(checkout.path), {})) as app:
        assert "red\n" in app.check_runs.one(red.run).output


OWN = '[checkout]\nprepare = "touch made"\nextra_inputs = ["need.txt"]\n'
NEEDS = "test:\n\ttest -e made\nlint:\n\ttest -e made\n"


def test_what_is_tried_has_the_checkout_that_the_project_has_already_D5(checkout: Checkout) -> None:
    environ = {"PATH": "/usr/bin:/bin", "TMPDIR": str(checkout.path.parent)}
    create_project(str(checkout.path), {}, ALICE, prefix="fe", target=None, commit=True)
    checkout.commit("Makefile", NEEDS)
    checkout.commit("foureyes.toml", (checkout.path / "foureyes.toml").read_text() + OWN)
    found = try_out(str(checkout.path), environ, ALICE, lambda news: None)
    assert [(one.rule.name, one.outcome) for one in found.checks] == [("tests", "passed"), ("lint", "passed")]
    assert found.notes == ("tried with the [checkout] of the local foureyes.toml, which differs from the accepted one",)
    with closing(open_project(str(checkout.path), {})) as app:
        app.policy.accept(ALICE)
    assert try_out(str(checkout.path), environ, ALICE, lambda news: None).notes == ()
    checkout.write("foureyes.toml", OWN.replace("touch made", "echo no network; false"))
    broken = try_out(str(checkout.path), environ, ALICE, lambda news: None)
    assert [one.outcome for one in broken.checks] == ["crashed", "crashed"], "as the gate would have it"
    assert as_lines(broken) == ""


def test_what_has_a_checkout_is_proposed_no_other_one_D5(checkout: Checkout) -> None:
    checkout.write("package.json", '{"scripts": {"test": "x"}}')
    checkout.write("package-lock.json", "{}")
    checkout.write("foureyes.toml", OWN)
    assert "checkout" not in as_lines(propose(str(checkout.path)))
    made = create_project(str(checkout.path), {}, ALICE, prefix="fe", target=None, commit=False, source="foureyes.toml")
    assert made.prepare == ""
