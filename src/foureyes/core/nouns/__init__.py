"""Domain types: task, session, attempt, check, finding, cycle, run, sprint."""
