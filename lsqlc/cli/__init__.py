"""The command line: one thin file per verb, which imports its modules when it runs, so that `--help` is quick.

Results go to stdout, messages for people to stderr. Exit codes: 0 good, 1 findings or failures, 2 wrong usage or a
crash.
"""
