"""How you see it: faces that parse, call the Application, and render."""
