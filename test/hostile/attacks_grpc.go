package main

import (
	"context"
	"errors"
	"net"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

const (
	// halfMessages is how many messages are half sent at once.
	halfMessages = 20
	// messageSize is how large each would be, and sentSize how much of it is sent.
	messageSize = 30 << 20
	sentSize    = 28 << 20
)

// halfSentMessages sends most of large gRPC messages, each over a connection of its own, and
// waits then.
func halfSentMessages() attack {
	return attack{
		name: "grpc-messages", limits: standard,
		why: "20 gRPC messages of 30 MiB that are never sent to their end; messages being read",
		run: func(ctx context.Context, s *stage) {
			message := make([]byte, messageSize)
			s.keep(ctx, halfMessages, 2*time.Second, func(ctx context.Context, _ int) error {
				client, err := s.halfSender()
				if err != nil {
					return err
				}
				defer func() { _ = client.Close() }()
				return client.Invoke(ctx, controlv1.Calls_Update_FullMethodName, message, new([]byte), grpc.ForceCodec(rawCodec{}))
			})
		},
	}
}

// halfSender is a gRPC client of one connection that takes sentSize bytes.
func (s *stage) halfSender() (*grpc.ClientConn, error) {
	dialed := false
	return grpc.NewClient("passthrough:///half", grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) {
			if dialed {
				return nil, errors.New("the connection was closed")
			}
			dialed = true
			conn, err := s.connect(ctx)
			if err != nil {
				return nil, err
			}
			return &halfConn{Conn: conn, room: sentSize}, nil
		}))
}

// rawCodec sends bytes as they are: to encode megabytes would cost this process more than the daemon.
type rawCodec struct{}

func (rawCodec) Marshal(v any) ([]byte, error)      { return v.([]byte), nil }
func (rawCodec) Unmarshal(data []byte, v any) error { *v.(*[]byte) = data; return nil }
func (rawCodec) Name() string                       { return "proto" }

// halfConn keeps to itself what is written beyond room.
type halfConn struct {
	net.Conn
	room int
}

// Write writes what there is room for, and says that it wrote everything. gRPC writes on one goroutine.
func (c *halfConn) Write(p []byte) (int, error) {
	through := min(len(p), c.room)
	c.room -= through
	if _, err := c.Conn.Write(p[:through]); err != nil {
		return 0, err
	}
	return len(p), nil
}
