package control

import (
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/canisterd/canisterd/internal/budget"
)

// connections holds the open connections of a server, with the bytes of messages that each has in memory. They are
// counted at the connection itself: gRPC reads a message before a handler can refuse it, and queues an answer without
// checking how much is queued.
//
// Bytes that were read stay in use until the handler has finished with them (see rpc). If all connections exceed the
// budget, the connection with the most bytes is closed: waiting would hold the memory, and the next message may be a
// small one of another client.
type connections struct {
	memory *budget.Budget // of messages; nil: without a limit
	resets resetAllowance // of all connections together
	isCut  atomic.Bool    // cut was called

	mu   sync.Mutex               // guards open; taken before connection.mu
	open map[*connection]struct{} // nil after close
}

// listener returns l with its connections counted.
func (c *connections) listener(l net.Listener) net.Listener { return &countingListener{l, c} }

// close closes all connections.
func (c *connections) close() {
	c.mu.Lock()
	open := c.open
	c.open = nil
	c.mu.Unlock()
	for one := range open {
		_ = one.Close() // its client receives nothing more
	}
}

// cut ends the contexts of the handlers that run or begin later.
func (c *connections) cut() {
	c.isCut.Store(true)
	c.mu.Lock()
	defer c.mu.Unlock()
	for one := range c.open {
		one.cut()
	}
}

// admit refuses a new RPC while messages take all of the budget.
func (c *connections) admit() error {
	if err := c.memory.Reserve(1); err != nil {
		return err
	}
	c.memory.Release(1)
	return nil
}

// shed closes the connection with the most bytes, while messages take more than the budget.
func (c *connections) shed() (closed *connection) {
	c.mu.Lock()
	if c.memory.Used() > c.memory.Limit() {
		most := int64(0)
		for one := range c.open {
			if held := one.held(); held > most {
				closed, most = one, held
			}
		}
	}
	c.mu.Unlock()
	if closed != nil {
		_ = closed.Close() // its client receives nothing more
	}
	return closed
}

// countingListener is a listener whose connections are counted.
type countingListener struct {
	net.Listener
	all *connections
}

// Accept returns the next connection.
func (l *countingListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	c := newConnection(conn, l.all)
	l.all.mu.Lock()
	defer l.all.mu.Unlock()
	if l.all.open == nil {
		l.all.open = make(map[*connection]struct{})
	}
	l.all.open[c] = struct{}{}
	return c, nil
}

// connection is a client's connection, with the bytes of messages that it holds.
type connection struct {
	net.Conn
	all  *connections
	gone chan struct{} // closed by Close

	mu       sync.Mutex // guards all below
	received int64      // bytes read, until handlers have finished with their messages
	unsent   int64      // bytes of answers passed to gRPC and not written
	reading  int        // RPCs that may still bring bytes
	running  *rpc       // the first of the RPCs whose handlers run
	resume   time.Time  // nothing is read before: its client resets too many RPCs
	closed   bool       // nothing is counted any more
}

func newConnection(conn net.Conn, all *connections) *connection {
	return &connection{Conn: conn, all: all, gone: make(chan struct{})}
}

// connectionAddr is the address of a connection's client. It carries the connection to the contexts of its RPCs (see
// watch): gRPC provides no other access to it.
type connectionAddr struct {
	net.Addr
	connection *connection
}

// RemoteAddr returns a connectionAddr.
func (c *connection) RemoteAddr() net.Addr { return connectionAddr{c.Conn.RemoteAddr(), c} }

// Read reads, and counts the bytes.
func (c *connection) Read(p []byte) (int, error) {
	c.awaitResume()
	n, err := c.Conn.Read(p)
	c.receive(int64(n))
	return n, err
}

// receive adds n bytes that were read, and sheds connections if there are too many.
func (c *connection) receive(n int64) {
	c.mu.Lock()
	if c.closed {
		n = 0
	}
	c.received += n
	c.all.memory.Charge(n)
	c.mu.Unlock()
	if n > 0 && c.all.memory != nil && c.all.memory.Used() > c.all.memory.Limit() {
		c.all.shed()
	}
}

// consume subtracts n bytes that were read.
func (c *connection) consume(n int64) {
	c.mu.Lock()
	n = min(n, c.received)
	c.received -= n
	c.all.memory.Release(n)
	c.mu.Unlock()
}

// begin is called when an RPC may bring bytes, end when it brings no more. Between RPCs nothing is held: end drops the
// bytes of frames and heads, which belong to no message.
func (c *connection) begin() {
	c.mu.Lock()
	c.reading++
	c.mu.Unlock()
}

func (c *connection) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.reading--; c.reading == 0 {
		c.all.memory.Release(c.received)
		c.received = 0
	}
}

// enter puts an RPC into the list of those whose handlers run.
func (c *connection) enter(r *rpc) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if r.next = c.running; r.next != nil {
		r.next.previous = r
	}
	c.running = r
}

// leave takes an RPC out of the list of those whose handlers run.
func (c *connection) leave(r *rpc) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if r.next != nil {
		r.next.previous = r.previous
	}
	if r.previous != nil {
		r.previous.next = r.next
	} else {
		c.running = r.next
	}
	r.previous, r.next = nil, nil
}

// cut ends the contexts of the handlers that run.
func (c *connection) cut() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for r := c.running; r != nil; r = r.next {
		r.cancel(DaemonStops.Refuse())
	}
}

// send takes n bytes for an answer, until they are written. It refuses more than the budget.
func (c *connection) send(n int64) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil // gRPC reports it
	}
	if err := c.all.memory.Reserve(n); err != nil {
		return err
	}
	c.unsent += n
	return nil
}

// Write releases the bytes that it has written. This includes heads and frames, so it may release slightly too much,
// never too little.
func (c *connection) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	c.mu.Lock()
	sent := min(int64(n), c.unsent)
	c.unsent -= sent
	c.all.memory.Release(sent)
	c.mu.Unlock()
	return n, err
}

// held returns how many bytes of messages the connection holds.
func (c *connection) held() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.received + c.unsent
}

// Close closes the connection and releases its bytes.
func (c *connection) Close() error {
	c.all.mu.Lock()
	delete(c.all.open, c)
	c.all.mu.Unlock()
	c.mu.Lock()
	c.all.memory.Release(c.received + c.unsent)
	c.received, c.unsent = 0, 0
	if !c.closed {
		close(c.gone)
	}
	c.closed = true
	c.mu.Unlock()
	return c.Conn.Close()
}
