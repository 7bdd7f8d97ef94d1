package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/internal/eventually"
)

// theft deploys the bank of examples/doublewithdraw, and opens it with 100.
func theft(t *testing.T) {
	t.Helper()
	prepare(t)
	for _, file := range []string{"bank.wasm", "vault.wasm"} {
		writeFile(t, file, mustRead(t, filepath.Join(os.Getenv("EXAMPLES"), "doublewithdraw", file)))
	}
	perform(t, "deploy")
	perform(t, `canister call bank open '("${vault}")'`)
	perform(t, "canister call bank deposit 100")
}

// filesOf returns the files of a folder that match a pattern.
func filesOf(t *testing.T, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// addedTo returns how many runs an exploration says that it has added to a corpus, those of findings included.
func addedTo(t *testing.T, said string) (count int) {
	t.Helper()
	found := regexp.MustCompile(`corpus corpus: ([0-9]+) runs?(?: and ([0-9]+) findings?)? added`).FindStringSubmatch(said)
	if found == nil {
		t.Fatalf("it does not say how many runs were added:\n%s", said)
	}
	for _, number := range found[1:] {
		if number == "" {
			continue
		}
		part := 0
		if _, err := fmt.Sscan(number, &part); err != nil {
			t.Fatal(err)
		}
		count += part
	}
	return count
}

func TestASecondExplorationContinuesTheCorpusOfTheFirst(t *testing.T) {
	theft(t)
	const explore = `explore --any bank --invariant 'vault paidOut <= 100' --corpus corpus --for 1h --runs 600`
	first := perform(t, explore)
	taken, findings := len(filesOf(t, "corpus/*.yaml")), len(filesOf(t, "corpus/*.finding.yaml"))
	if !strings.Contains(first, "! corpus corpus: 0 runs, seed ") || addedTo(t, first) != taken || findings == 0 || taken == findings {
		t.Fatalf("the corpus has %d files, %d of findings, after\n%s", taken, findings, first)
	}
	second := perform(t, explore)
	if !strings.Contains(second, fmt.Sprintf("! corpus corpus: %d runs and %d finding", taken-findings, findings)) {
		t.Errorf("the second does not begin with %d runs, %d of them of findings:\n%s", taken, findings, second)
	}
	if found := len(filesOf(t, "corpus/*.yaml")); found != taken+addedTo(t, second) {
		t.Errorf("of %d runs, %d were there, and the second says\n%s", found, taken, second)
	}
	if again := filesOf(t, "explore/*-2.yaml"); len(again) > 0 || len(filesOf(t, "explore/vault-paidOut-100.yaml")) != 1 {
		t.Errorf("the schedule of the finding was written again: %v\n%s", again, second)
	}
}

func TestAFindingOfACorpusIsFoundAgainUntilItIsFixed(t *testing.T) {
	theft(t)
	const explore = `explore --op 'bank withdraw 100' --op 'bank withdraw 100' --invariant 'vault paidOut <= 100' --only-stated --corpus corpus --stop 1`
	if first := perform(t, explore); !strings.Contains(first, "! corpus corpus: 0 runs and 1 finding added") {
		t.Fatalf("the finding is not kept:\n%s", first)
	}
	for range 2 {
		again := perform(t, explore)
		if !strings.Contains(again, "finding in run 1 (corpus): vault paidOut <= 100 does not hold") || !strings.Contains(again, "(exit 2)") || addedTo(t, again) != 0 {
			t.Errorf("it is not found again, once:\n%s", again)
		}
	}
	name := filepath.Base(filesOf(t, "corpus/*.finding.yaml")[0])
	if other := perform(t, `explore --op 'bank withdraw 100' --op 'bank withdraw 100' --only-stated --corpus corpus`); !strings.Contains(other, name+" is left out: it violates \"vault paidOut <= 100\", which this exploration does not check") {
		t.Errorf("an exploration without the property says\n%s", other)
	}
	writeFile(t, "careful.wasm", mustRead(t, filepath.Join(os.Getenv("EXAMPLES"), "doublewithdraw", "careful.wasm")))
	perform(t, "canister install bank careful.wasm --mode reinstall --yes")
	perform(t, `canister call bank open '("${vault}")'`)
	perform(t, "canister call bank deposit 100")
	fixed := perform(t, explore)
	if !strings.Contains(fixed, "! corpus corpus: "+name+" no longer fails: vault paidOut <= 100 holds in this run") || strings.Contains(fixed, "(exit 2)") {
		t.Errorf("after the fix it says\n%s", fixed)
	}
	if len(filesOf(t, "corpus/*.finding.yaml")) != 1 {
		t.Error("the file of the finding is gone")
	}
}

func TestFilesThatAreNoRunsOfAnExplorationAreLeftOutOfItsCorpus(t *testing.T) {
	theft(t)
	perform(t, `explore --op 'bank deposit 1' --op 'bank withdraw 1' --op 'bank deposit 2' --op 'bank withdraw 2' --only-stated --runs 400 --corpus corpus`)
	foreign := filesOf(t, "corpus/*.run.yaml")
	if len(foreign) == 0 {
		t.Fatal("the other exploration has kept no run")
	}
	const damaged = "0123456789abcdef0123.run.yaml"
	writeFile(t, filepath.Join("corpus", damaged), "cut off")
	writeFile(t, filepath.Join("corpus", "notes.txt"), "mine")
	said := perform(t, `explore --any bank --invariant 'vault paidOut <= 100' --corpus corpus --runs 40`)
	for _, says := range []string{
		fmt.Sprintf("! corpus corpus: %d runs, seed ", len(foreign)),
		"! corpus corpus: " + damaged + " is left out: the file is damaged",
		"! corpus corpus: " + filepath.Base(foreign[0]) + " is left out: it has 4 operations after 0 calls",
	} {
		if !strings.Contains(said, says) {
			t.Errorf("it does not say %q:\n%s", says, said)
		}
	}
	if strings.Contains(said, "notes.txt") || mustRead(t, "corpus/notes.txt") != "mine" || mustRead(t, filepath.Join("corpus", damaged)) != "cut off" {
		t.Errorf("a file of the user is changed:\n%s", said)
	}
	if said := perform(t, `explore --any bank --corpus bank.wasm`); !strings.Contains(said, "! error: --corpus: ") || !strings.Contains(said, "(exit 1)") {
		t.Errorf("a file instead of a folder:\n%s", said)
	}
}

func TestAnInterruptedExplorationReportsAndKeepsItsCorpus(t *testing.T) {
	theft(t)
	for invariant, want := range map[string]int{"vault paidOut >= 0": exitInterrupted, "vault paidOut < 0": exitFinding} {
		if err := os.RemoveAll("corpus"); err != nil {
			t.Fatal(err)
		}
		ctx, interrupt := context.WithCancel(eventually.Context(t))
		var out, errOut bytes.Buffer
		ended := make(chan int, 1)
		go func() {
			ended <- run(ctx, []string{"explore", "--any", "bank", "--only-stated", "--invariant", invariant, "--corpus", "corpus", "--for", "1h"}, &out, &errOut)
		}()
		eventually.True(t, "the exploration has added a run", func() bool { return len(filesOf(t, "corpus/*.run.yaml")) > 0 })
		interrupt()
		if code := <-ended; code != want || !strings.Contains(out.String(), "Not all orders were run") || strings.Contains(errOut.String(), "error:") {
			t.Errorf("%s: exit code %d, want %d\n%s%s", invariant, code, want, &out, &errOut)
		}
		if kept := filesOf(t, "corpus/*.yaml"); len(kept) != addedTo(t, errOut.String()) {
			t.Errorf("the corpus has %v, and the exploration says\n%s", kept, &errOut)
		}
		if said := perform(t, "explore --any bank --only-stated --invariant '"+invariant+"' --corpus corpus --runs 10"); strings.Contains(said, "is left out") {
			t.Errorf("a file is not whole:\n%s", said)
		}
	}
}

func TestWorkersOfOtherProcessesSimplifyDrawnArgumentsAsOneProcessDoes(t *testing.T) {
	theft(t)
	perform(t, "instance snapshot before") // the time of the instance goes on
	const explore = `explore --snapshot before --op 'bank withdraw ?' --op 'bank withdraw ?' --range 'bank withdraw 1..200' --invariant 'vault paidOut <= 100' --only-stated --stop 1 --runs 2000 --time 0`
	want := perform(t, explore+" --workers 1")
	if !strings.Contains(want, "the left side is 101 : nat") || !strings.Contains(want, "(exit 2)") {
		t.Fatalf("the arguments are not the smallest that fail:\n%s", want)
	}
	if got := perform(t, explore+" --worker-processes 2"); got != want {
		t.Errorf("two worker processes report\n%s\nand one process\n%s", got, want)
	}
	for range 2 {
		worker := exec.Command(os.Args[0], "explore", "worker", "--parallel", "1")
		if err := worker.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = worker.Process.Kill(); _ = worker.Wait() })
	}
	hint, got, _ := strings.Cut(perform(t, explore+" --workers external"), "start workers with: canisterd --url http://127.0.0.1:PORT explore worker\n")
	if got = hint[:max(0, len(hint)-2)] + got; got != want {
		t.Errorf("two external workers report\n%s\nand one process\n%s", got, want)
	}
}
