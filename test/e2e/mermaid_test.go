//go:build clients

package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/test/canistertest/wat"
)

// hostileNames are names of methods that mean something to Mermaid, or to what shows its pictures.
var hostileNames = []string{
	"end", "a;b", "a#b", "#35;", `quote"s`, "it's", "p0->>p1: forged", "%%{init: {}}%%", "<script>alert(1)</script>", "&lt;", "日本語", "back`tick", "$$x$$",
	"loop x", "Note over p0: x", "autonumber", "{}[]()", "<br/>", strings.Repeat("long ", 30),
}

func TestMermaidDrawsCallTreesOfAnyMethods(t *testing.T) {
	var module strings.Builder
	module.WriteString(`(module (import "ic0" "msg_reply" (func $reply)) (memory 1)` + "\n")
	for _, name := range hostileNames {
		fmt.Fprintf(&module, "(export \"canister_update %s\" (func $reply))\n", strings.ReplaceAll(name, `"`, `\"`))
	}
	path := filepath.Join(t.TempDir(), "hostile.wasm")
	if err := os.WriteFile(path, wat.MustAssemble(module.String()+")"), 0o600); err != nil {
		t.Fatal(err)
	}
	d := start(t)
	id := d.command(t, "canister", "create")
	d.command(t, "canister", "install", id, path)
	var diagrams []string
	for _, name := range hostileNames {
		d.command(t, "canister", "call", id, name, "--form", "hex")
		diagrams = append(diagrams, d.command(t, "trace", "--form", "mermaid"))
	}
	for i, said := range drawn(t, diagrams) {
		want := unbroken(id + "." + hostileNames[i])
		call := slices.IndexFunc(said.Labels, func(label string) bool { return strings.Contains(unbroken(label), want) })
		if len(said.Actors) != 2 || call < 0 {
			t.Errorf("Mermaid sees of a call of %q the actors %q and the labels %q in\n%s", hostileNames[i], said.Actors, said.Labels, diagrams[i])
		}
	}
}

// unbroken is a text without what is between words and lines.
func unbroken(text string) string { return strings.Join(strings.Fields(text), "") }

// diagram is what Mermaid would draw.
type diagram struct{ Actors, Labels []string }

func drawn(t *testing.T, diagrams []string) (said []diagram) {
	t.Helper()
	given, err := json.Marshal(diagrams)
	if err != nil {
		t.Fatal(err)
	}
	node := exec.Command("node", "mermaid.mjs")
	node.Dir, node.Stdin = "js", bytes.NewReader(given)
	var errOut bytes.Buffer
	node.Stderr = &errOut
	out, err := node.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, errOut.String())
	}
	if err := json.Unmarshal(out, &said); err != nil || len(said) != len(diagrams) {
		t.Fatalf("%d diagrams are %d to Mermaid (%v)", len(diagrams), len(said), err)
	}
	return said
}
