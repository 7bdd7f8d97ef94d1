package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/internal/knownmodules"
)

func TestAListOfModulesIsDownloadedFromThisComputerAndWithinLimits(t *testing.T) {
	mux := http.NewServeMux()
	server := httptest.NewServer(mux)
	defer server.Close()
	mux.HandleFunc("/list", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("a list")) })
	mux.HandleFunc("/large", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(make([]byte, knownmodules.MaxBytes+100)) })
	mux.Handle("/moved", http.RedirectHandler("/list", http.StatusFound))
	mux.Handle("/out", http.RedirectHandler("http://192.0.2.1/list", http.StatusFound))
	mux.Handle("/round", http.RedirectHandler("/round", http.StatusFound))
	for path, want := range map[string]string{"/list": "a list", "/moved": "a list"} {
		if got, err := readModules(t.Context(), server.URL+path); err != nil || string(got) != want {
			t.Errorf("%s: %q (%v), want %q", path, got, err, want)
		}
	}
	if got, err := readModules(t.Context(), server.URL+"/large"); err != nil || len(got) != knownmodules.MaxBytes+1 {
		t.Errorf("of a large list, %d bytes are read (%v), want one more than allowed", len(got), err)
	}
	for url, want := range map[string]string{
		server.URL + "/none":        "the server answers 404 Not Found",
		server.URL + "/out":         `invalid URL "http://192.0.2.1/list": expected https://, or http:// and an address of this computer`,
		server.URL + "/round":       "more than 5 redirects",
		"http://example.org/":       "expected https://",
		"file:///etc/passwd":        "expected https://",
		"http://127.0.0.1.example/": "expected https://",
	} {
		if _, err := readModules(t.Context(), url); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want an error with %q", url, err, want)
		}
	}
}
