"""`make audit`: laws over thousands of cells, played cell by cell, in as many calls as one likes.

- `law.py`: what a law is; `laws.py`: all of them
- `code.py`: the state of the code that a result belongs to
- `journal.py`: the results so far, on disk
- `workers.py`: processes that play cells
- `runner.py`: plays what is missing, as `python -m tests.audit` says
- `tables.py`: the committed tables, and the page of the documentation that shows them
- `choice.py`: what `make test` plays of each law, as `test_laws.py` does
- `marked_tests.py`: the law that tests marked `audit` pass
"""
