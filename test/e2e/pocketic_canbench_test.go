//go:build rustclient

package e2e

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/candid"
)

// benchmark is a module with one benchmark of canbench, which counts to ten thousand. It says by performance_counter how
// many instructions that takes. %[1]s is its answer, of %[2]d bytes, with the count at %[3]d.
const benchmark = `(module
	(import "ic0" "performance_counter" (func $counter (param i32) (result i64)))
	(import "ic0" "msg_reply_data_append" (func $append (param i32 i32)))
	(import "ic0" "msg_reply" (func $reply))
	(memory 1)
	(data (i32.const 0) "%[1]s")
	(func (export "canister_query __canbench__count") (local $n i32) (local $before i64)
		(local.set $before (call $counter (i32.const 0)))
		(loop $again
			(local.set $n (i32.add (local.get $n) (i32.const 1)))
			(br_if $again (i32.lt_u (local.get $n) (i32.const 10000))))
		(i64.store (i32.const %[3]d) (i64.sub (call $counter (i32.const 0)) (local.get $before)))
		(call $append (i32.const 0) (i32.const %[2]d))
		(call $reply)))`

type (
	measurement struct {
		Calls        uint64 `ic:"calls"`
		Instructions uint64 `ic:"instructions"`
		Heap         uint64 `ic:"heap_increase"`
		Stable       uint64 `ic:"stable_memory_increase"`
	}
	benchScope struct {
		Name     string      `ic:"0"`
		Measured measurement `ic:"1"`
	}
	benchResult struct {
		Total  measurement  `ic:"total"`
		Scopes []benchScope `ic:"scopes"`
	}
)

// benchmarkModule assembles the module.
func benchmarkModule(t *testing.T) string {
	t.Helper()
	const place = 0x1122334455667788
	answer, err := candid.Marshal(benchResult{Total: measurement{Calls: 1, Instructions: place}, Scopes: []benchScope{}})
	if err != nil {
		t.Fatal(err)
	}
	at := bytes.Index(answer, binary.LittleEndian.AppendUint64(nil, place))
	var text strings.Builder
	for _, b := range answer {
		fmt.Fprintf(&text, `\%02x`, b)
	}
	return assembled(t, fmt.Sprintf(benchmark, text.String(), len(answer), at))
}

// canbenchTool is the command line of canbench, unmodified.
func canbenchTool(t *testing.T) string {
	t.Helper()
	root, err := filepath.Abs("../../bin/canbench")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("cargo", "install", "--quiet", "--locked", "--version", "0.7.0", "--root", root, "canbench")
	cmd.Env = append(os.Environ(), "CARGO_TARGET_DIR="+filepath.Join(root, "target"))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("cargo install canbench: %v\n%s", err, out)
	}
	return filepath.Join(root, "bin", "canbench")
}

func TestCanbenchCountsTheInstructionsOfPerformanceCounter(t *testing.T) {
	module, folder := benchmarkModule(t), t.TempDir()
	config := fmt.Sprintf("wasm_path: %s\nresults_path: results.yml\n", module)
	if err := os.WriteFile(filepath.Join(folder, "canbench.yml"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("sh", "-e", "-c", pasted(t, "`canbench`")+" --persist")
	t.Setenv("PATH", filepath.Dir(canbenchTool(t))+":"+os.Getenv("PATH"))
	cmd.Dir, cmd.Env = folder, append(append(os.Environ(), "TMPDIR="+t.TempDir()), userHome(t)...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("canbench: %v\n%s", err, out)
	}
	persisted, err := os.ReadFile(filepath.Join(folder, "results.yml"))
	if err != nil {
		t.Fatal(err)
	}
	counted := regexp.MustCompile(`instructions: (\d+)`).FindSubmatch(persisted)
	if counted == nil {
		t.Fatalf("canbench has counted nothing:\n%s", persisted)
	}
	d := start(t)
	id := d.command(t, "canister", "create")
	d.command(t, "canister", "install", id, module)
	said := strings.ReplaceAll(d.command(t, "canister", "query", id, "__canbench__count"), "_", "")
	if !strings.Contains(said, " = "+string(counted[1])+" : nat64") {
		t.Errorf("canbench counts %s instructions, and performance_counter says %s", counted[1], said)
	}
}
