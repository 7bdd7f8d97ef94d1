package main

import (
	"go/format"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/cmd/canisterd/internal/deployed"
)

// TestANewUserFindsARaceAndKeepsATestOfIt does what a new user does: deploy a canister that loses updates from an empty
// folder, explore two operations with no other flags, and run the Go test that this writes, before and after the repair.
func TestANewUserFindsARaceAndKeepsATestOfIt(t *testing.T) {
	environment := goEnvironment(t)
	prepare(t)
	examples := os.Getenv("EXAMPLES")
	bug := filepath.Join(examples, "asyncbugs", "03-lost-update")
	writeFile(t, "ledger.wasm.gz", mustRead(t, filepath.Join(examples, "asyncbugs", "shared", "ledger.wasm.gz")))
	writeFile(t, "app.wasm.gz", mustRead(t, filepath.Join(bug, "buggy.wasm.gz")))
	writeFile(t, "canisterd.yaml", `canisters:
  ledger: {wasm: ledger.wasm.gz, init: '(10_000)'}
  app: {wasm: app.wasm.gz, init: '(service "${ledger}")'}
`)
	perform(t, "deploy")
	shown := perform(t, `explore --op 'app earn 10' --op 'app earn 20' --go-test race_test.go`)
	for _, part := range []string{
		"the answers and the observed state are not those of any serial order", "canisterd explore replay explore/serializable-app-earn.yaml",
		"op1/1.request at ledger: price",
	} {
		if !strings.Contains(shown, part) {
			t.Errorf("the exploration does not say %q:\n%s", part, shown)
		}
	}
	if strings.Contains(shown, "(exit ") {
		t.Errorf("a suspicion is a failure:\n%s", shown)
	}
	if shown := perform(t, `explore --op 'app earn 10' --op 'app earn 20' --fail-on-suspicion`); !strings.Contains(shown, "(exit 2)") {
		t.Errorf("a suspicion is not a failure with --fail-on-suspicion:\n%s", shown)
	}
	writeFile(t, "go.mod", moduleOfUser(t, filepath.Join(examples, "..")))
	writeFile(t, "go.sum", mustRead(t, filepath.Join(examples, "..", "go.sum")))
	if output, err := goTests(t, environment); err == nil || !strings.Contains(output, "not those of any serial order") {
		t.Errorf("the emitted test finds no race before the repair: %v\n%s\n%s", err, output, mustRead(t, "race_test.go"))
	}
	writeFile(t, "app.wasm.gz", mustRead(t, filepath.Join(bug, "fixed.wasm.gz")))
	if output, err := exec.CommandContext(t.Context(), "./"+testBinary).CombinedOutput(); err != nil {
		t.Errorf("the emitted test fails after the repair: %v\n%s", err, output)
	}
}

