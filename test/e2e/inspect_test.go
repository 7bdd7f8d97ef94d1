//go:build clients && inspect

package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/format"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/internal/golden"
	"github.com/canisterd/canisterd/test/canistertest/wat"
)

// inspectScreens is the directory of the screenshots, which are kept.
const inspectScreens = "../../bin/inspect"

// callAsTest is the test that the inspector writes of a call. It is part of an example, so that it is compiled and run.
const callAsTest = "../../examples/doublewithdraw/withdraw_test.go"

// The picture of the inspector in the README, and what the page shows in it: pixels differ with fonts, texts do not. With
// -rewrite, the flow that takes it writes both.
const (
	readmePicture = "../../docs/images/inspect.png"
	readmeTexts   = "inspect/picture.txt"
	// maxPicture is how large the picture may be, in bytes.
	maxPicture = 150 << 10
)

// copiedTest and hostileTest are tests in Go that flows write beside the screenshots: of a call, and of one whose names are
// hostile. They are no Go files, which go test ./... would compile.
const (
	copiedTest  = "withdraw_test.go.txt"
	hostileTest = "hostile_test.go.txt"
)

// hostileCanister has a trap, a log line, methods and a Candid interface that are HTML.
const hostileCanister = `(module
  (import "ic0" "msg_reply" (func $reply))
  (import "ic0" "debug_print" (func $print (param i32 i32)))
  (import "ic0" "trap" (func $trap (param i32 i32)))
  (memory (export "memory") 1)
  (data (i32.const 0) "<img src=x onerror=alert(1)>\1b[31m\u{202e}")
  (func (export "canister_update trap") (call $trap (i32.const 0) (i32.const 28)))
  (func (export "canister_update log") (call $print (i32.const 0) (i32.const 36)) (call $reply))
  (func (export "canister_update <img src=x onerror=alert(2)>") (call $reply)))`

// wideInterface has a type of 10 to the power of 8 fields, one that is nested 10,000 deep, and a method beside them.
func wideInterface() string {
	var text strings.Builder
	for level := range 8 {
		fmt.Fprintf(&text, "type wide%d = record {", level)
		for i := range 10 {
			fmt.Fprintf(&text, " f%d : wide%d;", i, level+1)
		}
		text.WriteString(" };\n")
	}
	text.WriteString("type wide8 = nat;\ntype choice = variant { deep : deep0; flat };\n")
	for level := range 10_000 {
		fmt.Fprintf(&text, "type deep%d = record { d : deep%d };\n", level, level+1)
	}
	text.WriteString("type deep10000 = nat;\nservice : { wide : (wide0) -> (); deep : (choice) -> (); lists : (vec wide7, vec vec wide6) -> (); narrow : (nat) -> () }")
	return text.String()
}

// wideCanister has the interface, and answers nothing.
func wideCanister() ([]byte, error) {
	methods := ""
	for _, name := range []string{"wide", "deep", "lists", "narrow"} {
		methods += fmt.Sprintf(`(func (export "canister_update %s") (call $append (i32.const 0) (i32.const 6)) (call $reply))`, name)
	}
	return wat.Assemble(`(module (import "ic0" "msg_reply" (func $reply)) (import "ic0" "msg_reply_data_append" (func $append (param i32 i32)))
  (memory 1) (data (i32.const 0) "DIDL\00\00") ` + methods + fmt.Sprintf(`(@custom "icp:public candid:service" %q))`, wideInterface()))
}

// inspectPlan is what the flows need to know.
type inspectPlan struct {
	Binary  string `json:"binary"`
	URL     string `json:"url"`
	Project string `json:"project"`
	Screens string `json:"screens"`
	// Restarter stops the daemon at /stop, and starts it again at /start.
	Restarter string            `json:"restarter"`
	Only      string            `json:"only"`
	Fetcher   string            `json:"fetcher"` // module of a canister that makes HTTP outcalls
	Hostile   string            `json:"hostile"` // hostileCanister as a module
	IDs       map[string]string `json:"ids"`
}

