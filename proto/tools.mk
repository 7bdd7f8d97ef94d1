# The versions of the tools that make the Go code of the control API.
BUF_VERSION      := v1.75.0
GEN_GO_VERSION   := v1.36.12
GEN_GRPC_VERSION := v1.6.2
