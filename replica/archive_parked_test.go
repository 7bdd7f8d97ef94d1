package replica_test

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/archive"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/replicatest/real"
	"github.com/canisterd/canisterd/test/canistertest"
)

// parkings are the contexts of messages that were parked.
type parkings map[canister.Context]bool

func (p parkings) Event(e *replica.Event) {
	if e.Kind == replica.MessageParked {
		p[e.Entry] = true
	}
}

// imported is a stage with a network that was made of the file of another's, which goes on.
func imported(t *testing.T, s *real.Stage) *real.Stage {
	t.Helper()
	file := exported(t, s.Network)
	n, err := replica.Import(bytes.NewReader(file), replica.Config{Engine: s.Engine()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(n.Close)
	if again := exported(t, n); !bytes.Equal(file, again) {
		t.Fatalf("the second file is another: %s", firstDifference(file, again))
	}
	f := *s
	f.Network = n
	return &f
}

// parkedStage is a network in which messages of many slices run: an update, a callback
// whose canister is asked to stop, its cleanup, a task, and an upgrade that another upgrade
// and a deposit wait for.
func parkedStage(t *testing.T) *real.Stage {
	s := real.NewStage(t, replica.Config{SliceInstructions: 2_000_000, Subnets: []replica.SubnetConfig{{Nodes: 13}, {Nodes: 13}}})
	for i, name := range []string{"A", "B", "C", "D", "E"} {
		s.Create(name, i/4, real.Plenty)
		s.Install(name, real.Install, canistertest.Scriptable(), nil)
	}
	run := func(name, program string) {
		t.Helper()
		if _, refused := s.Submit(name, "run", compiled(t, s, program)); refused != "" {
			t.Fatal(refused)
		}
	}
	run("A", `print "first"; call B.run(reply "x")
		on-reply(print "callback " + version; spin 2_000_000; print "still " + version; print "so far " + counter(1); trap "late")
		on-cleanup(print "cleanup " + version; spin 2_000_000; print "over " + version; set add(get, 1))`)
	run("B", `set 3; spin 5_000_000; print "told " + time; reply "x"`)
	run("C", `on timer {spin 3_000_000; set add(get, 1); print "due " + time}; drop timer(time); reply "x"`)
	run("E", `call B.run(set 4; spin 4_000_000; reply "far") on-reply(spin 1_000_000; print arg; reply arg)`)
	return s
}

func TestAMessageThatIsParkedGoesOnInAnImportedNetwork(t *testing.T) {
	s := parkedStage(t)
	var others []*real.Stage
	parked := make(parkings)
	s.Listen(parked)
	for round := 0; round < 4 || s.Activity().HasDueWork; round++ {
		if round > 300 {
			t.Fatal("the messages do not end")
		}
		if round > 4 {
			others = append(others, imported(t, s))
		}
		if round == 4 {
			s.SubmitManagement("A", "stop_canister", s.About("A", ""))
			s.SubmitManagement("D", "install_code", s.InstallArgs("D", real.Upgrade, canistertest.Variant{Heartbeat: true}.Module(), canistertest.Script().Busy(9_000_000).Bytes()))
			s.SubmitManagement("D", "uninstall_code", s.About("D", ""))
		}
		s.Round()
		if round%3 == 1 { // the others go on later
			for _, f := range others {
				f.Round()
			}
		}
	}
	for _, context := range []canister.Context{canister.Update, canister.ReplyCallback, canister.GlobalTimer, canister.Init} {
		if !parked[context] {
			t.Errorf("no %s was parked, but %v", context, parked)
		}
	}
	for i, f := range others {
		for f.View().Height < s.View().Height {
			f.Round()
		}
		for _, name := range []string{"A", "B", "C", "E"} {
			if got, want := lines(f, name), lines(s, name); !slices.Equal(got, want) || len(want) == 0 {
				t.Fatalf("in import %d %s has the log\n%q, want\n%q", i, name, got, want)
			}
		}
		if stateHash(t, f.Network) != stateHash(t, s.Network) {
			t.Errorf("import %d has another state than its source:\n%s", i, differences(t, s, s.Network, f.Network))
		}
	}
}

// What was imported is written, forked and closed in any order, while messages are parked.
func TestAnImportedNetworkWithParkedMessagesIsForkedAndExported(t *testing.T) {
	s := parkedStage(t)
	for range 6 {
		s.Round()
	}
	one := imported(t, s)
	fork := one.Fork(replica.ForkConfig{})
	two := imported(t, fork) // of a fork that did not run yet
	for range 3 {
		one.Round()
		fork.Round()
		two.Round()
		s.Round()
	}
	three := imported(t, fork)
	fork.Network.Close()
	one.Network.Close()
	for range 12 {
		s.Round()
		two.Round()
		three.Round()
	}
	if stateHash(t, s.Network) != stateHash(t, two.Network) || stateHash(t, s.Network) != stateHash(t, three.Network) {
		t.Errorf("the states are %x, %x and %x", s.RootHash(), two.RootHash(), three.RootHash())
	}
}

// The code of a message ends earlier where a program counts instructions otherwise: here
// the file has another argument than the message that was parked.
func TestAFileWhoseParkedMessageEndsTooEarlyIsNotImported(t *testing.T) {
	s := real.NewStage(t, replica.Config{SliceInstructions: 2_000_000})
	s.Create("A", 0, real.Plenty)
	s.Install("A", real.Install, canistertest.Scriptable(), nil)
	long, short := compiled(t, s, `spin 9_000_000; reply "x"`), compiled(t, s, `spin 0_000_001; reply "x"`)
	s.Submit("A", "run", long)
	s.Round()
	all := parts(exported(t, s.Network))
	for i := range all {
		all[i].content = bytes.ReplaceAll(all[i].content, long, short)
	}
	_, err := replica.Import(bytes.NewReader(whole(t, all)), replica.Config{Engine: s.Engine()})
	var fault *archive.Fault
	if !errors.As(err, &fault) || !strings.Contains(err.Error(), "ends before it comes to where it was parked, after 1 slices") {
		t.Errorf("the import says %v", err)
	}
}

// A message that may execute 40,000,000,000 instructions pauses every 100,000 of them at the
// latest, and those of bulk operations count twice. An installation begins three functions.
func TestAParkedMessageHasNoMoreSlicesThanItsInstructionsAllow(t *testing.T) {
	s := real.NewStage(t, replica.Config{SliceInstructions: 2_000_000})
	s.Create("A", 0, real.Plenty)
	s.Install("A", real.Install, canistertest.Scriptable(), nil)
	s.Submit("A", "run", compiled(t, s, `spin 9_000_000; reply "x"`))
	s.Round()
	for slices, want := range map[int]string{
		800_003: "ends before it comes to where it was parked, after 800003 slices",
		800_004: "is parked after 800004 slices, and can have 800003",
	} {
		f := s.Network.Fork(replica.ForkConfig{})
		f.SetSlices(0, slices)
		_, err := replica.Import(bytes.NewReader(exported(t, f)), replica.Config{Engine: s.Engine()})
		f.Close()
		if fault := new(archive.Fault); !errors.As(err, &fault) || !strings.Contains(err.Error(), want) {
			t.Errorf("the import says %v, want %q", err, want)
		}
	}
}
