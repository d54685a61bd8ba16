"""Import of ksqlDB: scripts, and the streams, tables and queries that a server or its command line lists."""
