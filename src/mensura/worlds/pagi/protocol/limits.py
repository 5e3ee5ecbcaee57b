"""How much a client may ask for: whatever it sends, a frame costs a bounded time and memory."""

LONGEST = 65_536
"""Characters of a message, also of one that comes in several lines."""
LONGEST_NAME = 200
"""Characters of a name of a state, a reflex, an item or a file."""
MOST_COMMANDS = 200
"""Commands of a seat in one frame."""
MOST_STATES = 200
MOST_REFLEXES = 200
MOST_CONDITIONS = 32
"""Of one reflex."""
MOST_ACTIONS = 32
"""Of one reflex."""
MOST_FIRED = 2_000
"""Actions that the reflexes of a seat carry out in one frame."""
LONGEST_ANSWERS = 1_000_000
"""Characters of what a seat is told in one frame."""
