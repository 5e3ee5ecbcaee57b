"""The torus on which all games of Lambda Star are played: what they share, and nothing of any one of them."""
