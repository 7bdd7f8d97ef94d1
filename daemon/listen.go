package daemon

import (
	"context"
	"errors"
	"net"
	"time"
)

// A daemon that was killed holds its port until the system has freed its memory. An address in use is tried again every
// listenPause, for as long as listenPatience. Ours.
const (
	listenPatience = time.Second
	listenPause    = 20 * time.Millisecond
)

// listen listens on a network, "tcp" or "unix", at an address, for a moment also at one that is in use.
func listen(ctx context.Context, network, address string) (net.Listener, error) {
	return patiently(ctx, func() (net.Listener, error) { return new(net.ListenConfig).Listen(ctx, network, address) })
}

// patiently calls a function until its error is another one than an address in use, or patience ends.
func patiently(ctx context.Context, try func() (net.Listener, error)) (net.Listener, error) {
	for end := time.Now().Add(listenPatience); ; {
		listener, err := try()
		if !errors.Is(err, addressInUse) || !time.Now().Before(end) {
			return listener, err
		}
		select {
		case <-time.After(listenPause):
		case <-ctx.Done():
			return nil, err
		}
	}
}
