"""The command line: parse, call the Application, print."""