// TestCallsBeforeTheOperationsBelongToRunsReplaysAndTheEmittedTest explores a bank without money: the calls that open it
// are made in the exploration.
func TestCallsBeforeTheOperationsBelongToRunsReplaysAndTheEmittedTest(t *testing.T) {
	environment := goEnvironment(t)
	prepare(t)
	examples := os.Getenv("EXAMPLES")
	for _, file := range []string{"bank.wasm", "vault.wasm"} {
		writeFile(t, file, mustRead(t, filepath.Join(examples, "doublewithdraw", file)))
	}
	perform(t, "deploy")
	documented := documentedCommand(t)
	shown := perform(t, documented+` --html findings.html`)
	if strings.Contains(shown, "note: ") {
		t.Errorf("a fresh deployment does not show what was found:\n%s", shown)
	}
	if page := mustRead(t, "findings.html"); !strings.Contains(page, "<svg") || !strings.Contains(page, `<p id="replay-1"><code>canisterd explore replay explore/vault-paidOut-100.yaml</code></p>`) {
		t.Errorf("the page is %s", page)
	}
	for _, part := range []string{
		"vault paidOut <= 100 does not hold: the left side is 200", "All 6 orders of these 2 operations were run, without faults and with each single fault (no_calls, reject_canister, ", "(exit 2)",
	} {
		if !strings.Contains(shown, part) {
			t.Errorf("the exploration does not say %q:\n%s", part, shown)
		}
	}
	if replayed := perform(t, "explore replay explore/vault-paidOut-100.yaml"); !strings.Contains(replayed, "still fails") {
		t.Errorf("the replay says %s", replayed)
	}
	checkForms(t, "explore/vault-paidOut-100.yaml", mustRead(t, "findings.html"))
	checkCorpus(t)
	writeFile(t, "canisterd.yaml", `canisters: {bank: {wasm: bank.wasm}, vault: {wasm: vault.wasm}}
explore:
  before: ['bank open ("${vault}")', bank deposit 100]
  operations: [bank withdraw 100, bank withdraw 50]
  invariants: [vault paidOut <= 100]
  runs: 20
  faults: 0
`)
	if read := perform(t, "explore --folder ''"); !strings.Contains(read, "the left side is 150") {
		t.Errorf("the section of canisterd.yaml gives\n%s", read)
	}
	if read := perform(t, "explore --folder '' --op 'bank withdraw 100'"); !strings.Contains(read, "All orders of this operation (1) were run, without faults: no violation") {
		t.Errorf("the section of canisterd.yaml overrides a flag:\n%s", read)
	}
	if refused := perform(t, strings.Replace(documented, "explore ", "explore --before 'bank close' ", 1)); !strings.Contains(refused, "bank close, before the operations: its canister has no method close; it has balance") {
		t.Errorf("a call that is rejected: %s", refused)
	}
	writeFile(t, "go.mod", moduleOfUser(t, filepath.Join(examples, "..")))
	writeFile(t, "go.sum", mustRead(t, filepath.Join(examples, "..", "go.sum")))
	if output, err := goTests(t, environment); err == nil || !strings.Contains(output, "the left side is 200") {
		t.Errorf("the emitted test: %v\n%s\n%s", err, output, mustRead(t, "race_test.go"))
	}
}

// TestATestOfDrawnArgumentsDrawsThemAgain writes a test that draws the arguments of an operation, and calls of the vault.
func TestATestOfDrawnArgumentsDrawsThemAgain(t *testing.T) {
	environment := goEnvironment(t)
	prepare(t)
	examples := os.Getenv("EXAMPLES")
	for _, file := range []string{"bank.wasm", "vault.wasm"} {
		writeFile(t, file, mustRead(t, filepath.Join(examples, "doublewithdraw", file)))
	}
	perform(t, "deploy")
	explore := `explore --only-stated --stop 1 --before 'bank open ("${vault}")' --before 'bank deposit 100' --op 'bank withdraw ?' --any vault --example 'bank withdraw 60' --invariant 'vault paidOut <= 100' --go-test race_test.go --range `
	if shown := perform(t, explore+"'bank withdraw 1..100'"); strings.Contains(shown, "note: ") || !strings.Contains(shown, "(exit 2)") {
		t.Errorf("the exploration says\n%s", shown)
	}
	written := mustRead(t, "race_test.go")
	for _, line := range []string{`explore.Drawn(bank, "withdraw"),`, `explore.Any(vault),`, `explore.Between(bank, "withdraw", 1, 100),`, `explore.Examples(bank, "withdraw", "(60)"),`} {
		if !strings.Contains(written, "\t\t"+line+"\n") {
			t.Errorf("the test does not have the line %s:\n%s", line, written)
		}
	}
	writeFile(t, "go.mod", moduleOfUser(t, filepath.Join(examples, "..")))
	writeFile(t, "go.sum", mustRead(t, filepath.Join(examples, "..", "go.sum")))
	if output, err := goTests(t, environment); err == nil || !strings.Contains(output, "vault paidOut <= 100 does not hold") {
		t.Errorf("the emitted test: %v\n%s\n%s", err, output, written)
	}
	if shown := perform(t, explore+"'bank withdraw 1..10000000000000000000'"); !strings.Contains(shown, "a test takes two limits of 64 bits") {
		t.Errorf("a range that Go cannot have: %s", shown)
	}
}

