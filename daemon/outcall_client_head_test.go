package daemon

import (
	"io"
	"net"
	"testing"
)

// The client gives a connection to the next request before the caller of the last one has its response.
func TestAConnectionThatIsUsedAgainKeepsTheHeadersOfTheRequestBefore(t *testing.T) {
	near, far := net.Pipe()
	defer near.Close()
	defer far.Close()
	c := &recordedConn{Conn: near}
	answer := func(text string) {
		t.Helper()
		go func() { _, _ = io.WriteString(far, text) }()
		if _, err := io.ReadFull(c, make([]byte, len(text))); err != nil {
			t.Fatal(err)
		}
	}
	first := c.record()
	answer("one")
	second := c.record()
	if got := c.take(first); string(got) != "one" {
		t.Errorf("the first request reads %q, want its own answer", got)
	}
	answer("two")
	if got := c.take(second); string(got) != "two" {
		t.Errorf("the second request reads %q, want its own answer", got)
	}
	answer("more")
	if got := c.take(second); string(got) != "two" {
		t.Errorf("after a recording is taken it is %q", got)
	}
}
