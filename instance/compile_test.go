package instance_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/instance"
	"github.com/canisterd/canisterd/internal/eventually"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/driver"
	"github.com/canisterd/canisterd/test/canistertest"
	"github.com/canisterd/canisterd/test/canistertest/wat"
	"github.com/canisterd/canisterd/test/instancetest"
)

// slowly is an instance whose modules are compiled when the test says so. Its first canister has been asked to install
// one in the third; the second does nothing.
type slowly struct {
	*instance.Instance
	t              *testing.T
	first, second  principal.Principal
	begun, release chan struct{}
	request        replica.RequestID
}

func newSlowly(t *testing.T, pacing instance.Pacing) *slowly {
	t.Helper()
	s := &slowly{t: t, begun: make(chan struct{}, 10), release: make(chan struct{}, 10)}
	r := instance.NewRegistry(instance.Config{CacheDir: canistertest.CacheDir(t), Wall: time.Now, Compiled: func() {
		s.begun <- struct{}{}
		<-s.release
	}})
	t.Cleanup(func() {
		close(s.release)
		_ = r.Close()
	})
	// The time begins at the wall clock: a change to a pacing that follows it must not let messages expire.
	s.Instance = made(t, r, &instance.Spec{Pacing: pacing, Start: uint64(time.Now().UnixNano())})
	s.first, s.second = instancetest.Deploy(t, s.Instance, canistertest.Scriptable(), nil), instancetest.Deploy(t, s.Instance, canistertest.Scriptable(), nil)
	var created struct {
		ID principal.Principal `ic:"canister_id"`
	}
	type settings struct {
		Controllers *[]principal.Principal `ic:"controllers"`
	}
	instancetest.Manage(t, s.Instance, s.first, "provisional_create_canister_with_cycles", struct {
		Settings *settings `ic:"settings"`
	}{&settings{&[]principal.Principal{s.first}}}, &created)
	type mode struct {
		Install *candid.Null `ic:"install,variant"`
	}
	arg, err := candid.Marshal(struct {
		Mode     mode                `ic:"mode"`
		Canister principal.Principal `ic:"canister_id"`
		Module   []byte              `ic:"wasm_module"`
		Arg      []byte              `ic:"arg"`
	}{mode{new(candid.Null)}, created.ID, wat.MustAssemble(`(module (func (export "canister_query there")))`), nil})
	if err != nil {
		t.Fatal(err)
	}
	s.request = s.submit(s.first, canistertest.Script().Call(canistertest.Call{
		Callee: principal.Management, Method: "install_code", Arg: arg,
		OnReply: canistertest.Script().ReplyText("installed"), OnReject: canistertest.Script().RejectMessage().ReplyTop(),
	}).Drop())
	return s
}

func (s *slowly) submit(callee principal.Principal, p *canistertest.Program) replica.RequestID {
	s.t.Helper()
	return instancetest.Submit(s.t, s.Instance, callee, callee, "run", p.Bytes())
}

// compiles waits until a module is compiled, and the network does not know it.
func (s *slowly) compiles() {
	s.t.Helper()
	eventually.Receive(s.t, "a module is compiled", s.begun)
}

