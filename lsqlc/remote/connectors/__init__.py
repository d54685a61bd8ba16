"""Where records come from and go to on Spark: the file transport."""
