package main

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/internal/knownmodules"
)

func TestAListOfModulesIsDownloadedFromThisComputerAndWithinLimits(t *testing.T) {
	mux := http.NewServeMux()
	server := httptest.NewServer(mux)
	defer server.Close()
	read := func(from string) ([]byte, error) {
		return readFrom(t.Context(), from, knownmodules.MaxBytes, listPatience)
	}
	mux.HandleFunc("/list", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("a list")) })
	mux.HandleFunc("/large", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(make([]byte, knownmodules.MaxBytes+100)) })
	mux.Handle("/moved", http.RedirectHandler("/list", http.StatusFound))
	mux.Handle("/out", http.RedirectHandler("http://192.0.2.1/list", http.StatusFound))
	mux.Handle("/round", http.RedirectHandler("/round", http.StatusFound))
	for _, row := range [][3]string{
		{"lists/all.json", "a.wasm", filepath.Join("lists", "a.wasm")},
		{"lists/all.json", server.URL + "/a.wasm", server.URL + "/a.wasm"},
		{server.URL + "/lists/all.json", "a.wasm", server.URL + "/lists/a.wasm"},
		{server.URL + "/lists/all.json", "/etc/passwd", server.URL + "/etc/passwd"},
	} {
		if got, err := besideList(row[0], row[1]); err != nil || got != row[2] {
			t.Errorf("%s in %s is at %s (%v), want %s", row[1], row[0], got, err, row[2])
		}
	}
	for path, want := range map[string]string{"/list": "a list", "/moved": "a list"} {
		if got, err := read(server.URL + path); err != nil || string(got) != want {
			t.Errorf("%s: %q (%v), want %q", path, got, err, want)
		}
	}
	for url, want := range map[string]string{
		server.URL + "/large":       "is larger than 4194304 bytes, the most that are read",
		server.URL + "/none":        "the server answers 404 Not Found",
		server.URL + "/out":         `invalid URL "http://192.0.2.1/list": expected https://, or http:// and an address of this computer`,
		server.URL + "/round":       "more than 5 redirects",
		"http://example.org/":       "expected https://",
		"file:///etc/passwd":        "expected https://",
		"http://127.0.0.1.example/": "expected https://",
	} {
		if _, err := read(url); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want an error with %q", url, err, want)
		}
	}
}
