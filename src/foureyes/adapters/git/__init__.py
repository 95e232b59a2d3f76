"""Access to the project's repository through the git executable.

`repo.GitRepo` reads the repository, `workshop.GitWorkshop` changes it. Below them, `checkouts` handles the worktrees of
people and tasks, `objects` writes objects and refs for the gate, `reading` reads the facts behind decisions, and
`client` calls git. `reading` uses only the clean room, which has no attributes, drivers, replace refs or user
configuration. `locate` finds the repository by reading files.
"""
