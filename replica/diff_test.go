package replica_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/introspect"
	"github.com/canisterd/canisterd/replica/replicatest/real"
	"github.com/canisterd/canisterd/test/canistertest"
)

// differences are what Diff says as text, one a line.
func differences(t *testing.T, s *real.Stage, a, b *replica.Network) string {
	t.Helper()
	d, err := introspect.Diff(a.Introspect(), b.Introspect())
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, one := range d.List {
		name := "-"
		for known, id := range s.Names {
			if id == one.Canister && known != "management" {
				name = known
			}
		}
		fmt.Fprintf(&all, "%s %s: %s | %s\n", name, one.What, one.A, one.B)
	}
	if d.More > 0 {
		fmt.Fprintf(&all, "%d more\n", d.More)
	}
	return all.String()
}

func diffStage(t *testing.T) *real.Stage {
	s := real.NewStage(t, replica.Config{})
	for _, name := range []string{"A", "B", "C"} {
		s.Create(name, 0, real.Plenty)
		s.Install(name, real.Install, canistertest.Scriptable(), nil)
	}
	return s
}

func compiled(t *testing.T, s *real.Stage, text string) []byte {
	t.Helper()
	parsed, err := canistertest.Parse(text, s.Names)
	if err != nil {
		t.Fatal(err)
	}
	return parsed.Bytes()
}

func TestAForkDiffersInNothing(t *testing.T) {
	s := diffStage(t)
	s.Submit("A", "run", compiled(t, s, `call B.run(spin 30_000_000; reply "x") on-reply(reply arg)`))
	s.Round()
	f := s.Fork(replica.ForkConfig{})
	if got := differences(t, s, s.Network, f.Network); got != "" {
		t.Errorf("a fork differs in\n%s", got)
	}
	for range 3 {
		s.Round()
		f.Round()
	}
	if got := differences(t, s, s.Network, f.Network); got != "" {
		t.Errorf("after the same rounds a fork differs in\n%s", got)
	}
}

func TestDifferencesAreReportedInWords(t *testing.T) {
	s := diffStage(t)
	f := s.Fork(replica.ForkConfig{})
	f.Call("A", "run", compiled(t, f, `set add(get, 1); certify "data"; drop stable-grow(1); stable-write 7, "stable"; drop timer(add(time, 5_000_000_000)); print "line"; reply "x"`))
	f.Manage("B", "update_settings", f.About("B", `settings = record { freezing_threshold = opt (77 : nat); log_visibility = opt variant { public }; environment_variables = opt vec { record { name = "mode"; value = "test" } } }`))
	f.Manage("C", "stop_canister", f.About("C", ""))
	f.Manage("C", "delete_canister", f.About("C", ""))
	f.Create("D", 0, 1_000_000_000_000)
	s.Names["D"] = f.Names["D"]
	f.Submit("A", "run", compiled(t, f, `call B.run(spin 30_000_000; reply "x") on-reply(reply arg)`))
	f.Round()
	f.Apply(replica.AdvanceTo(f.View().Time + 3*second))
	got := differences(t, s, s.Network, f.Network)
	for _, want := range []string{
		"- time: ", "- height: ", "- time of the next round: ", "- call context #", "- future #", "- request ", "A certified data:  | 64617461\n", "A global timer:  | ",
		"A stable memory: 0 bytes | 65536 bytes\n", "A content of stable memory:  | 1 page of 4 KiB differs\n", "A content of the heap:  | ", "A log records so far: 0 | 1\nA log record #0:  | 2021-05-06T19:17:10.000000007Z \"line\"\n",
		"A balance: ", "A version: ", "B setting freezing_threshold: 2592000 s | 77 s\n", "B setting log_visibility: controllers | public\n",
		"B setting environment_variables mode:  | test\n", "C canister: running, ", "D canister:  | running, 1_000_000_000_000 cycles\n",
		"B message in the middle of its code: no | yes\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("there is no %q in\n%s", want, got)
		}
	}
	if again := differences(t, s, s.Network, f.Network); again != got {
		t.Errorf("the second time the differences are\n%s, the first time\n%s", again, got)
	}
}

