"""What agent programs write while they work, read as it comes: one module per format."""
