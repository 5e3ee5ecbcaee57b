"""Search: finding Good, who travels along a pattern, and keeping away from Evil."""
