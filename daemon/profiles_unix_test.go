//go:build unix

package daemon

import (
	"context"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/api/control/remote"
	"github.com/canisterd/canisterd/internal/eventually"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// profileAt is what a unix socket answers to a request for a profile.
func profileAt(t *testing.T, socket, token string) (status int, body string) {
	t.Helper()
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", socket)
	}
	client := &http.Client{Transport: &http.Transport{DialContext: dial, DisableKeepAlives: true}}
	r, err := http.NewRequestWithContext(eventually.Context(t), http.MethodGet, "http://canisterd/debug/pprof/goroutine?debug=1", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	answer, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(text)
}

func TestProfilesAreServedAtAUnixSocketAlone(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "control")
	d := started(t, Config{Control: Control{Address: "unix://" + socket, Token: "secret"}})
	if status, body := profileAt(t, socket, "secret"); status != http.StatusOK || !strings.HasPrefix(body, "goroutine profile:") {
		t.Errorf("the socket answers %d %q", status, body)
	}
	if status, body := profileAt(t, socket, "other"); status != http.StatusUnauthorized || strings.Contains(body, "goroutine profile") {
		t.Errorf("without the token the socket answers %d %q", status, body)
	}
	if status, body := get(t, d, "/debug/pprof/goroutine?debug=1"); status == http.StatusOK || strings.Contains(body, "goroutine profile") {
		t.Errorf("the public address answers %d %q", status, body)
	}
	control, err := remote.Dial(d.ControlAddress(), remote.WithToken("secret"))
	if err != nil {
		t.Fatal(err)
	}
	defer control.Close()
	if _, err := control.Instances.ListInstances(eventually.Context(t), &controlv1.ListInstancesRequest{}); err != nil {
		t.Errorf("the control API at the same socket: %v", err)
	}
	found := scraped(t, d)
	if got := valueOf(t, found, "canisterd_control_request_duration_seconds", "method", "canisterd.control.v1.Instances/ListInstances", "outcome", "ok"); got != 1 {
		t.Errorf("the RPC is counted %v times", got)
	}
}