// reply returns the reply to a message so far.
func (s *slowly) reply(id replica.RequestID) string {
	s.t.Helper()
	subnet := s.Driver().View().SubnetOf(s.first).ID
	reply, err := driver.Ask(s.t.Context(), s.Instance.Driver(), func(n *replica.Network) string {
		a, _ := n.IngressAnswer(subnet, id)
		return string(a.Reply)
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return reply
}

func TestARoundThatClientsAskForWaitsForTheModulesOfTheOneBefore(t *testing.T) {
	s := newSlowly(t, instance.Pacing{Mode: instance.Manual})
	ctx := eventually.Context(t)
	one, err := s.RunRounds(ctx, 1)
	if err != nil || !one.Busy {
		t.Fatalf("the round that asks for the module: %+v, %v", one, err)
	}
	s.compiles()
	impatient, cancel := context.WithCancel(ctx)
	waits := make(chan error)
	go func() {
		_, err := s.RunRounds(impatient, 1)
		waits <- err
	}()
	for range 10 {
		if s.reply(s.request) != "" {
			t.Fatal("the installation did not wait for its module")
		}
	}
	cancel()
	if err := eventually.Receive(t, "a client gives up", waits); !errors.Is(err, context.Canceled) {
		t.Errorf("a client that gives up: %v", err)
	}
	if height := s.Driver().Height(); height != one.Height {
		t.Errorf("%d rounds were run before the module was compiled", height-one.Height)
	}
	s.release <- struct{}{}
	if two, err := s.RunRounds(ctx, 1); err != nil || two.Height != one.Height+1 || s.reply(s.request) != "installed" {
		t.Errorf("the next round: %+v, %v: %q", two, err, s.reply(s.request))
	}
}

func TestWhereTimeStandsStillNoRoundGoesAheadOfAModule(t *testing.T) {
	s := newSlowly(t, instance.Pacing{Mode: instance.Still})
	ctx := eventually.Context(t)
	s.compiles()
	before := s.Driver().Height()
	other := s.submit(s.second, canistertest.Script().ReplyText("here"))
	for range 10 {
		if s.reply(other) != "" || s.Driver().Height() != before {
			t.Fatal("a message was executed before the module was compiled")
		}
	}
	s.release <- struct{}{}
	for _, id := range []replica.RequestID{s.request, other} {
		if err := s.AwaitAnswer(ctx, s.Driver().View().SubnetOf(s.first).ID, id); err != nil {
			t.Fatal(err)
		}
	}
	if a, b := s.reply(s.request), s.reply(other); a != "installed" || b != "here" || s.Driver().Height() != before+1 {
		t.Errorf("after %d rounds they reply %q and %q", s.Driver().Height()-before, a, b)
	}
}

func TestWhereTheWallClockMovesTheTimeOthersGoOnWhileAModuleIsCompiled(t *testing.T) {
	for _, pacing := range []instance.Pacing{{Mode: instance.Auto}, {Mode: instance.Interval, Interval: time.Millisecond}} {
		s := newSlowly(t, pacing)
		s.compiles()
		if got := instancetest.Update(t, s.Instance, s.second, s.second, "run", canistertest.Script().ReplyText("here").Bytes()); string(got) != "here" {
			t.Errorf("%s: the other replies %q", pacing.Mode, got)
		}
		if got := s.reply(s.request); got != "" {
			t.Errorf("%s: the installation is answered with %q before its module is compiled", pacing.Mode, got)
		}
		s.release <- struct{}{}
		if err := s.AwaitAnswer(eventually.Context(t), s.Driver().View().SubnetOf(s.first).ID, s.request); err != nil || s.reply(s.request) != "installed" {
			t.Errorf("%s: the installation: %q, %v", pacing.Mode, s.reply(s.request), err)
		}
	}
}

func TestChangesOfThePacingAndRestoresWaitForNoModule(t *testing.T) {
	s := newSlowly(t, instance.Pacing{Mode: instance.Manual})
	ctx := eventually.Context(t)
	if _, err := s.TakeSnapshot(ctx, "before", false); err != nil {
		t.Fatal(err)
	}
	if _, err := s.RunRounds(ctx, 1); err != nil {
		t.Fatal(err)
	}
	s.compiles()
	if err := s.Restore(ctx, "before"); err != nil {
		t.Fatal(err)
	}
	s.release <- struct{}{} // the network that wanted the module is gone
	if _, err := s.RunRounds(ctx, 1); err != nil {
		t.Fatal(err)
	}
	s.compiles()
	if err := s.SetPacing(ctx, instance.Pacing{Mode: instance.Auto}); err != nil {
		t.Fatal(err)
	}
	if got := instancetest.Update(t, s.Instance, s.second, s.second, "run", canistertest.Script().ReplyText("here").Bytes()); string(got) != "here" {
		t.Errorf("the other replies %q", got)
	}
	s.release <- struct{}{}
	if err := s.AwaitAnswer(ctx, s.Driver().View().SubnetOf(s.first).ID, s.request); err != nil || s.reply(s.request) != "installed" {
		t.Errorf("the installation: %q, %v", s.reply(s.request), err)
	}
}
