"""The tragedy of the commons: harvesting a stock that regrows, and that all may exhaust."""
