"""Protocols that choose environments and turn rewards into a score."""
