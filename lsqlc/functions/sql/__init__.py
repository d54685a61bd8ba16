"""The functions of standard SQL, by Spark's names."""
