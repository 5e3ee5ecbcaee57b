"""Classes of environments, one folder each."""
