package main

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
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
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address+"/", http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		r.Host = host
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(response.Body)
		if err != nil || !strings.Contains(string(body), want) {
			t.Errorf("%s: %s %s, %v", host, response.Status, body, err)
		}
		_ = response.Body.Close()
	}
}
