"""`python -m lsqlc` is `lsqlc`."""

from lsqlc.cli.main import main

main()
