package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/daemon"
	"github.com/canisterd/canisterd/test/canistertest/wat"
)

// greeting is a program of WASI that writes a line when it is called.
const greeting = `(module
	(import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
	(import "ic0" "msg_reply" (func $reply))
	(memory (export "memory") 1)
	(data (i32.const 0) "\10\00\00\00\06\00\00\00")
	(data (i32.const 16) "hello\0a")
	(func (export "canister_update_hi")
		(drop (call $write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 64)))
		(call $reply)))`

func TestAModuleThatNeedsWASIIsInstalledWithTheFeatureOnly(t *testing.T) {
	d := serving(t, daemon.Control{})
	say := func(args ...string) (int, string, string) {
		return invoke(t, append([]string{"--url", d.URL()}, args...)...)
	}
	file := filepath.Join(t.TempDir(), "hello.wasm")
	writeFile(t, file, string(wat.MustAssemble(greeting)))
	_, id, _ := say("canister", "create")
	id = strings.TrimSpace(id)
	if code, _, errOut := say("canister", "install", id, file); code == exitOK || !strings.Contains(errOut, "that is not exported by the runtime") || !strings.Contains(errOut, "install it with --feature wasi") {
		t.Errorf("without the feature: exit code %d, %s", code, errOut)
	}
	if code, _, errOut := say("canister", "install", id, file, "--feature", "wasm"); code == exitOK || !strings.Contains(errOut, `unknown feature "wasm": the features are wasi`) {
		t.Errorf("with an unknown feature: exit code %d, %s", code, errOut)
	}
	if code, _, errOut := say("canister", "install", id, file, "--feature", "wasi"); code != exitOK {
		t.Fatalf("with the feature: exit code %d, %s", code, errOut)
	}
	if code, _, errOut := say("canister", "call", id, "hi", "--hex", "4449444c0000", "--form", "hex"); code != exitOK {
		t.Errorf("calling it: exit code %d, %s", code, errOut)
	}
	if code, out, errOut := say("canister", "logs", id); code != exitOK || !strings.Contains(out, "hello") {
		t.Errorf("its log: exit code %d, %s%s", code, out, errOut)
	}
}

func TestAPolyfilledModuleIsInstalledWithoutTheFeature(t *testing.T) {
	d := serving(t, daemon.Control{})
	say := func(args ...string) (int, string, string) {
		return invoke(t, append([]string{"--url", d.URL()}, args...)...)
	}
	file, out := filepath.Join(t.TempDir(), "hello.wasm"), filepath.Join(t.TempDir(), "hello-ic.wasm")
	writeFile(t, file, string(wat.MustAssemble(greeting)))
	if code, said, errOut := say("wasm", "polyfill", file, out); code != exitOK || !strings.Contains(said, "imports only ic0") {
		t.Fatalf("exit code %d, %s%s", code, said, errOut)
	}
	_, id, _ := say("canister", "create")
	id = strings.TrimSpace(id)
	if code, _, errOut := say("canister", "install", id, out); code != exitOK {
		t.Fatalf("installing it: exit code %d, %s", code, errOut)
	}
	if code, _, errOut := say("canister", "call", id, "hi", "--hex", "4449444c0000", "--form", "hex"); code != exitOK {
		t.Errorf("calling it: exit code %d, %s", code, errOut)
	}
	if code, said, errOut := say("canister", "logs", id); code != exitOK || !strings.Contains(said, "hello") {
		t.Errorf("its log: exit code %d, %s%s", code, said, errOut)
	}
	writeFile(t, file, string(wat.MustAssemble(`(module (import "env" "f" (func)))`)))
	if code, _, errOut := say("wasm", "polyfill", file, out); code == exitOK || !strings.Contains(errOut, file) {
		t.Errorf("a module that no feature helps: exit code %d, %s", code, errOut)
	}
}
