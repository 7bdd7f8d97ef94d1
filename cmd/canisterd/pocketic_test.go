package main

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/canisterd/canisterd/internal/eventually"
	"github.com/canisterd/canisterd/test/canistertest"
)

func TestTheNameOfTheProgramMakesItPocketIC(t *testing.T) {
	for name, want := range map[string][]string{
		"canisterd":                   {"x"},
		"/usr/bin/pocket-ic":          {"pocket-ic", "x"},
		"./pocket-ic-server":          {"pocket-ic", "x"},
		"pocket-ic-13.0.0":            {"pocket-ic", "--report-version", "13.0.0", "x"},
		"pocket-ic-server-head-nns":   {"pocket-ic", "x"},
		"pocket-ic.exe":               {"pocket-ic", "x"},
		"pocket-ices":                 {"x"},
		"pocket-ic-server-1.2.3-beta": {"x"},
	} {
		if got := asPocket(name, []string{"x"}); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if got := asPocket("pocket-ic", []string{compileWorkerName, "folder"}); got[0] != compileWorkerName {
		t.Errorf("a compile worker is %q", got)
	}
}

func TestPocketICReportsTheVersionOfItsFlag(t *testing.T) {
	say := func(arguments ...string) string {
		var out, errOut bytes.Buffer
		if code := run(t.Context(), arguments, &out, &errOut); code != 0 {
			t.Fatalf("%q: exit code %d, %s", arguments, code, &errOut)
		}
		return out.String()
	}
	for _, flag := range []string{"--version", "-V"} {
		if got, want := say("pocket-ic", flag), "pocket-ic-server "+pocketVersion+"\n"; got != want {
			t.Errorf("%s: %q, want %q", flag, got, want)
		}
	}
	t.Setenv("CANISTERD_POCKET_IC_VERSION", "15.0.0")
	if got := say("pocket-ic", "--version"); got != "pocket-ic-server 15.0.0\n" {
		t.Errorf("with a variable: %q", got)
	}
	if got := say(asPocket("pocket-ic-13.0.0", []string{"--version"})...); got != "pocket-ic-server 13.0.0\n" {
		t.Errorf("with a name: %q", got)
	}
}

// servedPocket is a server that runs until its test ends: end asks it to end, and gives its exit code.
func servedPocket(t *testing.T, portFile string, arguments ...string) (end func() int) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	canistertest.UseCacheHome(t)
	var out bytes.Buffer
	done := make(chan int, 1)
	go func() {
		done <- run(ctx, append([]string{"pocket-ic", "--port-file", portFile}, arguments...), &out, &out)
	}()
	end = func() int {
		cancel()
		return <-done
	}
	t.Cleanup(func() { cancel() })
	return end
}

// portOf waits for the line in a port file.
func portOf(t *testing.T, path string) (port string) {
	t.Helper()
	eventually.True(t, "the port file has a line", func() bool {
		line, err := os.ReadFile(path)
		port = strings.TrimSpace(string(line))
		return err == nil && strings.HasSuffix(string(line), "\n")
	})
	return port
}

func TestOneOfThoseWhoWantAPortFileServes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pocket_ic.port")
	end := servedPocket(t, path)
	port := portOf(t, path)
	response, err := http.Get("http://127.0.0.1:" + port + "/status")
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("the status is %v (%v)", response, err)
	}
	_ = response.Body.Close()
	var out bytes.Buffer
	if code := run(t.Context(), []string{"pocket-ic", "--port-file", path}, &out, &out); code != 0 || out.Len() > 0 {
		t.Errorf("the second ends with exit code %d and says %q", code, &out)
	}
	if again := portOf(t, path); again != port {
		t.Errorf("the port was %s and is %s", port, again)
	}
	if code := end(); code != 0 {
		t.Errorf("the first ends with exit code %d", code)
	}
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("the port file is left: %v", err)
	}
}

func TestPagesOfOriginsThatAFlagAllowsUsePocketIC(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pocket_ic.port")
	servedPocket(t, path, "--allow-origin", "https://app.example")
	url := "http://127.0.0.1:" + portOf(t, path) + "/instances"
	for origin, want := range map[string]int{"https://app.example": http.StatusOK, "http://localhost:3000": http.StatusOK, "https://evil.example": http.StatusForbidden} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Origin", origin)
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		if response.StatusCode != want {
			t.Errorf("a page of %s gets status %d, want %d", origin, response.StatusCode, want)
		}
	}
}

func TestFlagsOfPocketICAreChecked(t *testing.T) {
	for _, row := range [][3]string{
		{"--allow-origin", "app.example", `"app.example" is not an origin`},
		{"--memory-limit", "much", "--memory-limit: "},
		{"--memory-limit", "1MiB", "a memory limit of 1048576 bytes is too low"},
	} {
		var out bytes.Buffer
		if code := run(t.Context(), []string{"pocket-ic", row[0], row[1]}, &out, &out); code != 1 || !strings.Contains(out.String(), row[2]) {
			t.Errorf("%s %s: exit code %d: %s", row[0], row[1], code, &out)
		}
	}
}

func TestAServerThatGetsNoRequestEnds(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pocket_ic.port")
	var out bytes.Buffer
	if code := run(t.Context(), []string{"pocket-ic", "--port-file", path, "--ttl", "0"}, &out, &out); code != 0 {
		t.Errorf("exit code %d: %s", code, &out)
	}
	if line := `msg="the server ends: it got no request for its time to live (--ttl)" seconds=0` + "\n"; !strings.HasSuffix(out.String(), line) {
		t.Errorf("the output of a server whose time to live is over ends with %q, want %s", out.String(), line)
	}
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("the port file is left: %v", err)
	}
}

func TestLevelsOfTheLogAreThoseOfTheServer(t *testing.T) {
	for text, want := range map[string]slog.Level{
		"error": slog.LevelError, "debug": slog.LevelDebug, "pocket_ic_server=warn,tower_http=debug": slog.LevelWarn,
		"tower_http=debug": slog.LevelInfo, "odd": slog.LevelInfo,
	} {
		if got := levelOf(text); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

func TestTimesOfServersAreSeconds(t *testing.T) {
	for n, want := range map[uint64]time.Duration{0: 0, 60: time.Minute, 1 << 63: 1 << 32 * time.Second} {
		if got := seconds(n); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
}
