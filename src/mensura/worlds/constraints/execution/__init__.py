"""Real runs of a problem: the agents of an algorithm in several processes or on several machines, peer to peer."""
