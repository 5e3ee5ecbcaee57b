"""Running subjects on worlds: from names to results."""
