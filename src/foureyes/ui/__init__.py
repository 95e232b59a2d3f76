"""User interfaces: they parse, call the Application, and show the result."""