func TestTheNewestDifferentLogRecordsAreReported(t *testing.T) {
	s := diffStage(t)
	s.Call("A", "run", compiled(t, s, `print "before"; reply "x"`))
	f := s.Fork(replica.ForkConfig{})
	for n := range introspect.MaxDifferingRecords + 1 {
		f.Call("A", "run", compiled(t, f, fmt.Sprintf(`print "line %d%s"; reply "x"`, n, strings.Repeat("!", n/20*400))))
	}
	got := differences(t, s, s.Network, f.Network)
	for _, want := range []string{"A log records so far: 1 | 22\nA log record #2:  | 2021-", `Z "line 19"` + "\n", `Z "line 20!!!!!!`, `!!!" and 207 more bytes` + "\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("there is no %q in\n%s", want, got)
		}
	}
	for _, not := range []string{"log record #0", "log record #1:"} {
		if strings.Contains(got, not) {
			t.Errorf("there is %q in\n%s", not, got)
		}
	}
}

func TestDifferentWaitingMessagesAreReportedOneByOne(t *testing.T) {
	s := diffStage(t)
	f := s.Fork(replica.ForkConfig{})
	rule := hold(replica.KindRequest)
	rule.Rule.Match.Method = "run"
	f.Apply(rule)
	f.Submit("A", "run", compiled(t, f, `call B.run(reply "x")`))
	f.Submit("B", "run", compiled(t, f, `spin 30_000_000; reply "x"`))
	f.Round()
	f.SubmitManagement("A", "stop_canister", f.About("A", ""))
	f.SubmitManagement("B", "uninstall_code", f.About("B", ""))
	f.Submit("C", "run", compiled(t, f, `call management.raw_rand("DIDL\00\00")`))
	f.Round()
	got := differences(t, s, s.Network, f.Network)
	for _, want := range []string{
		fmt.Sprintf("- management call begun: raw_rand by call #2 of %s:  | waits for the next round\n", s.Names["C"]),
		"A stop_canister that waits by request ", "B management call that waits for it uninstall_code by request ",
		fmt.Sprintf("- held message #1:  | request %s → %s.run, call #1, since 2021-05-06T19:17:10.000000007Z\n", s.Names["A"], s.Names["B"]),
	} {
		if !strings.Contains(got, want) {
			t.Errorf("there is no %q in\n%s", want, got)
		}
	}
}

func TestDifferentStreamMessagesAreReportedOneByOne(t *testing.T) {
	s := busy(t)
	s.Round()
	f := s.Fork(replica.ForkConfig{})
	for range 10 {
		f.Round()
	}
	got := differences(t, s, s.Network, f.Network)
	for _, want := range []string{
		fmt.Sprintf("- message to another subnet: request of call #6 of %s: → %s.run | \n", s.Names["A"], s.Names["E"]),
		fmt.Sprintf("- message from another subnet: response to call #2 of %s: 1 byte | \n", s.Names["A"]),
	} {
		if !strings.Contains(got, want) {
			t.Errorf("there is no %q in\n%s", want, got)
		}
	}
}

func TestDifferencesPastTheLimitAreCounted(t *testing.T) {
	s, other := stage(t, 1), stage(t, 1)
	for n := range introspect.MaxDifferences {
		other.Submit(n+1, "create", "1000")
	}
	other.Round()
	d, err := introspect.Diff(s.Network.Introspect(), other.Network.Introspect())
	if err != nil || len(d.List) != introspect.MaxDifferences || d.More == 0 {
		t.Errorf("%d differences and %d more: %v", len(d.List), d.More, err)
	}
	if same, err := introspect.Diff(other.Network.Introspect(), other.Network.Introspect()); err != nil || len(same.List) > 0 {
		t.Errorf("a network differs from itself in %v: %v", same, err)
	}
}
