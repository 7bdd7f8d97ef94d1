package control

import (
	"context"
	"sync"

	"google.golang.org/grpc/stats"
)

// traffic tells each connection which of its bytes handlers are done with. gRPC calls it for
// every connection, RPC and message.
type traffic struct{}

// rpc is an RPC's part of what its connection holds. A stream that is cut off ends while its
// handler still waits for a message, so gRPC may call traffic on two goroutines.
type rpc struct {
	connection *connection

	mu      sync.Mutex
	taken   int64 // bytes of messages that the handler works on
	reading bool  // it may still bring bytes: from its beginning to its end
}

type (
	connectionKey struct{} // of a *connection in the context of a connection
	rpcKey        struct{} // of an *rpc in the context of an RPC
)

// frameBytes is what a message takes beside its own bytes, at most: its share of heads and frames.
const frameBytes = 64

// rpcOf is the RPC of a context; nil where its connection is not counted.
func rpcOf(ctx context.Context) *rpc {
	r, _ := ctx.Value(rpcKey{}).(*rpc)
	return r
}

// release says that the handler is done with what it has taken.
func (r *rpc) release() {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.connection.consume(r.taken)
	r.taken = 0
}

// take counts a message that the handler works on from now on.
func (r *rpc) take(bytes int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.reading {
		r.taken += bytes
	}
}

// send takes room for an answer of that many bytes.
func (r *rpc) send(bytes int) error {
	if r == nil {
		return nil
	}
	return r.connection.send(int64(bytes))
}

// begin says that bytes may come, end that no more do.
func (r *rpc) begin() {
	r.mu.Lock()
	r.reading = true
	r.mu.Unlock()
	r.connection.begin()
}

func (r *rpc) end() {
	r.release()
	r.mu.Lock()
	ended := r.reading
	r.reading = false
	r.mu.Unlock()
	if ended {
		r.connection.end()
	}
}

// TagConn puts the connection into the contexts of its RPCs.
func (traffic) TagConn(ctx context.Context, info *stats.ConnTagInfo) context.Context {
	if addr, ok := info.RemoteAddr.(connectionAddr); ok {
		return context.WithValue(ctx, connectionKey{}, addr.connection)
	}
	return ctx
}

// HandleConn does nothing: connections see for themselves that they are closed.
func (traffic) HandleConn(context.Context, stats.ConnStats) {}

// TagRPC puts the RPC into its context.
func (traffic) TagRPC(ctx context.Context, _ *stats.RPCTagInfo) context.Context {
	conn, ok := ctx.Value(connectionKey{}).(*connection)
	if !ok {
		return ctx
	}
	return context.WithValue(ctx, rpcKey{}, &rpc{connection: conn})
}

// HandleRPC follows an RPC from its beginning over its messages to its end.
func (traffic) HandleRPC(ctx context.Context, event stats.RPCStats) {
	r := rpcOf(ctx)
	if r == nil {
		return
	}
	switch event := event.(type) {
	case *stats.Begin:
		r.begin()
	case *stats.InPayload:
		// What was compressed takes its full size from here on.
		r.connection.receive(int64(max(event.Length-event.WireLength, 0)))
		r.take(int64(max(event.Length, event.WireLength)) + frameBytes)
	case *stats.End:
		r.end()
	}
}
