"""How answers look as text: the page of a task, findings, the loop. No command lives here."""
