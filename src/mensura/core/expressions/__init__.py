"""A language of expressions for files that people write: read, checked, written back, and run compiled.

``language`` has the tree, the parser and the types; which functions and constants there are is a parameter of it, and
which names there are is asked of the world. ``bytecode`` turns trees into instructions, and ``kernel`` runs them.
"""
