package gateway

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/regular"
)

// customDomains holds the hosts in a file of custom domains, lines HOST:CANISTER. The file is reread when it has
// changed. Safe for concurrent use.
type customDomains struct {
	path string // "" for none
	fail func(error)

	mu    sync.Mutex // guards all below
	read  time.Time  // the file's modification time when it was read
	size  int64
	hosts map[string]principal.Principal
}

// find returns the canister of a host in lower case.
func (d *customDomains) find(host string) (principal.Principal, bool) {
	if d.path == "" {
		return principal.Principal{}, false
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	info, err := os.Stat(d.path)
	switch {
	case err != nil:
		d.hosts, d.size = nil, -1
	case !info.ModTime().Equal(d.read) || info.Size() != d.size:
		d.read, d.size = info.ModTime(), info.Size()
		if d.hosts, err = readDomains(d.path); err != nil && d.fail != nil {
			d.fail(err)
		}
	}
	id, ok := d.hosts[host]
	return id, ok
}

// readDomains reads a file of custom domains. It skips empty lines and those that begin with #. The error names the
// first invalid line; the other lines are used.
func readDomains(path string) (map[string]principal.Principal, error) {
	text, err := regular.Read(path, maxDomainsFile) // a named pipe would wait for a writer
	if err != nil {
		return nil, fmt.Errorf("reading the custom domains: %w", err)
	}
	hosts := map[string]principal.Principal{}
	number := 0
	var failed error
	for line := range strings.Lines(string(text)) {
		number++
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		host, id, _ := strings.Cut(line, ":")
		canister, err := principal.Parse(strings.TrimSpace(id))
		if host = strings.ToLower(strings.TrimSpace(host)); err != nil || host == "" {
			if failed == nil {
				failed = fmt.Errorf("invalid line %d of %s, %q: expected HOST:CANISTER", number, path, line)
			}
			continue
		}
		hosts[host] = canister
	}
	return hosts, failed
}