// TestTheInspectorDoesWhatDevelopersDo runs the flows of inspect/flows.mjs, each of which is a subtest.
func TestTheInspectorDoesWhatDevelopersDo(t *testing.T) {
	home, project := t.TempDir(), t.TempDir()
	t.Setenv("XDG_DATA_HOME", home)
	d := start(t, "--state-dir", filepath.Join(home, "state"))
	plan := &inspectPlan{Binary: d.binary, URL: d.url, Project: project, Only: os.Getenv("CANISTERD_FLOW"), IDs: map[string]string{}}
	var err error
	if plan.Screens, err = filepath.Abs(inspectScreens); err != nil {
		t.Fatal(err)
	}
	for _, old := range []string{copiedTest, hostileTest, "readme.png", "readme.txt"} {
		if err := os.Remove(filepath.Join(plan.Screens, old)); err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
	}
	plan.Fetcher = assembled(t, fetcher)
	inspectProject(t, d, plan)
	restarter := httptest.NewServer(restarting(t, d, home))
	defer restarter.Close()
	plan.Restarter = restarter.URL
	text, err := json.Marshal(plan)
	if err != nil {
		t.Fatal(err)
	}
	node := exec.Command("node", "flows.mjs")
	node.Dir = "inspect"
	node.Env = append(os.Environ(), "CANISTERD_PLAN="+string(text))
	var errOut bytes.Buffer
	node.Stderr = &errOut
	out, err := node.Output()
	if err != nil {
		t.Fatalf("%v\n%s\n%s", err, errOut.String(), d.log)
	}
	var flows []struct{ Name, Error string }
	if err := json.Unmarshal(out, &flows); err != nil {
		t.Fatalf("%v in\n%s", err, out)
	}
	for _, f := range flows {
		t.Run(f.Name, func(t *testing.T) {
			if f.Error != "" {
				t.Error(f.Error)
			}
		})
	}
	checkTests(t, plan.Screens)
	checkPicture(t, plan.Screens)
	if len(flows) < 25 && plan.Only == "" {
		t.Errorf("%d flows ran: the inspector has at least 25", len(flows))
	}
}

// checkPicture checks that the page still shows what the picture of the README shows.
func checkPicture(t *testing.T, dir string) {
	t.Helper()
	texts, err := os.ReadFile(filepath.Join(dir, "readme.txt"))
	if err != nil {
		return // its flow did not run, or says why
	}
	golden.Compare(t, readmeTexts, string(texts))
	if golden.Rewriting() {
		picture, err := os.ReadFile(filepath.Join(dir, "readme.png"))
		if err == nil {
			err = os.WriteFile(readmePicture, picture, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if kept, err := os.Stat(readmePicture); err != nil || kept.Size() > maxPicture {
		t.Errorf("the picture of the README is to have at most %d bytes: %v, %v", maxPicture, kept, err)
	}
}

// checkTests checks the tests in Go that flows have written.
func checkTests(t *testing.T, dir string) {
	t.Helper()
	if test, err := os.ReadFile(filepath.Join(dir, copiedTest)); err == nil {
		golden.Compare(t, callAsTest, string(test))
	}
	hostile, err := os.ReadFile(filepath.Join(dir, hostileTest))
	if err != nil {
		return // its flow did not run, or says why
	}
	if formatted, err := format.Source(hostile); err != nil || !bytes.Equal(formatted, hostile) {
		t.Errorf("a test with hostile names is not formatted Go: %v\n%s", err, hostile)
	}
}

// inspectProject deploys the canisters of the flows.
func inspectProject(t testing.TB, d *daemon, plan *inspectPlan) {
	t.Helper()
	run := func(args ...string) string {
		t.Helper()
		cmd := exec.Command(d.binary, append([]string{"--url", d.url}, args...)...)
		cmd.Dir = plan.Project
		var errOut bytes.Buffer
		cmd.Stderr = &errOut
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("canisterd %s: %v\n%s", strings.Join(args, " "), err, errOut.String())
		}
		return strings.TrimSpace(string(out))
	}
	for _, name := range []string{"bank", "vault"} {
		module, err := os.ReadFile(filepath.Join("..", "..", "examples", "doublewithdraw", name+".wasm"))
		if err == nil {
			err = os.WriteFile(filepath.Join(plan.Project, name+".wasm"), module, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	module, err := wat.Assemble(hostileCanister)
	if err != nil {
		t.Fatal(err)
	}
	hostile, wide := filepath.Join(t.TempDir(), "hostile.wasm"), filepath.Join(t.TempDir(), "wide.wasm")
	if err := os.WriteFile(hostile, module, 0o600); err != nil {
		t.Fatal(err)
	}
	plan.Hostile = hostile
	if module, err = wideCanister(); err == nil {
		err = os.WriteFile(wide, module, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	run("deploy")
	for _, name := range []string{"bank", "vault"} {
		plan.IDs[name] = run("canister", "id", name)
	}
	plan.IDs["blank"], plan.IDs["hostile"] = run("canister", "create"), run("canister", "create")
	run("canister", "install", plan.IDs["hostile"], hostile)
	plan.IDs["wide"] = run("canister", "create")
	run("canister", "install", plan.IDs["wide"], wide)
	run("canister", "call", "bank", "open", fmt.Sprintf("(%q)", plan.IDs["vault"]))
	run("instance", "create", "empty")
}

// restarting stops the daemon and starts it again at the same address, when a flow asks for it.
func restarting(t *testing.T, d *daemon, home string) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/stop", func(http.ResponseWriter, *http.Request) { d.stop(t) })
	mux.HandleFunc("/start", func(w http.ResponseWriter, _ *http.Request) {
		at, err := url.Parse(d.url)
		if err == nil {
			d.cmd = exec.Command(d.binary, "start", "--listen", at.Host, "--state-dir", filepath.Join(home, "state"), "--json")
			d.cmd.Stderr = d.log
			err = d.cmd.Start()
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
		}
	})
	return mux
}
