"""The connector of streaming queries for topics in folders of JSON lines."""
