"""Looks for a text that breaks who reads it: programs, files, networks, browsers, models.

    python -m fuzz --seconds 60                 every reader in turn, a minute in all
    python -m fuzz --reader studies             one of them
    python -m fuzz --reader studies --atheris   with atheris (libFuzzer), where it is installed

A reader (:mod:`fuzz.readers`) takes any bytes and has a defined outcome: something that holds together, or a refusal of
the kind that users are told in a sentence. :mod:`fuzz.loop` mutates texts that are right and keeps what reaches code
that nothing reached before.
"""
