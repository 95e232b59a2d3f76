"""Text forms of answers: tasks, findings, loops, sprints. No command is defined here."""
