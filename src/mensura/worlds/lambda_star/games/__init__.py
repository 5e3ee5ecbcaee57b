"""The games of Lambda Star, a folder each: rules, minds, parameters, texts and drawing; table.py lists them."""
