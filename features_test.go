package canisterd_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/canisterd/canisterd"
	"github.com/canisterd/canisterd/test/canistertest/wat"
)

// waiting is a program of WASI whose method hi waits for nothing.
const waiting = `(module
	(import "wasi_snapshot_preview1" "sched_yield" (func $yield (result i32)))
	(import "ic0" "msg_reply" (func $reply))
	(memory (export "memory") 1)
	(func (export "canister_update_hi") (drop (call $yield)) (call $reply)))`

func TestACanisterHasTheFeaturesThatItIsDeployedWith(t *testing.T) {
	ctx := t.Context()
	ic := canisterd.New(t)
	module := wat.MustAssemble(waiting)
	hi := func(c *canisterd.Canister) {
		t.Helper()
		if err := c.Call(ctx, "hi"); err != nil {
			t.Error(err)
		}
	}
	c, err := ic.Network.DeployModule(ctx, module, canisterd.Features("wasi"))
	if err != nil {
		t.Fatal(err)
	}
	hi(c)
	if _, err := ic.Network.DeployModule(ctx, module); err == nil || !strings.Contains(err.Error(), "that is not exported by the runtime") {
		t.Errorf("without the feature: %v", err)
	}
	if _, err := ic.Network.DeployModule(ctx, module, canisterd.Features("fast")); err == nil || !strings.Contains(err.Error(), `unknown feature "fast": the features are wasi`) {
		t.Errorf("with an unknown feature: %v", err)
	}
	folder := t.TempDir()
	for name, text := range map[string]string{"hello.wasm": string(module), "canisterd.yaml": "canisters:\n  hello:\n    wasm: hello.wasm\n    features: [wasi]\n"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	project, err := ic.Network.DeployProject(ctx, folder)
	if err != nil {
		t.Fatal(err)
	}
	hi(project["hello"])
}

// TestATraceShowsWhatAMessageWaitsFor asks for the trace while a message waits for an hour.
func TestATraceShowsWhatAMessageWaitsFor(t *testing.T) {
	ctx := t.Context()
	ic := canisterd.New(t)
	c := ic.DeployModule(wat.MustAssemble(`(module
		(import "wasi_snapshot_preview1" "poll_oneoff" (func $poll (param i32 i32 i32 i32) (result i32)))
		(import "ic0" "msg_reply" (func $reply))
		(memory 1)
		(func (export "canister_update_nap") (i64.store (i32.const 24) (i64.const 3600000000000))
			(drop (call $poll (i32.const 0) (i32.const 200) (i32.const 1) (i32.const 300))) (call $reply)))`), canisterd.Features("wasi"))
	nap, err := c.Submit(ctx, "nap")
	if err != nil {
		t.Fatal(err)
	}
	if err := nap.Await(ctx); err == nil {
		t.Fatal("it does not wait")
	}
	if tree := ic.Trace(nap); !strings.Contains(tree, "a message waits for 3600000 ms") {
		t.Errorf("the trace is\n%s", tree)
	}
}
