package canister_test

import (
	"testing"

	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/test/canistertest"
)

func TestAForkInTheMiddleOfAMessageIsAsBeforeIt(t *testing.T) {
	p := canistertest.NewPlace(t)
	p.Subnet.Limits.PauseAfter = 3_000_000
	c := prepared(t, p)
	in := p.Engine.InUse()
	before := take(t, p, c)
	var forks []*canister.Canister
	program := change().Busy(2_000_000).ReplyText("done")
	m := canister.Message{Context: canister.Update, Method: "run", Payload: program.Bytes(), Caller: canistertest.User}
	m.Pause = func() {
		if len(forks) < 3 {
			forks = append(forks, c.Fork())
		}
	}
	out := c.Execute(&p.Subnet, &m)
	if got := string(reply(t, out)); got != "done" || len(forks) != 3 {
		t.Fatalf("the reply is %q, there are %d forks", got, len(forks))
	}
	after := take(t, p, c)
	for _, f := range forks {
		if got := take(t, p, f); got != before {
			t.Errorf("a fork is\n%+v, want\n%+v", got, before)
		}
		again := m
		again.Pause = nil
		if twice := f.Execute(&p.Subnet, &again); twice.Instructions != out.Instructions || string(reply(t, twice)) != "done" {
			t.Errorf("the message of the fork took %d instructions, that of its source %d", twice.Instructions, out.Instructions)
		}
		if got := take(t, p, f); got != after {
			t.Errorf("after the message a fork is\n%+v, want\n%+v", got, after)
		}
		f.Close()
	}
	c.Close()
	if now := p.Engine.InUse(); now > in {
		t.Errorf("%d bytes of the checkpoint file are in use, %d were before", now, in)
	}
}

func TestAForkInTheMiddleOfAnUpgradeIsAsBeforeIt(t *testing.T) {
	p := canistertest.NewPlace(t)
	p.Subnet.Limits.PauseAfter = 2_000_000
	c := prepared(t, p)
	hook := canistertest.Script().Hook(canistertest.HookPreUpgrade, change().Busy(1_000_000)).ReplyText("set")
	if out := p.Run(c, hook); out.Failure != nil {
		t.Fatal(out.Failure)
	}
	before := take(t, p, c)
	var forks []*canister.Canister
	in := canister.Install{
		Mode: canister.Upgrade, Module: p.Module(canistertest.Scriptable()), Arg: canistertest.Script().Busy(1_000_000).Bytes(), Caller: canistertest.User,
		Pause: func() { forks = append(forks, c.Fork()) },
	}
	out := c.Install(&p.Subnet, &in)
	if out.Failure != nil || len(forks) < 4 {
		t.Fatalf("%v, %d forks", out.Failure, len(forks))
	}
	for _, f := range forks {
		if got := take(t, p, f); got != before {
			t.Errorf("a fork is\n%+v, want\n%+v", got, before)
		}
		again := in
		again.Pause = nil
		if twice := f.Install(&p.Subnet, &again); twice.Failure != nil || twice.Instructions != out.Instructions {
			t.Errorf("the upgrade of the fork: %v, %d instructions, want %d", twice.Failure, twice.Instructions, out.Instructions)
		}
		if got, want := take(t, p, f), take(t, p, c); got != want {
			t.Errorf("after the upgrade a fork is\n%+v, want\n%+v", got, want)
		}
		f.Close()
	}
}
