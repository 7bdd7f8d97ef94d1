package main

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptrace"
	"strings"

	"github.com/canisterd/canisterd/daemon"
)

// askInspector returns the URL of the inspector if the daemon serves it.
func (c *cli) askInspector(ctx context.Context) (string, error) {
	_, _, err := c.headInspector(ctx, http.Header{})
	return strings.TrimSuffix(c.url, "/") + daemon.InspectorPath, err
}

// provenInspector returns the URL of the inspector of a daemon of this machine that knows a token. It has the address
// that proved it: a name may have several, and a browser may take another one.
func (c *cli) provenInspector(ctx context.Context, token string) (string, error) {
	if !here(c.url) {
		return "", fmt.Errorf("%s may be another machine, and a browser that is sent there gives it the token of this user: use --print, and open the address if you trust that machine", c.url)
	}
	challenge, asked := daemon.NewInspectorChallenge(), http.Header{}
	challenge.Ask(asked)
	answer, peer, err := c.headInspector(ctx, asked)
	if err != nil {
		return "", err
	}
	if !challenge.Met(answer, token, peer) {
		return "", fmt.Errorf("the daemon at %s does not know the token of this user, and is not told it: open the address that its canisterd start printed, or use --print if you trust it", c.url)
	}
	return "http://" + peer + daemon.InspectorPath, nil
}

// headInspector asks the daemon for the headers of the inspector. It returns them with the address that answered; an
// error if the daemon does not serve the inspector.
func (c *cli) headInspector(ctx context.Context, asked http.Header) (answered http.Header, peer string, err error) {
	ctx, cancel := patient(ctx, healthPatience)
	defer cancel()
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(got httptrace.GotConnInfo) { peer = got.Conn.RemoteAddr().String() }})
	r, err := http.NewRequestWithContext(ctx, http.MethodHead, strings.TrimSuffix(c.url, "/")+daemon.InspectorPath, http.NoBody)
	if err != nil {
		return nil, "", err
	}
	r.Header = asked
	direct := &http.Transport{DisableKeepAlives: true} // no proxy comes between
	answer, err := direct.RoundTrip(r)                 // a redirect would lead the token elsewhere
	if err != nil {
		return nil, "", fmt.Errorf("no daemon answers at %s: %w (start one with canisterd start, or set --url)", c.url, innermost(err))
	}
	if err := answer.Body.Close(); err != nil {
		return nil, "", fmt.Errorf("reading from %s: %w", c.url, err)
	}
	if answer.StatusCode != http.StatusOK {
		return nil, "", fmt.Errorf("the daemon at %s does not serve the inspector: it needs a control API and an address that only this machine reaches, or canisterd start --inspect", c.url)
	}
	return answer.Header, peer, nil
}
