//go:build clients

package e2e

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/canisterd/canisterd/test/thresholdtest"
)

// counts is a server that says what it was asked for, and by path how often.
type counts struct {
	*httptest.Server
	mu    sync.Mutex
	asked map[string]int
}

func newCounts(t *testing.T) *counts {
	t.Helper()
	c := &counts{asked: make(map[string]int)}
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c.mu.Lock()
		c.asked[r.URL.Path]++
		c.mu.Unlock()
		_, _ = fmt.Fprintf(w, "%s %s", r.Method, r.URL.Path)
	}))
	t.Cleanup(c.Close)
	return c
}

// times is how often a path was asked for.
func (c *counts) times(path string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.asked[path]
}

// outcaller installs the fixture of the newest Rust CDK. The result calls it and gives the reply
// in one line.
func outcaller(t *testing.T, d *daemon) (id string, call func(method, argument string) string) {
	t.Helper()
	id = d.command(t, "canister", "create")
	d.command(t, "canister", "install", id, fixture("outcaller"))
	return id, func(method, argument string) string {
		t.Helper()
		got := strings.Join(strings.Fields(d.command(t, "canister", "call", id, method, argument)), " ")
		// The command breaks long replies into lines, with a comma or semicolon at the end of each.
		return strings.NewReplacer("; }", " }", ", )", ")", "( ", "(").Replace(got)
	}
}

func TestACanisterOfTheNewestRustCDKMakesOutcalls(t *testing.T) {
	const usage = `request_bytes = 100; http_roundtrip_time_ms = 1_000; raw_response_bytes = 1_000; transformed_response_bytes = 500; transform_instructions = 1_000_000`
	s := newCounts(t)
	_, call := outcaller(t, start(t, "--outcalls-local"))
	each := func(n int) string {
		one := `record { status = 200 : nat; body = blob "GET /each?"; headers = vec {} }`
		return `(variant { Ok = variant { ok = vec { ` + strings.TrimSuffix(strings.Repeat(one+"; ", n), "; ") + ` } } })`
	}
	got := func(body string) string {
		return `(variant { Ok = record { status = 200 : nat; body = blob "` + body + `"; headers = vec {} } })`
	}
	for _, row := range []struct {
		method, argument, want string
		path                   string
		times                  int
	}{
		{"nodes", "()", "(13 : nat32)", "", 0},
		{"cost", `("https://example.org/news")`, "(245_061_388 : nat)", "", 0},
		{"cost_each", `("https://example.org/news")`, "(1_580_536_490 : nat)", "", 0},
		{"cost_legacy", "(100, 10_000)", "(153_660_000 : nat)", "", 0},
		{"cost_of_usage", `(record { ` + usage + ` })`, "(58_083_077 : nat)", "", 0},
		{"cost_of_signing", "()", "(opt (10_000_000_000 : nat))", "", 0},
		{"fetch", `("` + s.URL + `/news")`, got("GET /news!"), "/news", 1},
		{"fetch_legacy", `("` + s.URL + `/old")`, got("GET /old"), "/old", 1},
		{"fetch_once", `("` + s.URL + `/put", blob "x")`, got("PUT /put!"), "/put", 1},
		{"fetch_each", `("` + s.URL + `/each", opt record { min_responses = 2; max_responses = 3; total_requests = 3 })`, each(3), "/each", 3},
		{"fetch_each", `("` + s.URL + `/each", null)`, each(13), "/each", 3 + 13},
		{
			"fetch_each", `("` + s.URL + `/none", opt record { min_responses = 1; max_responses = 1; total_requests = 14 })`,
			`(variant { Err = "call rejected: 4 - total_requests (14) must not exceed the number of available nodes (13)" })`, "/none", 0,
		},
	} {
		if got := call(row.method, row.argument); got != row.want {
			t.Errorf("%s%s: %s\nwant %s", row.method, row.argument, got, row.want)
		}
		if got := s.times(row.path); got != row.times {
			t.Errorf("%s%s: the server was asked %d times, want %d", row.method, row.argument, got, row.times)
		}
	}
}

func TestACanisterOfTheNewestRustCDKMakesTheOutcallsOfEachNodeWhereTheyAreReplicated(t *testing.T) {
	s := newCounts(t)
	_, call := outcaller(t, start(t, "--outcalls-local", "--outcalls", "replicated"))
	const want = `(variant { Ok = record { status = 200 : nat; body = blob "GET /news!"; headers = vec {} } })`
	if got := call("fetch", `("`+s.URL+`/news")`); got != want || s.times("/news") != 13 {
		t.Errorf("%s after %d requests, want %s after 13", got, s.times("/news"), want)
	}
}

func TestACanisterOfTheNewestRustCDKSignsAndReadsMetrics(t *testing.T) {
	d := start(t)
	id, call := outcaller(t, d)
	if got := call("metrics", "()"); !strings.Contains(got, "num_canisters = 1 : nat") {
		t.Errorf("metrics: %s", got)
	}
	const hash = "the message, 32 bytes, hashed..."
	reply := d.command(t, "canister", "call", id, "sign", `["`+hex.EncodeToString([]byte(hash))+`"]`, "--form", "json")
	var signed []struct {
		OK struct {
			Key       hexadecimal `json:"public_key"`
			Signature hexadecimal `json:"signature"`
		} `json:"Ok"`
	}
	if err := json.Unmarshal([]byte(reply), &signed); err != nil {
		t.Fatalf("%v: %s", err, reply)
	}
	if err := thresholdtest.ECDSAOverSecp256r1(signed[0].OK.Key, []byte(hash), signed[0].OK.Signature); err != nil {
		t.Errorf("%v: %s", err, reply)
	}
}

// hexadecimal is a blob as the JSON form shows it.
type hexadecimal []byte

func (h *hexadecimal) UnmarshalText(text []byte) (err error) {
	*h, err = hex.DecodeString(string(text))
	return err
}
