// Package chunkcodec is the codec of the messages of the control API, for the daemon and the Go client.
//
// It owns how the chunks of a module are written and read: without a copy, and with one. gRPC's own codec writes a message
// into a buffer of a mebibyte, which it clears first, reads it through another one, and copies the chunk twice. All
// messages have the same bytes as with gRPC's codec, which every other client uses. It must not know what is sent in the
// chunks.
package chunkcodec
