package workqueue

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// link is a connection to a server.
type link struct {
	conn   *nats.Conn
	js     jetstream.JetStream
	server string        // for people: the URL without a password
	closed chan struct{} // the server is gone, and did not come back
}

// connect reaches a server. The name is for its lists of clients; a request without a deadline of its own takes up to a
// time.
func connect(address, name string, request time.Duration, options ...nats.Option) (*link, error) {
	l := &link{server: redacted(address), closed: make(chan struct{})}
	options = append([]nats.Option{
		nats.Name(name), nats.Timeout(connectPatience), nats.MaxReconnects(int(connectPatience / reconnectWait)), nats.ReconnectWait(reconnectWait),
		nats.ReconnectJitter(0, 0), nats.ClosedHandler(func(*nats.Conn) { close(l.closed) }), nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}),
	}, options...)
	var err error
	if l.conn, err = nats.Connect(address, options...); err != nil {
		return nil, l.unreachable(err)
	}
	if l.js, err = jetstream.New(l.conn, jetstream.WithDefaultTimeout(request)); err != nil {
		l.conn.Close()
		return nil, fmt.Errorf("JetStream of the NATS server %s: %w", l.server, err)
	}
	return l, nil
}

// unreachable says why a server was not reached.
func (l *link) unreachable(err error) error {
	if errors.Is(err, nats.ErrAuthorization) {
		return fmt.Errorf("the NATS server %s does not accept the token, or the user and the password, of its URL", l.server)
	}
	return fmt.Errorf("the NATS server %s cannot be reached: %w", l.server, err)
}

// failed says what an error of JetStream means.
func (l *link) failed(doing string, err error) error {
	if l.conn.IsClosed() {
		return l.gone()
	}
	if errors.Is(err, jetstream.ErrJetStreamNotEnabled) || errors.Is(err, jetstream.ErrJetStreamNotEnabledForAccount) || errors.Is(err, nats.ErrNoResponders) {
		return fmt.Errorf("%s: the NATS server %s runs without JetStream: start it with -js", doing, l.server)
	}
	return fmt.Errorf("%s: NATS server %s: %w", doing, l.server, err)
}

// gone is the error of a server that has ended.
func (l *link) gone() error {
	return fmt.Errorf("the NATS server %s is gone, and did not come back within %s", l.server, connectPatience)
}

// leave ends the connection, whose last messages are sent before.
func (l *link) leave() {
	if l.conn.IsConnected() {
		_ = l.conn.FlushTimeout(time.Second) // what is lost then is missed by the others
	}
	l.conn.Close()
	<-l.closed
}

// redacted is a URL without its password or token.
func redacted(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "of an invalid URL"
	}
	u.User = nil
	return u.String()
}

// transferring is a context for moving something large. Without a deadline, the library would end it as early as a
// request: a base that took ten seconds to read, since its modules are compiled on the way, could not be explored.
func transferring(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, transferPatience)
}

// within is a context for one request to the server.
func within(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, requestPatience)
}
