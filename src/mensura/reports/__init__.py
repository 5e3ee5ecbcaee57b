"""What people read: figures and one-file HTML, from records and statistics only."""
