"""What runs leave behind: results in constant memory, and rows of episodes streamed to files."""
