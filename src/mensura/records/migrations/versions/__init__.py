"""One module a revision. A revision that was released is never edited: a new one goes on from it."""
