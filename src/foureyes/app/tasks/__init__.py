"""What is to be done: tasks, plans, notes, stops, and the tier a task has reached."""
