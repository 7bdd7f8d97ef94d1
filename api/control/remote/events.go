package remote

import (
	"context"
	"time"

	"google.golang.org/grpc/codes"

	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// firstPause and lastPause bound the pauses between attempts to reconnect. They only affect how soon a stream
// continues.
const (
	firstPause = 50 * time.Millisecond
	lastPause  = 5 * time.Second
)

// Watch passes each event to handle until ctx ends, handle fails or the daemon refuses. It replaces a broken
// connection, and continues after the last handled event: nothing is lost or repeated, as long as the daemon remembers
// it.
func (d *Daemon) Watch(ctx context.Context, request *controlv1.WatchRequest, handle func(*controlv1.Event) error) error {
	pause := firstPause
	for {
		token := request.GetResumeToken()
		err := d.watch(ctx, request, handle)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if Code(err) != codes.Unavailable {
			return err
		}
		if request.GetResumeToken() != token {
			pause = firstPause // the connection worked for a while
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
		pause = min(2*pause, lastPause)
	}
}

// watch is one stream. It keeps the token of the last event in the request.
func (d *Daemon) watch(ctx context.Context, request *controlv1.WatchRequest, handle func(*controlv1.Event) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stream, err := d.Events.Watch(ctx, request)
	if err != nil {
		return err
	}
	for {
		response, err := stream.Recv()
		if err != nil {
			return err
		}
		if e := response.GetEvent(); e != nil {
			if err := handle(e); err != nil {
				return err
			}
		}
		request.ResumeToken, request.FromBeginning = response.GetResumeToken(), false
	}
}
