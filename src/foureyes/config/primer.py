"""The instructions for agents. The rules come first, because long texts get cut."""

from __future__ import annotations

RULES = """\
Foureyes: nothing reaches the main branch until someone other than its author has approved it.
RULES
1. Never approve or close your own work, and do not work around a refusal.
2. Do not edit .foureyes/ (your worktree in it is fine), foureyes.toml or other people's refs. Never pass --as or set FOUREYES_*.
3. A refusal lists every reason and the next command. Do what it says, or ask a person.
4. Commit before you submit. Any later change needs a new submission.
"""

WORK = """\
WORK
  fe next                          claim the most urgent ready task   (or: fe start ID)
  cd .foureyes/worktrees/ID        your own checkout of it: work and commit there
  fe show ID --context             the task and all earlier feedback
  fe finding list ID --open        open findings. Answer each blocking one:
  fe finding answer F --fixed|--rejected -m "…"   (--rejected needs --ground and a technical reason)
  fe log ID "what you found out"   record what you learn
  fe submit ID -m "what you did"   then: fe next
  fe handoff ID --done … --remaining …     if you stop early
REVIEW (other people's work)
  fe list --reviewable             tasks you may approve, named like 2.9b20c4d1
  fe check show ID                 check results (a person or a service runs the checks)
  fe show ID --diff                the whole change: read it first
  fe approve ID --seen ATTEMPT.DIFF [-m "why"]   -m is required if you created the task
  fe redo ID -m "what to change"   send it back          fe reject ID -m "why"
  fe review submit ID FILE         your findings as a document: fe show ID --prompt review
  fe finding judge F --verified|--not-fixed|--accepted|--overruled
SUB-AGENTS count as you until each has its own token
  fe session spawn ID --role implement|review     pass the token as FOUREYES_TOKEN, later: fe session end NAME
Every command has --json and --help. Exit codes: 0 done, 1 refused by a rule, 2 usage, 3 not found,
4 someone else was faster, 5 environment, 6 verification failed. Who am I: fe whoami
"""

PRIME = RULES + WORK

BLOCK = f"""\
## Foureyes: how work gets done here

Run `fe prime` before you start: it prints these rules and the commands.

```
{RULES.rstrip()}
```
"""
