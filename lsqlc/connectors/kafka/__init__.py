"""Topics in Kafka, as its clients see them: settings, bytes of records, the log, and what topics a project needs.

Importing these modules does not import confluent-kafka; `client` does, once a connection is wanted.
"""
