"""The command line: thin commands over the rest of the house."""

import sys

# Of `python -m mensura.cli.main`, which looks for modules in the current folder first.
if sys.argv[:1] == ["-m"]:
    from mensura.core.interpreter import leave_out_current_folder

    leave_out_current_folder()
