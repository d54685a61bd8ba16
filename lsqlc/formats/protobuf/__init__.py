"""The formats PROTOBUF and PROTOBUF_NOSR."""
