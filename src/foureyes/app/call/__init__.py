"""What every verb begins with: the context, the caller, the facts, one way to read and to write."""
