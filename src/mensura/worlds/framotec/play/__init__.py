"""A task as it is played: its description, and its simulation by compiled rules."""
