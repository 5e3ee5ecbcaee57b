"""The machine, the search for programs of one series, and the enumeration of all programs, compiled."""
