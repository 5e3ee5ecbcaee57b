"""Lambda Star: searching a torus for a moving Good while avoiding Evil (Chmait et al., 2016)."""
