"""Rooms: several players in one episode, people in browsers and programs, turn by turn.

A room is one sitting of a run. What is done in a turn is committed, then acknowledged, then shown to the others, and
the sitting is made again from it whenever that is needed: :mod:`.live` is the sitting, :mod:`.record` what is kept of
it, :mod:`.hall` the rooms and the waiting room of a server.
"""
