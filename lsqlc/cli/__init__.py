"""The command line: one file per verb, thin. What a verb needs is imported when it runs, so that `--help` is quick.

Results go to stdout, words for people to stderr. Exit codes: 0 good, 1 findings or failures, 2 wrong usage or a crash.
"""