// documentedCommand returns the command of docs/explore.md that writes a test. docs/production.md has the same one.
func documentedCommand(t *testing.T) string {
	t.Helper()
	pages := filepath.Join(os.Getenv("EXAMPLES"), "..", "docs")
	_, section, _ := strings.Cut(mustRead(t, filepath.Join(pages, "explore.md")), "## Keep a test\n")
	_, rest, found := strings.Cut(section, "```sh usage\ncanisterd ")
	if !found {
		t.Fatalf("the page does not have the command:\n%s", section)
	}
	command, _, _ := strings.Cut(rest, "\n")
	if !strings.Contains(mustRead(t, filepath.Join(pages, "production.md")), "\n$ canisterd "+command+"\n") {
		t.Errorf("docs/production.md has another command than canisterd %s", command)
	}
	return command
}

// TestATestThatAFreshDeploymentPassesSaysSo explores a bank that was opened by calls, which the written test does not make.
func TestATestThatAFreshDeploymentPassesSaysSo(t *testing.T) {
	prepare(t)
	for _, file := range []string{"bank.wasm", "vault.wasm"} {
		writeFile(t, file, mustRead(t, filepath.Join(os.Getenv("EXAMPLES"), "doublewithdraw", file)))
	}
	perform(t, "deploy")
	perform(t, `canister call bank open '("${vault}")'`)
	perform(t, "canister call bank deposit 100")
	before := mustRead(t, deployed.File)
	shown := perform(t, "explore --op 'bank withdraw 100' --op 'bank withdraw 100' --invariant 'vault paidOut <= 100' --go-test race_test.go")
	const says = "an exploration of a fresh deployment of the project does not find vault paidOut <= 100. The state of instance default is another: make it with --before"
	if !strings.Contains(shown, "! note: race_test.go does not show the bug: "+says) || !strings.Contains(shown, "(exit 2)") {
		t.Errorf("the exploration says\n%s", shown)
	}
	if text := mustRead(t, "race_test.go"); !strings.Contains(text, "// This test does not show the bug: "+says) {
		t.Errorf("the test is\n%s", text)
	}
	if after := mustRead(t, deployed.File); after != before {
		t.Errorf("the folder remembers the ids\n%s\ninstead of\n%s", after, before)
	}
	if all := perform(t, "instance list"); strings.Count(all, "running") != 1 {
		t.Errorf("the instances are\n%s", all)
	}
}

// TestTheEmittedTestHasAllThatTheFindingNeeds explores a bug that an upgrade shows.
func TestTheEmittedTestHasAllThatTheFindingNeeds(t *testing.T) {
	environment := goEnvironment(t)
	prepare(t)
	examples := os.Getenv("EXAMPLES")
	bugProject(t, "14-upgrade-open-callback", `(principal "${ledger}")`)
	writeFile(t, "next.wasm.gz", mustRead(t, filepath.Join(examples, "asyncbugs", "14-upgrade-open-callback", "next.wasm.gz")))
	shown := perform(t, `explore --op 'app withdraw (60)' --op 'app withdraw (60)' --invariant 'ledger paid <= 100' --upgrade app=next.wasm.gz `+
		`--untrusted app,ledger --outcall '200 yes' --outcall '500 no' --runs 5000 --time 5m --stop 2 --go-test race_test.go`)
	if strings.Contains(shown, "note: ") || !strings.Contains(shown, "(exit 2)") {
		t.Errorf("the exploration says\n%s", shown)
	}
	text := mustRead(t, "race_test.go")
	for _, part := range []string{
		`appNext, err := os.ReadFile("next.wasm.gz")`, "explore.Upgrade(app, appNext, nil),", "explore.Untrusted(app, ledger),",
		`explore.Outcalls(explore.OutcallAnswer{Status: 200, Body: []byte("yes")}, explore.OutcallAnswer{Status: 500, Body: []byte("no")}),`,
		"explore.Budget(5000),", "explore.Within(300*time.Second),", "explore.KeepGoing(),",
	} {
		if !strings.Contains(text, part) {
			t.Errorf("the test does not have %s:\n%s", part, text)
		}
	}
	writeFile(t, "go.mod", moduleOfUser(t, filepath.Join(examples, "..")))
	writeFile(t, "go.sum", mustRead(t, filepath.Join(examples, "..", "go.sum")))
	if output, err := goTests(t, environment); err == nil || !strings.Contains(output, "ledger paid <= 100 does not hold") {
		t.Errorf("the emitted test: %v\n%s\n%s", err, output, text)
	}
}

