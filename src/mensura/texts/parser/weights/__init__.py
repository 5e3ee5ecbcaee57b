"""The parser that comes with Mensura: data under a licence of its own (``NOTICE.txt`` beside it)."""
