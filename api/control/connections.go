package control

import (
	"net"
	"sync"

	"github.com/canisterd/canisterd/replica/budget"
)

// connections are the open connections of a server, with the bytes of messages that each holds
// in memory. They are counted where they pass, at the connection itself: gRPC reads a message
// before a handler can refuse it, and queues an answer without a look at how much is queued.
//
// What is read stays in use until the handler is done with it (see rpc). Where the bytes of all
// connections are above the budget, the connection that holds most of them is closed: to wait
// would hold the memory, and the next message may be a small one of another client.
type connections struct {
	memory *budget.Budget // of messages; nil: without a limit

	mu   sync.Mutex               // guards open; taken before connection.mu
	open map[*connection]struct{} // nil once all were closed
}

// listener returns l; the connections it accepts are counted.
func (c *connections) listener(l net.Listener) net.Listener { return &countingListener{l, c} }

// close closes all.
func (c *connections) close() {
	c.mu.Lock()
	open := c.open
	c.open = nil
	c.mu.Unlock()
	for one := range open {
		_ = one.Conn.Close() // its client hears nothing more
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

// shed closes the connection that holds the most bytes, while messages take more than the budget.
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
		_ = closed.Close() // its client hears nothing more
	}
	return closed
}

// countingListener is a listener whose connections are counted.
type countingListener struct {
	net.Listener
	all *connections
}

// Accept is the next connection.
func (l *countingListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	c := &connection{Conn: conn, all: l.all}
	l.all.mu.Lock()
	defer l.all.mu.Unlock()
	if l.all.open == nil {
		l.all.open = make(map[*connection]struct{})
	}
	l.all.open[c] = struct{}{}
	return c, nil
}

// connection is one client's, with the bytes of messages that it holds.
type connection struct {
	net.Conn
	all *connections

	mu       sync.Mutex // guards all below
	received int64      // bytes read, until handlers are done with the messages they belong to
	unsent   int64      // bytes of answers handed to gRPC and not written
	reading  int        // RPCs that may still bring bytes
	closed   bool       // counting is over
}

// connectionAddr is the address of a connection's client. It carries the connection to the
// contexts of its RPCs (see watch): gRPC hands out no other trace of it.
type connectionAddr struct {
	net.Addr
	connection *connection
}

// RemoteAddr is a connectionAddr.
func (c *connection) RemoteAddr() net.Addr { return connectionAddr{c.Conn.RemoteAddr(), c} }

// Read counts what arrives.
func (c *connection) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.receive(int64(n))
	return n, err
}

// receive counts n bytes more that were read, and sheds connections where that is too many.
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

// consume counts n bytes less that were read.
func (c *connection) consume(n int64) {
	c.mu.Lock()
	n = min(n, c.received)
	c.received -= n
	c.all.memory.Release(n)
	c.mu.Unlock()
}

// begin says that an RPC may bring bytes, end that it brings no more. Between RPCs nothing is
// held: frames and heads, which belong to no message, are forgotten then.
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

// send takes n bytes for an answer, until they are written. It refuses what is above the budget.
func (c *connection) send(n int64) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil // gRPC says so
	}
	if err := c.all.memory.Reserve(n); err != nil {
		return err
	}
	c.unsent += n
	return nil
}

// Write gives back what it has written. Heads and frames count as well, so a little too much may
// be given back, never too little.
func (c *connection) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	c.mu.Lock()
	sent := min(int64(n), c.unsent)
	c.unsent -= sent
	c.all.memory.Release(sent)
	c.mu.Unlock()
	return n, err
}

// held is how many bytes of messages the connection holds.
func (c *connection) held() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.received + c.unsent
}

// Close closes the connection and gives back what it holds.
func (c *connection) Close() error {
	c.all.mu.Lock()
	delete(c.all.open, c)
	c.all.mu.Unlock()
	c.mu.Lock()
	c.all.memory.Release(c.received + c.unsent)
	c.received, c.unsent, c.closed = 0, 0, true
	c.mu.Unlock()
	return c.Conn.Close()
}
