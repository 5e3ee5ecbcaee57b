"""An agent of your own: a class with one method. Assess it with: mensura assess my_agent.py:MyAgent"""


class MyAgent:
    """Goes to the best cell it sees, and stays where all are alike."""

    def act(self, observation, reward):
        rewards = observation["rewards"].ravel()  # the nine cells around it, itself in the middle
        if rewards.max() == rewards.min():
            return 5  # stay
        return 1 + int(rewards.argmax())  # actions 1 to 9: up-left, up, ..., down-right