func TestTheEmittedTestBelongsToThePackageOfItsFolder(t *testing.T) {
	for text, want := range map[string]string{
		"// Package bank keeps money.\npackage bank\n\nfunc broken(": "bank_test", "/* of others */ package bank_test": "bank_test",
		"func bank() {}": "race2_test", "package 7": "race2_test", "": "race2_test",
	} {
		folder := filepath.Join(t.TempDir(), "Race-2")
		writeFile(t, filepath.Join(folder, "bank.go"), text)
		if got := packageOf(folder); got != want {
			t.Errorf("beside %q the test is in package %s, want %s", text, got, want)
		}
	}
}

// checkForms checks the forms in which commands show the run of a schedule. The page of all findings has the same diagram.
func checkForms(t *testing.T, schedule, findings string) {
	t.Helper()
	for form, begins := range map[string]string{
		"text": "still fails: vault paidOut <= 100 does not hold", "mermaid": "sequenceDiagram\n", "svg": "<svg xmlns=", "html": "<!doctype html>",
	} {
		shown := perform(t, "explore show --form "+form+" "+schedule)
		if !strings.HasPrefix(shown, begins) || strings.Contains(shown, "(exit ") {
			t.Errorf("the form %s is\n%s", form, shown)
		}
		if replayed := perform(t, "explore replay --form "+form+" "+schedule); replayed != strings.TrimSuffix(shown, "\n")+"(exit 2)\n\n" {
			t.Errorf("replay shows the form %s as\n%s", form, replayed)
		}
	}
	if shown := perform(t, "explore show --html run.html "+schedule); !strings.HasPrefix(shown, "still fails: ") {
		t.Errorf("beside the page, show says\n%s", shown)
	}
	_, rest, _ := strings.Cut(findings, `aria-label="sequence diagram">`)
	rows, _, _ := strings.Cut(rest, `<rect x="10"`) // the frame of the verdict has a color of its own
	if page := mustRead(t, "run.html"); rows == "" || !strings.Contains(page, rows) {
		t.Errorf("the page of the replay does not have the diagram of the exploration:\n%s\n%s", rows, page)
	}
	if refused := perform(t, "explore show --form png "+schedule); !strings.Contains(refused, `invalid --form "png": expected text, mermaid, svg, html`) {
		t.Errorf("the form png: %s", refused)
	}
}

// bankHash matches the hash of the module of the bank in a schedule.
var bankHash = regexp.MustCompile("bank: [0-9a-f]{64}")

