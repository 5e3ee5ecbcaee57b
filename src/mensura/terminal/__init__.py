"""What every command needs at a terminal, those that worlds bring included."""
