"""People who are assessed: their studies, their sittings, and what of an environment they are shown."""
