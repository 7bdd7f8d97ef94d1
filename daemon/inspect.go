package daemon

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/canisterd/canisterd/api/control"
	"github.com/canisterd/canisterd/api/inspect"
	"github.com/canisterd/canisterd/internal/regular"
)

// InspectorPath is where a daemon serves the inspector.
const InspectorPath = inspect.Path

// InspectorChallenge finds out whether the daemon at an address knows the token of this user.
type InspectorChallenge = inspect.Challenge

// NewInspectorChallenge draws a challenge.
func NewInspectorChallenge() InspectorChallenge { return inspect.NewChallenge() }

// Inspector configures the inspector, which shows instances in a browser. The zero value serves it with the HTTP
// interface if that has a loopback address and the daemon has the control API, and nowhere otherwise.
type Inspector struct {
	// Token is the token that begins a session of a browser; "" for a random one, so that sessions end with the daemon.
	Token string
	// Everywhere serves it even at addresses that other machines can reach. Anyone with the token controls all instances.
	Everywhere bool
	// Hosts are names of this machine besides localhost and loopback addresses, such as that of a proxy.
	Hosts []string
	// Names returns the names of an instance's canisters by id, "" for the default instance; nil for none.
	Names func(instance string) map[string]string
}

// tokenFile has the token of a user's browsers, so that their sessions survive daemons.
const tokenFile = "inspector-token"

// tokenForm is the form of a token. A file with anything else was cut off, and is replaced.
var tokenForm = regexp.MustCompile(`^[0-9a-f]{64}$`)

// InspectorToken returns the token of this user for Inspector.Token, and makes it if there is none.
func InspectorToken() (string, error) {
	data, err := DataDir()
	if err != nil {
		return "", err
	}
	path := filepath.Join(data, tokenFile)
	text, err := regular.Read(path, maxTokenBytes)
	if token := strings.TrimSpace(string(text)); err == nil && tokenForm.MatchString(token) {
		return token, nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("reading the inspector's token: %w", err)
	}
	if err := os.MkdirAll(data, 0o700); err != nil {
		return "", fmt.Errorf("creating the directory for %s: %w", path, err)
	}
	token := inspect.NewToken()
	err = regular.Replace(path, func(w io.Writer) error {
		_, err := io.WriteString(w, token+"\n")
		return err
	})
	if err != nil {
		return "", fmt.Errorf("writing the inspector's token: %w", err)
	}
	return token, nil
}

// serveInspector begins to serve the inspector and the tools for assistants. The control API is there.
func (d *Daemon) serveInspector(all *Config) error {
	config := &all.Inspector
	if d.controlAddress == "" || !config.Everywhere && !loopback(d.listener.Addr()) {
		return nil
	}
	listener, connection, err := control.Local(all.Control.Token)
	if err != nil {
		return err
	}
	session := config.Token
	if session == "" {
		session = inspect.NewToken()
	}
	d.inspector = inspect.New(inspect.Config{
		Control: connection, Token: session, Hosts: config.Hosts, Names: config.Names, Version: Version(), Memory: d.memory.requests,
	})
	d.tools = d.newAssistants(connection, all)
	d.running.Go(func() {
		if err := d.control.Serve(listener); err != nil && !errors.Is(err, net.ErrClosed) {
			d.stopFor(err)
		}
		_ = connection.Close() // nobody answers any more
	})
	return nil
}

// inspects answers requests for the inspector, and returns false for others.
func (d *Daemon) inspects(w http.ResponseWriter, r *http.Request) bool {
	if d.inspector != nil && r.Header.Get("Service-Worker") == "script" && !d.gateway.HostsCanister(r) {
		inspect.EndServiceWorker(w)
		return true
	}
	if d.inspector == nil || !strings.HasPrefix(r.URL.Path, strings.TrimSuffix(inspect.Path, "/")) || d.gateway.HostsCanister(r) {
		return false
	}
	if rest := r.URL.Path[len(inspect.Path)-1:]; rest != "" && rest[0] != '/' {
		return false
	}
	d.inspector.ServeHTTP(w, r)
	return true
}

// InspectorURL returns the URL that begins a session of the inspector in a browser; "" if it is not served.
func (d *Daemon) InspectorURL() string {
	if d.inspector == nil {
		return ""
	}
	return d.inspector.URL(d.URL())
}
