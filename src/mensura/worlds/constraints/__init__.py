"""Distributed constraints: problems whose parts are known to different seats, who solve them by messages."""
