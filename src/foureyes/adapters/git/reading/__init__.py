"""What decisions rest on, read in the clean room only."""
