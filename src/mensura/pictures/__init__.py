"""Pictures: what environments look like, as data, and how that becomes text, SVG, pixels, films and pages."""
