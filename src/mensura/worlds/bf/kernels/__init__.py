"""The rules of BF and of its subjects, compiled."""
