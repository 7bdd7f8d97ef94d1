package control

import (
	"net"
	"sync"
)

// connections are those that a server has accepted and nobody has closed.
type connections struct {
	mu   sync.Mutex
	open map[*connection]struct{}
}

// of is a listener whose connections are noted.
func (c *connections) of(l net.Listener) net.Listener { return &noted{l, c} }

// close closes all.
func (c *connections) close() {
	c.mu.Lock()
	open := c.open
	c.open = nil
	c.mu.Unlock()
	for one := range open {
		_ = one.Conn.Close() // nobody is told any more
	}
}

// noted is a listener that notes what it accepts.
type noted struct {
	net.Listener
	connections *connections
}

// Accept is the next connection.
func (n *noted) Accept() (net.Conn, error) {
	conn, err := n.Listener.Accept()
	if err != nil {
		return nil, err
	}
	c := &connection{conn, n.connections}
	n.connections.mu.Lock()
	defer n.connections.mu.Unlock()
	if n.connections.open == nil {
		n.connections.open = make(map[*connection]struct{})
	}
	n.connections.open[c] = struct{}{}
	return c, nil
}

// connection is one that was noted.
type connection struct {
	net.Conn
	noted *connections
}

// Close forgets it.
func (c *connection) Close() error {
	c.noted.mu.Lock()
	delete(c.noted.open, c)
	c.noted.mu.Unlock()
	return c.Conn.Close()
}
