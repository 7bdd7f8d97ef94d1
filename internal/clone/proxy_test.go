package clone_test

import (
	"io"
	"net"
	"sync"
	"testing"
	"time"
)

// proxy carries connections to a server, and breaks them. The fields above mu, and broken, are set before the first connection.
type proxy struct {
	net.Listener
	to     string
	each   int64         // bytes of answers until a connection is cut; 0: no limit
	delay  time.Duration // of answers
	lost   int           // every so many parts of answers, one is sent again; 0: none
	resend time.Duration // how much later a part comes that was lost

	mu     sync.Mutex // guards the fields below
	parts  int        // of answers so far
	broken int        // the next part that breaks its connection, and after it that of twice the number; 0: none
	left   int64      // bytes of answers until all connections are cut and no others are accepted; negative: no limit
	bytes  int64      // bytes of answers so far
	cut    int        // connections that were cut
	open   map[net.Conn]bool
}

func newProxy(t testing.TB, to string) *proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{Listener: l, to: to, left: -1, open: map[net.Conn]bool{}}
	var all sync.WaitGroup
	all.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			all.Go(func() { p.carry(c) })
		}
	})
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
		p.cutAll()
		all.Wait()
	})
	return p
}

func (p *proxy) url() string { return "http://" + p.Addr().String() }

// part is a part of an answer on its way.
type part struct {
	bytes []byte
	due   time.Time
	cuts  bool // instead of arriving
}

// carry carries a connection until one side closes it, or it is cut.
func (p *proxy) carry(c net.Conn) {
	defer func() { _ = c.Close() }()
	if !p.add(c) {
		return
	}
	s, err := net.Dial("tcp", p.to)
	if err != nil {
		return
	}
	if !p.add(s) {
		_ = s.Close()
		return
	}
	go func() {
		_, _ = io.Copy(s, c)
		_ = s.Close()
	}()
	way, over := make(chan part, 64), make(chan struct{})
	var reading sync.WaitGroup
	reading.Go(func() { p.read(s, way, over) })
	defer reading.Wait()
	defer func() { _ = s.Close() }()
	defer close(over)
	carried := int64(0)
	for x := range way {
		if x.cuts {
			p.count()
			return
		}
		carried += int64(len(x.bytes))
		if !p.spend(int64(len(x.bytes)), carried) {
			return
		}
		if wait := time.Until(x.due); wait > 0 {
			<-time.After(wait)
		}
		if _, err := c.Write(x.bytes); err != nil {
			return
		}
	}
}

// read reads answers of the server, and puts them on their way.
func (p *proxy) read(s net.Conn, way chan<- part, over <-chan struct{}) {
	defer close(way)
	var due time.Time
	for {
		buffer := make([]byte, 32<<10)
		n, err := s.Read(buffer)
		if err != nil {
			return
		}
		x := p.meet(buffer[:n])
		if x.due.Before(due) {
			x.due = due // parts stay in order: one that is lost delays those after it
		}
		due = x.due
		select {
		case way <- x:
		case <-over:
			return
		}
	}
}

// meet decides what happens to a part.
func (p *proxy) meet(bytes []byte) part {
	p.mu.Lock()
	defer p.mu.Unlock()
	x := part{bytes: bytes, due: time.Now().Add(p.delay)}
	p.parts++
	switch {
	case p.parts == p.broken:
		x.cuts = true
		p.broken *= 2
	case p.lost > 0 && p.parts%p.lost == 0:
		x.due = x.due.Add(p.resend)
	}
	return x
}

func (p *proxy) add(c net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.open[c] = true
	return p.left != 0
}

// spend counts bytes of an answer, and reports whether they pass.
func (p *proxy) spend(n, carried int64) bool {
	p.mu.Lock()
	p.bytes += n
	pass := p.each == 0 || carried < p.each
	if p.left > 0 {
		p.left = max(p.left-n, 0)
	}
	all := p.left == 0
	p.mu.Unlock()
	if !pass || all {
		p.count()
	}
	if all {
		p.cutAll()
	}
	return pass && !all
}

// count counts a connection that was cut.
func (p *proxy) count() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cut++
}

func (p *proxy) cutAll() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.open {
		_ = c.Close()
	}
	clear(p.open)
}

// carried returns the bytes of answers so far, and the connections that were cut.
func (p *proxy) carried() (int64, int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.bytes, p.cut
}

// restore makes the connection good again after a cut.
func (p *proxy) restore() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.left, p.bytes = -1, 0
}
