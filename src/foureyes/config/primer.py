"""What an agent is told about Foureyes: the rules first, because long texts get cut."""

from __future__ import annotations

RULES = """\
Foureyes: nothing is done until a DIFFERENT pair of eyes agreed.
RULES
1. Whoever made a change may not approve or close it. Trying is refused and explained; do not work around it.
2. Never edit .foureyes/ (but your worktree), foureyes.toml, refs of others; never pass --as, change no FOUREYES_*.
3. Every refusal lists all reasons and the next command. Read them. Do what they say, or ask a person.
4. What you did not commit is not handed in. A changed line after submit needs a new submit.
"""

WORK = """\
WORK
  fe next                          claim the best ready task   (or: fe start ID)
  cd .foureyes/worktrees/ID        its own checkout, begun at the target: work and commit there
  fe context ID                    all you need to know, earlier feedback too
  fe finding list ID --open        what a review found: answer each that blocks
  fe finding answer F (--fixed or --rejected) -m "…"   (rejected: --ground, and a technical reason)
  fe log ID "what you found out"   leave a trail
  fe submit ID -m "what you did"   hand in; then fe next
  fe handoff ID --done … --remaining …     when you stop early
REVIEW (work of others)
  fe list --reviewable                    what you may approve now, as 2.9b20c4d1
  fe check show ID                 what checks printed (a person or a service runs them)
  fe show ID --diff                read the whole change
  fe approve ID --seen ATTEMPT.DIFF [-m "why"]   -m is needed if you created the task
  fe review submit ID FILE         what you found, as a document: fe show ID --prompt review
  fe finding judge F (--verified or --not-fixed or --accepted or --overruled)
  fe redo ID -m "what is wrong"    send it back          fe reject ID -m "why"
SUB-AGENTS (they are you, until each has a token)
  fe session spawn ID --role implement|review      give it the token as FOUREYES_TOKEN; done: fe session end NAME
Every command: --json, --help with an example. Exit codes: 0 done, 1 refused by a rule, 2 usage, 3 not found,
4 somebody was faster, 5 environment, 6 verification failed. Who am I: fe whoami
"""

PRIME = RULES + WORK

BLOCK = f"""\
## Foureyes: how work gets done here

This repository uses Foureyes (`fe`). Run `fe prime` at the start of a session.

```
{PRIME.rstrip()}
```
"""
