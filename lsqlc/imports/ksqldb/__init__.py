"""ksqlDB: scripts, and what a server or its command line says of its streams, tables and queries."""
