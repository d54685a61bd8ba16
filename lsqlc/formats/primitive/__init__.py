"""The formats of one value without parts, and KAFKA of ksqlDB, which is one column."""
