"""What the tests of reports share."""

from tests.reports.printing import words_only

__all__ = ["words_only"]
