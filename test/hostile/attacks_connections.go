package main

import (
	"context"
	"fmt"
	"net"
	"sync"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/canisterd/canisterd/candid/principal"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// connectionAttacks hold what connections and streams take.
func connectionAttacks() []attack {
	return []attack{
		{
			name: "idle", limits: standard, freshConnections: true,
			why: "500 connections that never say anything",
			run: func(ctx context.Context, s *stage) { s.holdConnections(ctx, 500, "") },
		},
		{
			name: "slow", limits: standard, freshConnections: true,
			why: "500 connections that send a request a byte at a time",
			run: func(ctx context.Context, s *stage) {
				s.holdConnections(ctx, 500, "POST /api/v4/canister/aaaaa-aa/call HTTP/1.1\r\nHost: slow\r\nContent-Type: application/cbor\r\nContent-Length: 5000000\r\n\r\n")
			},
		},
		{
			name: "descriptors", limits: standard, freshConnections: true, launch: launch{descriptors: 100},
			why: "150 idle connections where 100 descriptors are all there are; accepting",
			run: func(ctx context.Context, s *stage) { s.holdConnections(ctx, 150, "") },
		},
		unreadAnswers(),
		unreadStreams(),
		halfSentMessages(),
		{
			name: "grpc-resets", limits: standard, freshConnections: true,
			why: "20,000 streams a second that are opened and reset at once, over 4 connections of the control API; handlers",
			run: func(ctx context.Context, s *stage) { s.resetStreams(ctx, s.connect, grpcRequest) },
		},
		{
			name: "grpc-continuations", limits: standard, freshConnections: true,
			why: "heads of requests of 16 MiB in CONTINUATION frames, over 4 connections of the control API; heads being read",
			run: func(ctx context.Context, s *stage) { s.continueHeads(ctx, s.connect, grpcRequest) },
		},
	}
}

// holdConnections keeps connections open that send a text a byte at a time, and opens
// new ones for those that the daemon closed, until ctx ends.
func (s *stage) holdConnections(ctx context.Context, count int, text string) {
	s.keep(ctx, count, 500*time.Millisecond, func(ctx context.Context, _ int) error {
		c, err := s.connect(ctx)
		if err != nil {
			return err
		}
		defer func() { _ = c.Close() }()
		for i := 0; ctx.Err() == nil; i++ {
			if i < len(text) {
				if _, err := c.Write([]byte{text[i]}); err != nil {
					return err
				}
			}
			if closed(ctx, c, 250*time.Millisecond) {
				return nil
			}
		}
		return nil
	})
}

// closed waits a while, and says whether the daemon closed the connection meanwhile.
func closed(ctx context.Context, c net.Conn, patience time.Duration) bool {
	stop := context.AfterFunc(ctx, func() { _ = c.SetReadDeadline(time.Now()) })
	defer stop()
	if err := c.SetReadDeadline(time.Now().Add(patience)); err != nil {
		return true
	}
	var buffer [512]byte
	_, err := c.Read(buffer[:])
	timeout, ok := err.(net.Error)
	return err != nil && !(ok && timeout.Timeout())
}

// unreadAnswers asks for large answers on connections that nothing is read from.
func unreadAnswers() attack {
	var canisters []principal.Principal
	return attack{
		name: "unread-answers", limits: standard,
		why: "100 connections with queries of 2 MB whose answers are not read; buffers",
		prepare: func(ctx context.Context, s *stage) (err error) {
			canisters, err = s.deploy(ctx, messageText, 4)
			return err
		},
		run: func(ctx context.Context, s *stage) {
			s.keep(ctx, 100, time.Second, func(ctx context.Context, worker int) error {
				c, err := s.connect(ctx)
				if err != nil {
					return err
				}
				defer func() { _ = c.Close() }()
				canister := canisters[worker%len(canisters)]
				for range 8 { // pipelined: the next is asked before the answer is read
					body := (*identity)(nil).request("query", canister, "big_asked", nil, s.nonces.Add(1))
					head := fmt.Sprintf("POST /instances/%s"+query+" HTTP/1.1\r\nHost: unread\r\nContent-Type: application/cbor\r\nContent-Length: %d\r\n\r\n",
						attackedInstance, canister, len(body))
					if _, err := c.Write(append([]byte(head), body...)); err != nil {
						return err
					}
				}
				<-ctx.Done()
				return nil
			})
		},
	}
}

// unreadStreams follows events of an instance in which much happens, and reads none.
func unreadStreams() attack {
	var canisters []principal.Principal
	return attack{
		name: "unread-streams", limits: standard,
		why: "50 streams of events that are not read, while calls make calls without end",
		prepare: func(ctx context.Context, s *stage) (err error) {
			canisters, err = s.deploy(ctx, messageText, 1)
			return err
		},
		run: func(ctx context.Context, s *stage) {
			var running sync.WaitGroup
			running.Go(func() {
				s.keep(ctx, 50, 100*time.Millisecond, func(ctx context.Context, _ int) error {
					stream, err := s.control.Events.Watch(ctx, &controlv1.WatchRequest{Instance: attackedInstance, FromBeginning: true})
					if err != nil {
						return err
					}
					_, err = stream.Recv()
					if status.Code(err) == codes.ResourceExhausted {
						return err
					}
					<-ctx.Done()
					return nil
				})
			})
			running.Go(func() {
				s.keep(ctx, 2, 50*time.Millisecond, func(ctx context.Context, _ int) error {
					return s.call(ctx, asyncCall, canisters[0], "fan", nil)
				})
			})
			running.Wait()
		},
	}
}
