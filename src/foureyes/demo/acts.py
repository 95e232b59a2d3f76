"""Acts of the demo: a night of agents in a temporary repository, from a plan to the tasks that wait for a person.

The lines below a command are its real output. Only the agents' work is scripted. A step that deviates from the story
ends the demo.
"""

from __future__ import annotations

import json
import time

from foureyes.demo import shop
from foureyes.demo.script import script
from foureyes.demo.stage import PATIENCE, Player
from foureyes.demo.story import FE, Story, StoryBroken, found

LOOK_SECONDS = 0.1
DemoTasks = dict[str, str]
"""Ids of the plan's tasks by title."""


def set_the_stage(s: Story) -> None:
    """Create a small repository with tests, a plan, and the agents' script."""
    for name, text in shop.SHOP.items():
        (s.repo / name).write_text(text, encoding="utf-8")
    (s.folder / "plan.md").write_text(shop.PLAN, encoding="utf-8")
    (s.folder / "play.json").write_text(json.dumps(script(), indent=1), encoding="utf-8")
    name = "git config user.name Alice && git config user.email alice@example.org"
    s.do(s.alice, f"git init -q -b main && {name} && git add . && git commit -q -m 'A small shop'", quiet=True)
    s.do(s.alice, "fe whoami", ": human, observed", quiet=True)


def plan(s: Story, settings: str = "") -> DemoTasks:
    """Set up the project with its checks and agents, and import the plan."""
    s.tell("1. Alice makes the repository a project. The tests in its Makefile become the checks.")
    s.do(s.alice, "fe init --try", "Foureyes project created.", "tried: passed")
    s.tell(
        "2. Two agents will work here, dev and its senior. Alice adds them to the configuration and imports her plan."
    )
    file = s.repo / "foureyes.toml"
    text = file.read_text(encoding="utf-8").replace("[project]\n", "[project]\ndemo = true\n", 1)
    agents = shop.SETTINGS.replace("{script}", str(s.folder / "play.json"))
    file.write_text(text + agents + settings, encoding="utf-8")
    s.do(s.alice, "git commit -q -a -m 'Two agents'", quiet=True)
    fingerprint = found(r"--seen (\S+)", s.do(s.alice, "fe config accept", expect=2, quiet=True))
    s.do(s.alice, f"fe config accept --seen {fingerprint}", quiet=True)
    s.do(s.alice, "fe config set review.human.settle_seconds 1", quiet=True)
    text = s.do(s.alice, "fe plan import ../plan.md", "planned 7 tasks")
    return {title: found(rf"(fe-\w+) .*{title}", text) for title in shop.PLAN_TITLES}


def sprint(s: Story, runner: Player, target: str, *options: str) -> None:
    """Start a sprint of the whole plan, with a runner for its tasks."""
    s.do(s.alice, f"fe sprint plan {target}", "planned: 7 tasks")
    runner.begin([*FE, "run", "--agents", "3", *options], s.repo)
    late = time.monotonic() + PATIENCE
    while not json.loads(s.do(s.alice, "fe status --json", quiet=True))["runners"]:
        if time.monotonic() > late or runner.has_answered:
            raise StoryBroken("no runner is running")
        time.sleep(LOOK_SECONDS)
    s.do(s.alice, "fe sprint start s-01", "s-01 has started: 7 tasks")


def night(s: Story, t: DemoTasks) -> str:
    """Run the agents until no work is left. They submit, and their work is checked, sent back or merged. Return the
    runner's output.
    """
    s.tell("3. Alice starts a sprint with a runner and goes home. From here on, nobody types anything.")
    runner = Player(s.folder, "runner", person=True)
    try:
        sprint(s, runner, "--until-idle", "--until-idle")
        answer = runner.wait()
    finally:
        runner.close()
    output = s.show(s.alice, "fe run --agents 3 --until-idle", answer, "sent back", "conflict", "started: senior")
    s.do(s.alice, "fe sprint status", "7/7 tasks")
    merged = (shop.GREET, shop.DISCOUNT, shop.CURRENCY, shop.CENTS, shop.ORDER)
    for title in merged:
        s.do(s.alice, f"fe show {t[title]}", "closed (merged)", quiet=True)
    return output


