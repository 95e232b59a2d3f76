"""The project's repository, through the git executable.

`repo.GitRepo` answers the application's questions, `workshop.GitWorkshop` does things to the repository. Below them:
`checkouts` (files of people and tasks), `objects` (what the gate writes), `reading` (what decisions rest on, asked only
in the clean room, where no attribute, driver, replace ref or configuration of anybody exists) and `client` (how git is
called; `locate` finds the repository by reading files).
"""
