"""Mensura for people: the human test, the research view and the dashboard, served to a browser."""
