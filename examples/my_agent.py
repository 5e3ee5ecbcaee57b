"""An agent of your own: a class with one method. Assess it with: mensura assess my_agent.py:MyAgent"""


class MyAgent:
    """Remembers what its actions brought, by where it was and where Good and Evil were, and takes the best."""

    def __init__(self):
        self.brought, self.last = {}, None

    def act(self, observation, reward):
        hoped = self.brought.get(self.last, 1.0)  # the best, until it knows better
        self.brought[self.last] = hoped + 0.2 * (reward - hoped)
        seen = tuple(float(observation[name]) for name in ("cell", "good", "evil"))
        actions = range(len(observation["ways"]))  # each leads to a cell: observation["ways"]
        self.last = max(((seen, a) for a in actions), key=lambda one: self.brought.get(one, 1.0))
        return self.last[1]
