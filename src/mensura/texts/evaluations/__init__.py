"""The paper's evaluations of mappings: clones, plagiarism, and how well triples are read."""
