"""What people type in Python: ``import mensura as ms``, then ``ms.make``, ``ms.assess``, ``ms.compare``, ``ms.watch``.

The command line calls the same functions. ``mensura/__init__.py`` says which names there are.
"""
