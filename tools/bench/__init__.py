"""The benchmarks of lsqlc, run by `make bench`. Not part of the package that is installed."""
