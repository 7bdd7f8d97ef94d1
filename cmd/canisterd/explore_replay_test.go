package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// bugProject writes the project of a bug of examples/asyncbugs to the current folder, and deploys it.
func bugProject(t *testing.T, bug, init string) {
	t.Helper()
	examples := filepath.Join(os.Getenv("EXAMPLES"), "asyncbugs")
	writeFile(t, "ledger.wasm.gz", mustRead(t, filepath.Join(examples, "shared", "ledger.wasm.gz")))
	writeFile(t, "app.wasm.gz", mustRead(t, filepath.Join(examples, bug, "buggy.wasm.gz")))
	writeFile(t, "canisterd.yaml", "canisters:\n  ledger: {wasm: ledger.wasm.gz, init: '(10_000)'}\n  app: {wasm: app.wasm.gz, init: '"+init+"'}\n")
	perform(t, "deploy")
}

// replayCommandOf returns the command that a report prints after the finding of a property.
func replayCommandOf(t *testing.T, report, property string) string {
	t.Helper()
	_, rest, found := strings.Cut(report, property)
	_, rest, found2 := strings.Cut(rest, "  canisterd ")
	command, _, _ := strings.Cut(rest, "\n")
	if !found || !found2 {
		t.Fatalf("no finding of %s with its command:\n%s", property, report)
	}
	return command
}

func TestThePrintedCommandReplaysAFindingThatNeedsAnUpgrade(t *testing.T) {
	prepare(t)
	bugProject(t, "14-upgrade-open-callback", `(principal "${ledger}")`)
	writeFile(t, "next module.gz", mustRead(t, filepath.Join(os.Getenv("EXAMPLES"), "asyncbugs", "14-upgrade-open-callback", "next.wasm.gz")))
	const explore = `explore --op 'app withdraw (60)' --op 'app withdraw (60)' --invariant 'ledger paid <= 100' --upgrade 'app=next module.gz'`
	command := replayCommandOf(t, perform(t, explore), "finding in run")
	if want := "explore replay --upgrade 'app=next module.gz' explore/"; !strings.HasPrefix(command, want) {
		t.Errorf("the command is %q, want %q…", command, want)
	}
	if shown := perform(t, command); !strings.HasPrefix(shown, "still fails: ledger paid <= 100") {
		t.Errorf("%s says\n%s", command, shown)
	}
	file := command[strings.LastIndex(command, " ")+1:]
	for changed, says := range map[string]string{
		"explore replay " + file:                                    "the schedule upgrades app, but no module was given for the upgrade: pass the one of the exploration (--upgrade app=FILE)\n(exit 1)",
		"explore replay --upgrade app=app.wasm.gz " + file:          "fixed: ledger paid <= 100 holds in this run.",
		"-i default " + command:                                     "still fails: ",
		"explore replay --snapshot none " + file:                    "(exit 1)",
		"explore corpus":                                            "not replayed  the schedule upgrades app",
		"-i default " + explore + " --folder 'two words' --runs 90": "  canisterd -i default explore replay --upgrade 'app=next module.gz' 'two words/",
	} {
		if shown := perform(t, changed); !strings.Contains(shown, says) {
			t.Errorf("%s says\n%s\nwant %q", changed, shown, says)
		}
	}
}

// TestEachFindingHasAScheduleOfItsOwn explores two canisters that call each other. Each may wait forever for the other.
func TestEachFindingHasAScheduleOfItsOwn(t *testing.T) {
	prepare(t)
	bug := filepath.Join(os.Getenv("EXAMPLES"), "asyncbugs", "15-mutual-locks")
	writeFile(t, "app.wasm.gz", mustRead(t, filepath.Join(bug, "buggy.wasm.gz")))
	writeFile(t, "canisterd.yaml", `canisters:
  app: {wasm: app.wasm.gz, init: '(service "${peer}")'}
  peer: {wasm: app.wasm.gz, init: '(service "${app}")'}
`)
	perform(t, "deploy")
	const explore = `explore --op 'app send (10)' --op 'peer send (10)' --untrusted app,peer --invariant 'app refusals >= 9' --invariant 'app refusals <= 9' `
	for _, invariants := range []string{`--invariant 'app refusals == 0'`, ""} { // the second time without the finding of the third file
		report := perform(t, explore+invariants)
		for property, file := range map[string]string{
			"send of app is open": "open-at-rest-app-send", "send of peer is open": "open-at-rest-peer-send", "app refusals >= 9 does": "app-refusals-9",
		} {
			if command := replayCommandOf(t, report, property); command != "explore replay explore/"+file+".yaml" {
				t.Errorf("the command for %s is %s", property, command)
			}
		}
	}
	report := perform(t, explore+"--invariant 'app refusals > 9'")
	if command := replayCommandOf(t, report, "app refusals > 9 does"); command != "explore replay explore/app-refusals-9-2.yaml" {
		t.Errorf("the command for an invariant whose name is taken is %s", command)
	}
	if shown := perform(t, "explore replay explore/open-at-rest-app-send.yaml"); !strings.Contains(shown, "still fails: send of app is open") {
		t.Errorf("the replay for app says\n%s", shown)
	}
	if files, err := os.ReadDir("explore"); err != nil || len(files) < 5 {
		t.Errorf("the files are %v, %v", files, err)
	}
}

