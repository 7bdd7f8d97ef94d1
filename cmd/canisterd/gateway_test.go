package main

import (
	"bytes"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/test/canistertest"
)

func TestACanisterHasTheHostOfTheNameThatItWasDeployedUnder(t *testing.T) {
	file := filepath.Join(t.TempDir(), "domains.txt")
	text, stop := startHere(t, "counter", "(1 : nat)\n", "--call", "counter inc", "--domain", "pages.example", "--domains-file", file)
	defer stop()
	address := regexp.MustCompile(`http://127\.0\.0\.1:\d+`).FindString(text)
	id := regexp.MustCompile(`counter +([a-z0-9-]+)`).FindStringSubmatch(text)[1]
	if err := os.WriteFile(file, []byte("my.page:"+id+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for host, want := range map[string]string{
		"counter.localhost": "canister: " + id, "counter.pages.example": "canister: " + id, "my.page": "canister: " + id,
		"pear.localhost": `"pear" is neither the id nor the name of a canister`, "counter.other.localhost": "InstanceNotFound",
	} {
		if body := pageOf(t, address, host); !strings.Contains(body, want) {
			t.Errorf("%s: %s", host, body)
		}
	}
}

// pageOf requests a host at an address.
func pageOf(t *testing.T, address, host string) string {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address+"/", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	r.Host = host
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.Status + " " + string(body)
}

func TestACanisterHasTheHostOfItsNameWhereverTheDaemonWasStarted(t *testing.T) {
	text, stop := startHere(t, "counter", "(1 : nat)\n", "--call", "counter inc")
	defer stop()
	address := regexp.MustCompile(`http://127\.0\.0\.1:\d+`).FindString(text)
	elsewhere := t.TempDir()
	for _, name := range []string{"site", "counter"} {
		writeFile(t, filepath.Join(elsewhere, name+".wasm"), string(canistertest.Fixture("counter")))
	}
	var out, notes bytes.Buffer
	if code := run(t.Context(), []string{"--url", address, "deploy", elsewhere}, &out, &notes); code != exitOK {
		t.Fatalf("exit code %d: %s", code, &notes)
	}
	for host, table := range map[string]string{"site.localhost": out.String(), "counter.localhost": text} {
		name, _, _ := strings.Cut(host, ".")
		id := regexp.MustCompile(name + " +([a-z0-9-]+)").FindStringSubmatch(table)[1]
		if body := pageOf(t, address, host); !strings.Contains(body, "canister: "+id) {
			t.Errorf("%s, which is %s: %s", host, id, body)
		}
	}
}
