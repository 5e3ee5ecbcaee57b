"""The folder in which a subject in its cage finds modules of ours: it stands first in its search path."""
