"""The rules of perturbations that are compiled."""
