package explore_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/canisterd/canisterd"
	"github.com/canisterd/canisterd/explore"
)

// bank deploys a bank of examples/doublewithdraw with an account of 100, and its vault.
func bank(t testing.TB, file string) (ic *canisterd.IC, bank, vault *canisterd.Canister) {
	t.Helper()
	ic = canisterd.New(t)
	ctx := t.Context()
	deploy := func(name, file string) *canisterd.Canister {
		module, err := os.ReadFile(filepath.Join("../examples/doublewithdraw", file))
		if err != nil {
			t.Fatal(err)
		}
		c, err := ic.Network.DeployModule(ctx, module, canisterd.Named(name))
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	bank, vault = deploy("bank", file), deploy("vault", "vault.wasm")
	if err := errors.Join(bank.Call(ctx, "open", vault.ID().String()), bank.Call(ctx, "deposit", 100)); err != nil {
		t.Fatal(err)
	}
	return ic, bank, vault
}

func TestAnExplorationFindsADoubleWithdrawal(t *testing.T) {
	ic, bank, vault := bank(t, "bank.wasm")
	report, err := explore.Explore(t.Context(), ic.Network,
		explore.Op(bank, "withdraw", 100),
		explore.Op(bank.As(canisterd.User("Bob")), "deposit", 1),
		explore.Op(bank, "withdraw", 100),
		explore.Holds("what is paid was there", func(s *explore.State) error {
			paid, err := explore.Query[int](s, vault, "paidOut")
			if err == nil && paid > 100 {
				err = fmt.Errorf("%d are paid", paid)
			}
			return err
		}),
		explore.Maximize("vault paidOut"), explore.Sometimes("vault paidOut == 100"), explore.KeepGoing(), explore.Budget(300),
	)
	if err != nil {
		t.Fatal(err)
	}
	found := report.Violations()
	if len(found) != 1 || found[0].Run != 1 || len(found[0].Schedule.Operations) != 2 {
		t.Fatalf("found are %+v", found)
	}
	text := report.Explain(found[0])
	for _, part := range []string{"200 are paid", "op1: bank.withdraw(100)", "in FIFO order, without faults", "op3/1.reply at bank: the answer to transfer"} {
		if !strings.Contains(text, part) {
			t.Errorf("the explanation does not say %q:\n%s", part, text)
		}
	}
	if report.Largest[0].Value.RatString() != "200" || report.Reached[0].Runs == 0 {
		t.Errorf("the goals are %+v and %+v", report.Largest, report.Reached)
	}
	if in := report.Largest[0].In; in != found[0].Property { // it has the same shortest run
		t.Errorf("the largest value is in the run of %q", in)
	}
	if paid, err := canisterd.Query[int](t.Context(), vault, "paidOut"); err != nil || paid != 0 {
		t.Errorf("the network was changed: %d are paid, %v", paid, err)
	}
}

func TestAnExplorationOfACorrectBankPassesItsTest(t *testing.T) {
	ic, bank, _ := bank(t, "careful.wasm")
	report := explore.Run(t, ic.Network,
		explore.Op(bank, "withdraw", 100), explore.Op(bank, "withdraw", 100),
		explore.Invariant("vault paidOut <= 100"), explore.Invariant("each message: vault paidOut <= 100"), explore.FailOnSuspicion(),
	)
	if !report.Exhausted || !report.ExhaustedFaults || report.Classes != 4 {
		t.Errorf("%d classes, all: %t, %t", report.Classes, report.Exhausted, report.ExhaustedFaults)
	}
}

func TestAFunctionIsCheckedAtRestAfterEachMessageAndAtTheEnd(t *testing.T) {
	ic, bank, vault := bank(t, "bank.wasm")
	for name, holds := range map[string]func(string, func(*explore.State) error) explore.Option{
		"at rest": explore.Holds, "after each message": explore.HoldsAfterEachMessage, "at the end": explore.HoldsEventually,
	} {
		checks := 0
		report, err := explore.Explore(t.Context(), ic.Network, explore.Op(bank, "withdraw", 100), explore.Op(bank, "withdraw", 100),
			explore.OnlyStated(), explore.Workers(1), explore.Budget(1), explore.Faults(0), holds(name, func(s *explore.State) error {
				checks++
				if paid, err := explore.Query[int](s, vault, "paidOut"); err != nil || paid > 100 {
					return fmt.Errorf("%d are paid: %w", paid, err)
				}
				return nil
			}))
		if err != nil || len(report.Findings) != 1 || report.Findings[0].Property != name || checks == 0 {
			t.Errorf("%s, after %d checks: %+v, %v", name, checks, report, err)
		}
	}
}

func TestTheReportIsTheSameForAnyNumberOfWorkers(t *testing.T) {
	ic, bank, vault := bank(t, "bank.wasm")
	explain := func(workers int) string {
		report, err := explore.Explore(t.Context(), ic.Network, explore.Op(bank, "withdraw", 100), explore.Op(bank, "withdraw", 100),
			explore.OnlyStated(), explore.KeepGoing(), explore.Workers(workers), explore.Within(time.Hour),
			explore.HoldsAfterEachMessage("what is paid was there", func(s *explore.State) error {
				if paid, err := explore.Query[int](s, vault, "paidOut"); err != nil || paid > 100 {
					return fmt.Errorf("%d are paid after %d answers: %w", paid, len(s.Answers()), err)
				}
				return nil
			}))
		if err != nil || len(report.Findings) != 1 {
			t.Fatalf("%+v, %v", report, err)
		}
		return report.Explain(report.Findings[0])
	}
	one := explain(1)
	if three := explain(3); three != one {
		t.Errorf("with three workers:\n%s\nwith one:\n%s", three, one)
	}
	if !strings.Contains(one, "200 are paid after ") {
		t.Errorf("the explanation is\n%s", one)
	}
}

func TestAnswersAreComparedWithSerialOrdersByWhatIsObserved(t *testing.T) {
	ic, bank, _ := bank(t, "careful.wasm")
	explored := func(options ...explore.Option) int {
		options = append(options, explore.Op(bank, "deposit", 1), explore.Op(bank, "deposit", 2), explore.Faults(0))
		report, err := explore.Explore(t.Context(), ic.Network, options...)
		if err != nil {
			t.Fatal(err)
		}
		return len(report.Findings)
	}
	if plain, observed := explored(), explored(explore.Observe("vault paidOut")); plain != 0 || observed != 0 {
		t.Errorf("deposits have %d findings, and %d with an observed query", plain, observed)
	}
	if _, err := explore.Explore(t.Context(), ic.Network, explore.Op(bank, "deposit", 1), explore.Observe("vault")); err == nil {
		t.Error("a query without a method is observed")
	}
}

// recorder records the failures of a test.
type recorder struct {
	testing.TB
	errors []string
}

func (r *recorder) Errorf(format string, args ...any) {
	r.errors = append(r.errors, fmt.Sprintf(format, args...))
}

func TestAFindingIsReplayedFirstUntilItIsFixed(t *testing.T) {
	banks := map[string]*canisterd.Canister{}
	networks := map[string]*canisterd.IC{}
	for _, file := range []string{"bank.wasm", "careful.wasm"} {
		networks[file], banks[file], _ = bank(t, file)
	}
	t.Chdir(t.TempDir())
	run := func(file, method string) []string {
		r := &recorder{TB: t}
		operation := explore.Op(banks[file], method, 100)
		explore.Run(r, networks[file].Network, operation, operation, explore.Invariant("vault paidOut <= 100"))
		return r.errors
	}
	for _, c := range []struct{ file, method, want string }{
		{"bank.wasm", "withdraw", "the next test begins with it"},
		{"bank.wasm", "withdraw", "the bug is still there"},
		{"careful.wasm", "withdraw", ""},
		{"careful.wasm", "deposit", "the schedule cannot be replayed: operation op1 of the schedule is"},
	} {
		errors := run(c.file, c.method)
		if text := strings.Join(errors, "\n"); (c.want == "") != (text == "") || !strings.Contains(text, c.want) {
			t.Errorf("%s, %s: the test fails with %q, want %q", c.file, c.method, text, c.want)
		}
	}
}

func TestSchedulesOfOtherFindingsStay(t *testing.T) {
	ic, bank, _ := bank(t, "bank.wasm")
	t.Chdir(t.TempDir())
	withdraw := explore.Op(bank, "withdraw", 100)
	run := func(invariants ...string) []string {
		r := &recorder{TB: t}
		options := []explore.Option{withdraw, withdraw, explore.OnlyStated(), explore.Faults(0), explore.KeepGoing()}
		for _, line := range invariants {
			options = append(options, explore.Invariant(line))
		}
		explore.Run(r, ic.Network, options...)
		return r.errors
	}
	const folder, file = "testdata/explore", "testdata/explore/TestSchedulesOfOtherFindingsStay."
	run("vault paidOut <= 100", "vault paidOut == 100")
	first, err := os.ReadFile(file + "1.yaml")
	second, missing := os.ReadFile(file + "2.yaml")
	if err != nil || missing != nil || string(first) == string(second) {
		t.Fatalf("the schedules of two findings are %s and %s; %v, %v", first, second, err, missing)
	}
	fixed := strings.Replace(string(first), "bank: ", "bank: 00", 1) // an earlier module
	fixed = strings.ReplaceAll(fixed, "vault paidOut <= 100", "vault paidOut <= 900")
	if err := errors.Join(os.WriteFile(file+"1.yaml", []byte(fixed), 0o600), os.Remove(file+"2.yaml")); err != nil {
		t.Fatal(err)
	}
	if found := run("vault paidOut <= 900", "vault paidOut <= 99"); len(found) != 1 || !strings.Contains(found[0], file+"2.yaml") {
		t.Errorf("the test fails with %q", found)
	}
	if text, err := os.ReadFile(file + "1.yaml"); err != nil || string(text) != fixed {
		t.Errorf("the schedule of another finding has become %s, %v", text, err)
	}
	if files, err := os.ReadDir(folder); err != nil || len(files) != 2 {
		t.Errorf("the files are %v, %v", files, err)
	}
}

func TestAGoalThatNoRunReachesFailsTheTest(t *testing.T) {
	ic, bank, _ := bank(t, "careful.wasm")
	t.Chdir(t.TempDir())
	withdraw := explore.Op(bank, "withdraw", 100)
	run := func(options ...explore.Option) string {
		r := &recorder{TB: t}
		explore.Run(r, ic.Network, append(options, withdraw, explore.Sometimes("vault paidOut == 7"), explore.Faults(0))...)
		return strings.Join(r.errors, "\n")
	}
	if text := run(); !strings.Contains(text, "none of 2 runs has reached vault paidOut == 7.") || strings.Contains(text, "FIFO") {
		t.Errorf("the test fails with %q", text)
	}
	if text := run(explore.Invariant("vault paidOut <= 1")); strings.Contains(text, "has reached") || !strings.Contains(text, "vault paidOut <= 1 does not hold") {
		t.Errorf("a test that ended early fails with %q", text)
	}
}

func TestAFindingAboutAllRunsHasNoSchedule(t *testing.T) {
	ic, bank, _ := bank(t, "bank.wasm")
	t.Chdir(t.TempDir())
	refused := explore.Op(ic.Management(), "delete_canister", canisterd.Text(`(record { canister_id = principal "`+bank.ID().String()+`" })`))
	for range 2 {
		r := &recorder{TB: t}
		explore.Run(r, ic.Network, refused)
		if text := strings.Join(r.errors, ""); !strings.Contains(text, "no run replies to") || strings.Contains(text, "schedule") {
			t.Errorf("the test fails with %q", text)
		}
	}
}

func TestOptionsThatAreWrongAreRefusedWithTheReason(t *testing.T) {
	ic, bank, _ := bank(t, "bank.wasm")
	withdraw := explore.Op(bank, "withdraw", 100)
	for want, options := range map[string][]explore.Option{
		"no operations":                      nil,
		"bank.withdraw takes":                {explore.Op(bank, "withdraw", "all")},
		`no canister has the name "safe"`:    {withdraw, explore.Invariant("safe paidOut <= 100")},
		"expected a query, one of":           {withdraw, explore.Invariant("vault paidOut 100")},
		"neither a query nor a Candid value": {withdraw, explore.Invariant("vault paidOut <= much")},
		"expected a canister and a query":    {withdraw, explore.Maximize("vault")},
		`invalid strategy "best"`:            {withdraw, explore.Only("best")},
		"invalid number of runs 0":           {withdraw, explore.Budget(0)},
		"invalid number of faults -1":        {withdraw, explore.Faults(-1)},
	} {
		if _, err := explore.Explore(t.Context(), ic.Network, options...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error is %v, want %q", err, want)
		}
	}
}

func TestACanisterIsStoppedBetweenAnyTwoMessages(t *testing.T) {
	ic, bank, _ := bank(t, "careful.wasm")
	report, err := explore.Explore(t.Context(), ic.Network,
		explore.Op(bank, "withdraw", 100),
		explore.Op(ic.Management(), "stop_canister", canisterd.Text(`(record { canister_id = principal "`+bank.ID().String()+`" })`)),
		explore.Faults(0), explore.OnlyStated(), explore.Invariant("vault paidOut <= 100"),
	)
	if err != nil || !report.Exhausted || report.Classes < 3 || report.Operations[1].Replied != report.Runs {
		t.Errorf("%+v, %v", report, err)
	}
	if report.Operations[0].Replied == 0 || report.Operations[0].Rejected == 0 {
		t.Errorf("the withdrawal is %+v", report.Operations[0])
	}
}

func TestWhatUsersControllersAndServersMayDoIsExplored(t *testing.T) {
	ic, bank, _ := bank(t, "bank.wasm")
	module, err := os.ReadFile("../examples/doublewithdraw/bank.wasm")
	if err != nil {
		t.Fatal(err)
	}
	report, err := explore.Explore(t.Context(), ic.Network,
		explore.Retried(explore.Op(bank, "withdraw", 100)),
		explore.Upgrade(bank, module, nil), explore.Outcalls(explore.OutcallAnswer{Status: 200}), explore.Waits(2),
		explore.Faults(1, explore.SendTwice, explore.UpgradeInCall, explore.OtherAnswer, explore.PassTime, explore.Stop),
		explore.OnlyStated(), explore.Invariant("vault paidOut <= 100"),
	)
	if err != nil || len(report.Violations()) != 1 {
		t.Fatalf("%+v, %v", report, err)
	}
	f := report.Violations()[0]
	if plan := f.Schedule.Plan; len(plan) != 1 || plan[0].Kind != explore.SendTwice {
		t.Errorf("the finding is %s", report.Explain(f))
	}
	file, err := report.Schedule(f)
	if err != nil || !strings.Contains(string(file), "retried: true") || !strings.Contains(string(file), "waits: 2") {
		t.Errorf("the file is %s, %v", file, err)
	}
	if _, err := explore.Explore(t.Context(), ic.Network, explore.Waits(1001)); err == nil {
		t.Error("1,001 waits are accepted")
	}
}

func TestAnExplorationEndsWithItsContext(t *testing.T) {
	ic, bank, _ := bank(t, "careful.wasm")
	ctx, cancel := context.WithCancelCause(t.Context())
	gone := errors.New("the client is gone")
	checks := 0
	withdraw := explore.Op(bank, "withdraw", 1)
	_, err := explore.Explore(ctx, ic.Network, withdraw, withdraw, withdraw, explore.Workers(1), explore.OnlyStated(), explore.Budget(5000),
		explore.Holds("counts", func(*explore.State) error {
			if checks++; checks == 10 {
				cancel(gone)
			}
			return nil
		}))
	if !errors.Is(err, gone) || checks > 200 {
		t.Errorf("after %d checks: %v", checks, err)
	}
}
