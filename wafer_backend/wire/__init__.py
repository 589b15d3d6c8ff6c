"""The OpenAI protocol, exact: parsing what clients send, writing what they read. Pure: no clocks, no sockets."""
