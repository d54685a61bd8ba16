"""Errors of Kafka that pass by themselves: those that the protocol marks as retriable, and those of the client.

The names are those of librdkafka. The protocol also calls a missing topic retriable (`UNKNOWN_TOPIC_OR_PART`,
`UNKNOWN_TOPIC_ID`), since its metadata may be late: here it is an error, since a deleted topic does not come back.
"""

from __future__ import annotations

# No broker answers.
UNREACHABLE = frozenset(
    ("_TRANSPORT", "_ALL_BROKERS_DOWN", "_RESOLVE", "_TIMED_OUT", "_TIMED_OUT_QUEUE", "_MSG_TIMED_OUT",
     "_WAIT_COORD", "REQUEST_TIMED_OUT", "BROKER_NOT_AVAILABLE", "LEADER_NOT_AVAILABLE", "COORDINATOR_NOT_AVAILABLE",
     "NETWORK_EXCEPTION")
)  # fmt: skip
# A broker answers, but is not ready: a leader or a coordinator moves, replicas are missing, metadata is old.
UNSETTLED = frozenset(
    ("NOT_LEADER_FOR_PARTITION", "REPLICA_NOT_AVAILABLE", "FENCED_LEADER_EPOCH", "UNKNOWN_LEADER_EPOCH",
     "OFFSET_NOT_AVAILABLE", "PREFERRED_LEADER_NOT_AVAILABLE", "ELIGIBLE_LEADERS_NOT_AVAILABLE", "NOT_CONTROLLER",
     "NOT_COORDINATOR", "COORDINATOR_LOAD_IN_PROGRESS", "NOT_ENOUGH_REPLICAS", "NOT_ENOUGH_REPLICAS_AFTER_APPEND",
     "_ISR_INSUFF", "KAFKA_STORAGE_ERROR", "LISTENER_NOT_FOUND", "UNSTABLE_OFFSET_COMMIT", "CONCURRENT_TRANSACTIONS",
     "THROTTLING_QUOTA_EXCEEDED", "FETCH_SESSION_ID_NOT_FOUND", "INVALID_FETCH_SESSION_EPOCH", "REBOOTSTRAP_REQUIRED")
)  # fmt: skip
# The transaction is lost, and another one may succeed: a restarted query completes the batch.
ABORTED = frozenset(
    ("_STATE", "_RETRY", "_PURGE_QUEUE", "_PURGE_INFLIGHT", "INVALID_TXN_STATE", "UNKNOWN_PRODUCER_ID",
     "INVALID_PRODUCER_ID_MAPPING", "TRANSACTION_ABORTABLE", "INVALID_MSG")
)  # fmt: skip
# Errors after which the same client repeats a request. A host without an address is a wrong setting at the first
# contact.
ASKED_AGAIN = (UNREACHABLE | UNSETTLED) - {"_RESOLVE"}
# Errors after which a query is restarted.
PASSING = UNREACHABLE | UNSETTLED | ABORTED
# By what Java's clients write in an exception: librdkafka's name of the same.
OF_JAVA = (
    ("NotLeaderOrFollowerException", "NOT_LEADER_FOR_PARTITION"),
    ("NotLeaderForPartitionException", "NOT_LEADER_FOR_PARTITION"),
    ("LeaderNotAvailableException", "LEADER_NOT_AVAILABLE"),
    ("ReplicaNotAvailableException", "REPLICA_NOT_AVAILABLE"),
    ("FencedLeaderEpochException", "FENCED_LEADER_EPOCH"),
    ("UnknownLeaderEpochException", "UNKNOWN_LEADER_EPOCH"),
    ("OffsetNotAvailableException", "OFFSET_NOT_AVAILABLE"),
    ("NotControllerException", "NOT_CONTROLLER"),
    ("NotCoordinatorException", "NOT_COORDINATOR"),
    ("CoordinatorNotAvailableException", "COORDINATOR_NOT_AVAILABLE"),
    ("CoordinatorLoadInProgressException", "COORDINATOR_LOAD_IN_PROGRESS"),
    ("NotEnoughReplicasAfterAppendException", "NOT_ENOUGH_REPLICAS_AFTER_APPEND"),
    ("NotEnoughReplicasException", "NOT_ENOUGH_REPLICAS"),
    ("KafkaStorageException", "KAFKA_STORAGE_ERROR"),
    ("ListenerNotFoundException", "LISTENER_NOT_FOUND"),
    ("ConcurrentTransactionsException", "CONCURRENT_TRANSACTIONS"),
    ("ThrottlingQuotaExceededException", "THROTTLING_QUOTA_EXCEEDED"),
    ("TransactionAbortableException", "TRANSACTION_ABORTABLE"),
    ("InvalidPidMappingException", "INVALID_PRODUCER_ID_MAPPING"),
    ("BrokerNotAvailableException", "BROKER_NOT_AVAILABLE"),
    ("NetworkException", "NETWORK_EXCEPTION"),
    ("TimeoutException", "_TIMED_OUT"),
    ("DisconnectException", "_TRANSPORT"),
)
# By the names that kafka-python gives to errors of brokers: librdkafka's, where it has another one.
OF_PYTHON = {
    "NOT_LEADER_OR_FOLLOWER": "NOT_LEADER_FOR_PARTITION",
    "CORRUPT_MESSAGE": "INVALID_MSG",
    "KafkaTimeoutError": "_TIMED_OUT",
    "KafkaConnectionError": "_TRANSPORT",
    "NodeNotReadyError": "_TRANSPORT",
    "MetadataEmptyBrokerList": "_ALL_BROKERS_DOWN",
}
