package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/canisterd/canisterd/daemon"
	"github.com/canisterd/canisterd/internal/eventually"
)

// printed is what a command has printed so far.
type printed struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (p *printed) Write(some []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text.Write(some)
}

func (p *printed) String() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text.String()
}

// begin runs a command in the background, for a caller without a deadline, until it prints a text.
func begin(t *testing.T, d *daemon.Daemon, until string, args ...string) (code <-chan int, text *printed) {
	t.Helper()
	text = new(printed)
	ended := make(chan int, 1)
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	go func() { ended <- run(ctx, append([]string{"--url", d.URL()}, args...), text, text) }()
	eventually.True(t, strings.Join(args, " ")+" prints "+until, func() bool { return strings.Contains(text.String(), until) })
	return ended, text
}

func TestACommandThatWaitsSaysWhatItWaitsForAndTheCommandThatEndsIt(t *testing.T) {
	d, expect := keptCounter(t)
	expect(exitOK, "installed", "deploy")
	expect(exitOK, "1", "rule", "add", "hold", "--kind", "ingress")
	call, text := begin(t, d, "the message is held by rule 1 as held 1 (canisterd release 1)", "canister", "call", "counter", "inc")
	request := regexp.MustCompile(`waiting for request ([0-9a-f]{8})`).FindStringSubmatch(text.String())
	if request == nil {
		t.Fatalf("it prints %q", text)
	}
	await, _ := begin(t, d, "waiting for request "+request[1], "canister", "await", request[1])
	for _, wait := range []string{"--no-wait", "--timeout=1ms"} {
		expect(exitUnanswered, "the message is held by rule 1 as held 1 (canisterd release 1); canisterd canister await "+request[1]+" waits for it", "canister", "await", request[1], wait)
	}
	expect(exitOK, "1: released", "release", "1")
	for _, ended := range []<-chan int{call, await} {
		if code := eventually.Receive(t, "the end of a command that waited", ended); code != exitOK {
			t.Errorf("exit code %d:\n%s", code, text)
		}
	}
	expect(exitOK, "", "pacing", "auto")
	held, text := begin(t, d, "waiting: no rule holds a message (canisterd rule list)", "held", "--wait", "--rule", "1")
	expect(exitOK, "", "rule", "remove", "1")
	if code := eventually.Receive(t, "the end of held --wait", held); code != exitFailed {
		t.Errorf("exit code %d:\n%s", code, text)
	}
}

// TestEveryPageThatSpeaksOfExitCodesRefersToTheirTable holds that the table of docs/commands.md is the only one.
func TestEveryPageThatSpeaksOfExitCodesRefersToTheirTable(t *testing.T) {
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil || len(pages) == 0 {
		t.Fatal(pages, err)
	}
	for _, page := range append(pages, "../../README.md") {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		if speaks := strings.Contains(string(text), "exit code"); speaks && filepath.Base(page) != "commands.md" && !strings.Contains(string(text), "(commands.md)") {
			t.Errorf("%s speaks of exit codes: refer to the table of commands.md", page)
		}
	}
}