def morning(s: Story, t: DemoTasks, output: str) -> None:
    """Show the results of the night, each with the rule behind it."""
    s.tell("4. The next morning, simple changes with green checks are on main. Each shows why it was approved.")
    s.do(s.alice, "git log --graph --oneline main")
    s.do(s.alice, f"fe show {t[shop.GREET]}", "M4, automatically by a rule")
    s.tell("5. The discount was wrong at first. Red checks sent it back, and its author fixed it.")
    s.do(s.alice, f"fe show --rounds {t[shop.DISCOUNT]}", "developer  in review")
    s.tell("6. Two tasks changed the same line. The second one conflicted, was sent back, and was submitted again.")
    second = found(r"(fe-\w+) conflict", output)
    print("".join(f"    {line.strip()}\n" for line in output.splitlines() if second in line), end="")
    s.tell("7. The order line made no progress twice, so it escalated to the senior, who solved it.")
    s.do(s.alice, f"fe show --rounds {t[shop.ORDER]}", "senior")
    s.tell("8. The agent of the login tried to approve its own work. Its token does not allow that.")
    log = s.do(s.alice, f"fe logs {t[shop.LOGIN]}", quiet=True)
    print(f"alice$ fe logs {t[shop.LOGIN]}      (of it:)")
    refusal = found(r"(> Bash fe approve [^\n]*\n *refused: approve is not allowed here[^\n]*\n +- [^\n]*)", log)
    print("".join(f"    {line}\n" for line in refusal.splitlines()), end="")


def peers(s: Story, t: DemoTasks) -> None:
    """Show two reviewers: a blocker stops only its own task, a concern sends a task back, and the second review
    approves it.
    """
    login, receipt = t[shop.LOGIN], t[shop.RECEIPT]
    s.tell("9. Alice asks two agents for reviews. Neither wrote any of this work. The runner starts them.")
    s.do(s.alice, f"fe review request {login} --ask critic --ask reader", "critic")
    s.do(s.alice, f"fe review request {receipt} --ask critic --ask reader", "critic")
    s.do(s.alice, "fe run --agents 3 --until-idle")
    s.tell("10. A reviewer's blocker held the login and nothing else (R1). Alice reads why and resumes it.")
    s.do(s.alice, "fe status --attention", "critic reported a blocker (R1)")
    s.do(s.alice, f'fe resume {login} -m "what is stored is a hash"')
    s.tell(
        "11. One reviewer had concerns about the receipt. It was sent back with the finding (R3) and fixed, and both approve it now."
    )
    s.do(s.alice, f"fe review request {receipt} --ask critic --ask reader", quiet=True)
    s.do(s.alice, "fe run --agents 3 --until-idle", quiet=True)
    s.do(s.alice, "fe review show", "critic reported a blocker", "R3: ", "R4: ")
    s.do(s.alice, f"fe finding list {receipt}", "HIGH")


def your_turn(s: Story) -> None:
    """Show the remaining tasks, and where everything is."""
    s.tell("12. The tasks waiting for a person, riskiest first, and the journal of everything.")
    s.do(s.alice, "fe queue", "2 tasks wait in review", "security label")
    s.do(s.alice, "fe status", "closed 5")
    s.do(s.alice, "fe audit verify", "rows verified")
    rows = (
        ("fe queue, fe show ID, fe logs ID", "waiting tasks, one task in detail, the output of its agent"),
        (".foureyes/store.db", "the journal: fe audit verify"),
        (".foureyes/worktrees/", "the agents' worktrees, without those of merged tasks"),
        ("git for-each-ref refs/foureyes", "every attempt that was ever submitted"),
        ("foureyes.toml", "the checks, agents and rules, reviewed like all other files"),
    )
    print("\nWhere to look:")
    print("".join(f"  {what:<38}  {why}\n" for what, why in rows), end="")
