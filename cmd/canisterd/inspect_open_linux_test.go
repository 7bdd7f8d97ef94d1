package main

import (
	"bytes"
	"context"
	"html"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/daemon"
	"github.com/canisterd/canisterd/test/canistertest"
)

// fakeBrowser makes xdg-open write its arguments into a file, which it returns.
func fakeBrowser(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	opened := filepath.Join(folder, "opened")
	program := filepath.Join(folder, "xdg-open")
	writeFile(t, program, "#!/bin/sh\nprintf '%s' \"$*\" >"+opened+"\n")
	if err := os.Chmod(program, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", folder)
	return opened
}

// servingBrowsers starts a daemon for the browsers of this user.
func servingBrowsers(t *testing.T) (d *daemon.Daemon, token string) {
	t.Helper()
	token, err := daemon.InspectorToken()
	if err != nil {
		t.Fatal(err)
	}
	config := daemon.Config{Listen: "127.0.0.1:0", CacheDir: canistertest.CacheDir(t), Seed: []byte{0}, Inspector: daemon.Inspector{Token: token}}
	if d, err = daemon.Start(context.WithoutCancel(t.Context()), config); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d, token
}

func TestABrowserGetsTheTokenInAFileThatOnlyTheUserReads(t *testing.T) {
	homeWith(t, "counter")
	opened := fakeBrowser(t)
	d, token := servingBrowsers(t)
	var out, errOut bytes.Buffer
	if code := run(context.Background(), []string{"--url", strings.Replace(d.URL(), "127.0.0.1", "localhost", 1), "-i", "lab", "inspect"}, &out, &errOut); code != exitOK {
		t.Fatalf("exit code %d: %s", code, &errOut)
	}
	page := mustRead(t, opened)
	if strings.Contains(page, token) {
		t.Errorf("others see the token in the arguments %q", page)
	}
	for path, want := range map[string]os.FileMode{page: 0o600, filepath.Dir(page): 0o700} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v; want the mode %v", path, info, err, want)
		}
	}
	at := d.URL() + daemon.InspectorPath + "?i=lab&token=" + token
	if text := mustRead(t, page); !strings.Contains(text, `content="0; url=`+html.EscapeString(at)+`"`) {
		t.Errorf("the page leads elsewhere than to %s:\n%s", at, text)
	}
}

func TestABrowserIsSentOnlyToADaemonThatKnowsTheToken(t *testing.T) {
	homeWith(t, "counter")
	opened := fakeBrowser(t)
	d, token := servingBrowsers(t)
	stranger := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	t.Cleanup(stranger.Close)
	redirects := httptest.NewServer(http.RedirectHandler(d.URL()+daemon.InspectorPath, http.StatusTemporaryRedirect))
	t.Cleanup(redirects.Close)
	relays := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked, err := http.NewRequestWithContext(r.Context(), http.MethodHead, d.URL()+daemon.InspectorPath, http.NoBody)
		if err != nil {
			t.Error(err)
			return
		}
		asked.Header = r.Header
		answer, err := http.DefaultTransport.RoundTrip(asked)
		if err != nil {
			t.Error(err)
			return
		}
		_ = answer.Body.Close() // of a HEAD request
		for name, values := range answer.Header {
			w.Header()[name] = values
		}
	}))
	t.Cleanup(relays.Close)
	for name, row := range map[string]struct{ url, want string }{
		"a stranger":                   {stranger.URL, "does not know the token of this user"},
		"one that asks the daemon":     {relays.URL, "does not know the token of this user"},
		"one that leads to the daemon": {redirects.URL, "does not serve the inspector"},
		"another machine":              {"http://192.0.2.1:4943", "may be another machine"},
		"a daemon of another user":     {serving(t, daemon.Control{}).URL(), "does not know the token of this user"},
	} {
		var out, errOut bytes.Buffer
		code := run(context.Background(), []string{"--url", row.url, "inspect"}, &out, &errOut)
		if code != exitFailed || !strings.Contains(errOut.String(), row.want) || strings.Contains(out.String()+errOut.String(), token) {
			t.Errorf("%s: exit code %d, %s%s", name, code, &out, &errOut)
		}
		if _, err := os.Stat(opened); err == nil {
			t.Errorf("%s: a browser was opened", name)
		}
	}
}

func TestABrowserInASnapGetsAFileInAFolderOfItsOwn(t *testing.T) {
	homeWith(t, "counter")
	opened := fakeBrowser(t)
	d, _ := servingBrowsers(t)
	settings := filepath.Join(filepath.Dir(opened), "xdg-settings")
	writeFile(t, settings, "#!/bin/sh\necho firefox_firefox.desktop\n")
	common := filepath.Join(os.Getenv("HOME"), "snap", "firefox", "common")
	for _, err := range []error{os.Chmod(settings, 0o700), os.MkdirAll(common, 0o700)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	var out, errOut bytes.Buffer
	if code := run(context.Background(), []string{"--url", d.URL(), "inspect"}, &out, &errOut); code != exitOK || !strings.HasPrefix(mustRead(t, opened), common) {
		t.Errorf("exit code %d, %s; it gets %s", code, &errOut, mustRead(t, opened))
	}
}
