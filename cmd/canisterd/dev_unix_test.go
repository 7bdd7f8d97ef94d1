//go:build unix

package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestDevSaysWhatHappensToCanisters(t *testing.T) {
	e := newEditor(t)
	e.start()
	printed := func(what string) {
		t.Helper()
		e.wait("dev prints "+what, func() bool { return strings.Contains(e.dev.text(), what) })
	}
	e.save(e.trapping())
	printed("and the canister is as it was: installing bank: Error from Canister ")
	writeFile(t, filepath.Join(e.folder, "canisterd.yaml"), "canisters: {bank: {}}")
	printed("the project cannot be read: ")
	writeFile(t, filepath.Join(e.folder, "modules", "talker.wasm"), talker())
	writeFile(t, filepath.Join(e.folder, "canisterd.yaml"), editedProject+"  talker: {wasm: modules/talker.wasm}\n")
	printed("talker: installed ")
	if got := e.about("call", "talker", "speak"); !strings.Contains(got, "(IC0502)") {
		t.Errorf("the call says %s", got)
	}
	printed("[talker] a line\n")
	printed("[talker] trapped in speak: rejected with code 5 (IC0502): ")
	if strings.Contains(e.dev.text(), "[bank] ") {
		t.Errorf("the trap of the upgrade is printed twice:\n%s", e.dev.text())
	}
	if strings.Contains(e.dev.text(), "\x1b[") {
		t.Errorf("there are colors in a pipe:\n%s", e.dev.text())
	}
	e.end(syscall.SIGINT)
}

func TestDevUsesTheDaemonThatRunsAndLeavesIt(t *testing.T) {
	e := newEditor(t)
	e.start()
	first := e.dev
	e.flags = []string{"--url", e.url}
	e.start()
	e.wait("the second says so", func() bool { return strings.Contains(e.dev.text(), fmt.Sprintf("http      %s (it ran before", e.url)) })
	e.end(syscall.SIGINT)
	e.dev = first
	e.settle()
	e.end(syscall.SIGINT)
}

func TestDevNoticesASaveByPolling(t *testing.T) {
	e := newEditor(t)
	e.flags = append(e.flags, "--poll", "20ms")
	e.start()
	e.save(e.trapping())
	e.wait("dev says what it noticed", func() bool { return strings.Contains(e.dev.text(), "and the canister is as it was: installing bank: ") })
	e.end(syscall.SIGINT)
}
