"""The MCP server: the verbs of the Application as tools for agents, over stdin and stdout."""