// checkCorpus replays folders with schedules, and checks that the worst outcome gives the exit code.
func checkCorpus(t *testing.T) {
	t.Helper()
	bug := mustRead(t, "explore/vault-paidOut-100.yaml")
	holds := strings.Replace(bug, "vault paidOut <= 100", "vault paidOut <= 200", 1)
	fixed := bankHash.ReplaceAllString(holds, "bank: 00")
	schedules := []struct{ name, text, says string }{
		{"stale", fixed + "faults: [{at: op1/9.reply, kind: stop}]\n", "stale diverged at op1/9.reply, which did not come: its fault is stop."},
		{"fixed", fixed, "fixed vault paidOut <= 200 holds in this run."},
		{"unrepaired", holds, "stale the modules are those of the schedule; the state is different (base "},
		{"go", strings.Replace(bug, "vault paidOut <= 100", "money stays", 1), `not replayed the schedule violates "money stays", which is not checked here`},
		{"bug", bug, "still fails vault paidOut <= 100 does not hold"},
	}
	for _, c := range []struct {
		files []int
		exit  string
	}{{[]int{1}, ""}, {[]int{0, 1, 2}, "(exit 3)"}, {[]int{0, 1, 2, 3}, "(exit 1)"}, {[]int{0, 1, 2, 3, 4}, "(exit 2)"}} {
		for _, i := range c.files {
			writeFile(t, "kept/"+schedules[i].name+".yaml", schedules[i].text)
		}
		shown := perform(t, "explore corpus kept")
		for _, i := range c.files {
			if row := "kept/" + schedules[i].name + ".yaml " + schedules[i].says; !strings.Contains(strings.Join(strings.Fields(shown), " "), row) {
				t.Errorf("the folder with files %v does not say %q:\n%s", c.files, schedules[i].says, shown)
			}
		}
		if strings.Contains(shown, "(exit ") != (c.exit != "") || !strings.Contains(shown, c.exit) {
			t.Errorf("the folder with files %v does not end with %q:\n%s", c.files, c.exit, shown)
		}
	}
	for command, says := range map[string]string{
		"explore corpus none": `no schedules in directory "none"`, "explore corpus kept -i none": "(exit 1)",
		"explore corpus kept --json --jq '.[0].outcome'": "still fails",
	} {
		if shown := perform(t, command); !strings.Contains(shown, says) {
			t.Errorf("%s says %s", command, shown)
		}
	}
}

// goEnvironment returns the environment of the go command, with caches that do not depend on the home of the test.
func goEnvironment(t *testing.T) []string {
	t.Helper()
	all := append(os.Environ(), "GOFLAGS="+os.Getenv("GOFLAGS")+" -mod=mod", "GOWORK=off")
	for _, name := range []string{"GOCACHE", "GOMODCACHE", "GOPATH"} {
		value, err := exec.CommandContext(t.Context(), "go", "env", name).Output()
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, name+"="+strings.TrimSpace(string(value)))
	}
	return all
}

// requirements matches the blocks of go.mod that name modules.
var requirements = regexp.MustCompile(`(?ms)^require \(.*?^\)\n`)

// moduleOfUser returns the go.mod of a user of this module, with the modules that it needs.
func moduleOfUser(t *testing.T, root string) string {
	t.Helper()
	needed := requirements.FindAllString(mustRead(t, filepath.Join(root, "go.mod")), -1)
	return "module example.org/points\n\ngo 1.26\n\nrequire " + modulePath + " v0.0.0\n\n" +
		strings.Join(needed, "\n") + "\nreplace " + modulePath + " => " + filepath.ToSlash(filepath.Clean(root)) + "\n"
}

// testBinary is the file of the tests that goTests ran last, which run again without being linked again.
const testBinary = "race.test.exe"

// goTests runs the Go tests of the current folder, and returns their output. The emitted test is formatted.
func goTests(t *testing.T, environment []string) (string, error) {
	t.Helper()
	text := mustRead(t, "race_test.go")
	if formatted, err := format.Source([]byte(text)); err != nil || string(formatted) != text {
		t.Errorf("gofmt writes the emitted test in another way (%v):\n%s\ninstead of\n%s", err, formatted, text)
	}
	command := exec.CommandContext(t.Context(), "go", "test", "-count=1", "-o", testBinary, "-ldflags=-s -w", ".")
	command.Env = environment
	output, err := command.CombinedOutput()
	return string(output), err
}