// TestGoalsAreReportedWithTheirRuns explores the bank for the largest payment, and for one that no run makes.
func TestGoalsAreReportedWithTheirRuns(t *testing.T) {
	prepare(t)
	for _, file := range []string{"bank.wasm", "vault.wasm"} {
		writeFile(t, file, mustRead(t, filepath.Join(os.Getenv("EXAMPLES"), "doublewithdraw", file)))
	}
	perform(t, "deploy")
	const explore = `explore --before 'bank open ("${vault}")' --before 'bank deposit 100' --op 'bank withdraw 100' --op 'bank withdraw 60' --faults 0 --only-stated `
	shown := perform(t, explore+"--maximize 'vault paidOut' --sometimes 'vault paidOut == 60'")
	for _, says := range []string{
		"the largest vault paidOut is 160.\n  op1: bank withdraw 100\n  op2: bank withdraw 60\n  The messages are delivered in FIFO order", "sometimes vault paidOut == 60: in ",
	} {
		if !strings.Contains(shown, says) {
			t.Errorf("the report does not say %q:\n%s", says, shown)
		}
	}
	command := replayCommandOf(t, shown, "the largest vault paidOut is 160")
	if replayed := perform(t, command); command != "explore replay explore/vault-paidOut-160.yaml" || !strings.HasPrefix(replayed, "still fails: vault paidOut < 160 does not hold") {
		t.Errorf("%s says\n%s", command, replayed)
	}
	shown = perform(t, explore+"--sometimes 'vault paidOut == 7'")
	if !strings.Contains(shown, "finding in run ") || !strings.Contains(shown, " runs has reached vault paidOut == 7.\n\n") || !strings.Contains(shown, "(exit 2)") {
		t.Errorf("a goal that no run reaches:\n%s", shown)
	}
}

func TestAnExplorationWritesItsPageAndSaysWhatItCannotDo(t *testing.T) {
	prepare(t)
	for _, file := range []string{"bank.wasm", "vault.wasm"} {
		writeFile(t, file, mustRead(t, filepath.Join(os.Getenv("EXAMPLES"), "doublewithdraw", file)))
	}
	writeFile(t, "canisterd.yaml", `canisters: {bank: {wasm: bank.wasm}, vault: {wasm: vault.wasm}}
explore: {stop: 1, workers: 2, runs: 30, faults: 0}
`)
	perform(t, "deploy")
	writeFile(t, "binary.yaml", "\xff\xfe")
	const explore = `explore --folder '' --op 'bank deposit 100' `
	for command, says := range map[string]string{
		explore + "--html none/findings.html":                             "--html: stat none: no such file or directory\n(exit 1)",
		explore + "--html .":                                              "--html . is a directory: expected a file\n(exit 1)",
		explore + "--faults 1 --fault upgrade":                            "no module was given to which a canister is upgraded",
		explore + "--faults 1 --fault unknown":                            "were run, without faults; no message can have a fault of these kinds: no violation.",
		explore + "--invariant 'vault paidOut < 0' --op 'bank deposit 1'": "finding in run 1 (fifo)",
		explore + "--snapshot none":                                       "none",
		"explore replay binary.yaml":                                      "binary.yaml is not a schedule: it is not text\n(exit 1)",
	} {
		shown := perform(t, command)
		if !strings.Contains(shown, says) {
			t.Errorf("%s says\n%s", command, shown)
		}
	}
}

// TestSchedulesReplayInANetworkWithOtherIDs replays all schedules of a folder at once. One argument is the id of a canister.
func TestSchedulesReplayInANetworkWithOtherIDs(t *testing.T) {
	prepare(t)
	for _, file := range []string{"bank.wasm", "vault.wasm"} {
		writeFile(t, file, mustRead(t, filepath.Join(os.Getenv("EXAMPLES"), "doublewithdraw", file)))
	}
	perform(t, "deploy")
	perform(t, `explore --before 'bank open ("${vault}")' --before 'bank deposit 100' --op 'bank withdraw 100' --op 'bank withdraw 100' --invariant 'vault paidOut <= 100'`)
	perform(t, "instance create other")
	if here, found := perform(t, "canister id vault"), perform(t, "-i other deploy"); strings.Contains(found, strings.TrimSpace(here)) {
		t.Fatalf("the vault has id %s in both networks:\n%s", here, found)
	}
	const first, second = "explore/again.yaml", "explore/vault-paidOut-100.yaml"
	writeFile(t, first, mustRead(t, second))
	for command, says := range map[string][]string{
		"-i other explore replay " + first + " " + second:   {first + ": still fails: ", "\n" + second + ": still fails: ", "(exit 2)"},
		"-i other explore replay " + second + " none.yaml":  {second + ": still fails: ", "error: none.yaml: reading the schedule", "(exit 1)"},
		"explore replay --form svg " + first + " " + second: {"--html and --form accept one file only", "(exit 1)"},
	} {
		shown := perform(t, command)
		for _, part := range says {
			if !strings.Contains(shown, part) {
				t.Errorf("%s does not say %q:\n%s", command, part, shown)
			}
		}
	}
}
