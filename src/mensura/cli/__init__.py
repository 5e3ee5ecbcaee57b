"""The command line: thin commands over the rest of the house."""

import sys

if sys.argv[:1] == [
    "-m"
]:  # of `python -m mensura.cli.main`, which looks for modules in the current folder first
    from mensura.core.interpreter import leave_out_current_folder

    leave_out_current_folder()
