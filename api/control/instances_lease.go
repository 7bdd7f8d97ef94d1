package control

import (
	"context"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/durationpb"

	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// HoldLease creates a lease that lasts as long as the stream. Instances bound to it are gone when the stream has ended
// on this side.
func (s *instances) HoldLease(_ *controlv1.HoldLeaseRequest, stream grpc.ServerStreamingServer[controlv1.HoldLeaseResponse]) error {
	ctx, cancel := s.until(stream.Context())
	defer cancel()
	lease, end := s.registry.Lease()
	defer end()
	beat := time.NewTicker(s.keepAlive)
	defer beat.Stop()
	message := &controlv1.HoldLeaseResponse{Lease: lease, UntilNext: durationpb.New(2 * s.keepAlive)}
	for {
		if err := stream.Send(message); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-beat.C:
		}
		message = &controlv1.HoldLeaseResponse{UntilNext: durationpb.New(2 * s.keepAlive)}
	}
}
