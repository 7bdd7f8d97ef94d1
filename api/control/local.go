package control

import (
	"context"
	"fmt"
	"net"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/test/bufconn"
)

// Local returns a listener for Serve and a connection to it, for clients in this process. Their RPCs have the limits of
// all others and, if the server has a token, must carry it: token.
func Local(token string) (net.Listener, *grpc.ClientConn, error) {
	listener := bufconn.Listen(localBuffer)
	with := []grpc.DialOption{
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return listener.DialContext(ctx) }),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(MaxResponseBytes), grpc.MaxCallSendMsgSize(maxReadBytes)),
	}
	if token != "" {
		with = append(with, grpc.WithUnaryInterceptor(func(ctx context.Context, method string, in, out any, conn *grpc.ClientConn, call grpc.UnaryInvoker, options ...grpc.CallOption) error {
			return call(bearing(ctx, token), method, in, out, conn, options...)
		}), grpc.WithStreamInterceptor(func(ctx context.Context, about *grpc.StreamDesc, conn *grpc.ClientConn, method string, open grpc.Streamer, options ...grpc.CallOption) (grpc.ClientStream, error) {
			return open(bearing(ctx, token), about, conn, method, options...)
		}))
	}
	connection, err := grpc.NewClient("passthrough:///local", with...)
	if err != nil {
		return nil, nil, fmt.Errorf("connecting to the control API in this process: %w", err)
	}
	return listener, connection, nil
}

// bearing returns a context whose RPCs carry a token.
func bearing(ctx context.Context, token string) context.Context {
	return metadata.AppendToOutgoingContext(ctx, "authorization", "Bearer "+token)
}
