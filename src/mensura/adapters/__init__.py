"""Views for those who speak another dialect, one file each: Gymnasium, PettingZoo."""
