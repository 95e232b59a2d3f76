"""What pages say: lines of text made from views."""
