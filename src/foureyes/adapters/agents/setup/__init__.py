"""What agent programs read of a repository: instructions, tool servers, hooks. Written, examined, taken out."""
