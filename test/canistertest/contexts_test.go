package canistertest_test

import (
	"strings"
	"testing"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/test/canistertest"
)

// heap reads the first bytes of a scriptable canister's heap.
func heap(p *canistertest.Place, c *canister.Canister) string {
	return said(p.Query(c, "query", program(`reply heap-read(0, 4)`).Bytes()))
}

func TestHooksRunTheProgramsSetForThem(t *testing.T) {
	inBothWidths(t, func(t *testing.T, p *canistertest.Place, c *canister.Canister) {
		out := p.Run(c, program(`on heartbeat {heap-write 0, "beat"}; on timer {heap-write 0, "time"; on timer {heap-write 0, "2nd "}};
			on low-memory {heap-write 0, "low "}; on inspect {if equal(length(method), 3) {accept-message}}; reply "set"`))
		if got := said(out); got != "set" {
			t.Fatal(got)
		}
		for _, hook := range []struct {
			context canister.Context
			want    string
		}{
			{canister.Heartbeat, "beat"}, {canister.GlobalTimer, "time"}, {canister.LowMemory, "low "}, {canister.GlobalTimer, "2nd "},
		} {
			out := c.Execute(&p.Subnet, &canister.Message{Context: hook.context, Responded: true})
			if got := said(out); got != "nothing" {
				t.Errorf("%s: %s", hook.context, got)
			}
			if got := heap(p, c); got != hook.want {
				t.Errorf("after %s the heap is %q, want %q", hook.context, got, hook.want)
			}
		}
		for method, accepted := range map[string]bool{"run": true, "other": false} {
			q, reject := c.PrepareQuery()
			if reject != nil {
				t.Fatal(reject)
			}
			out := q.Run(&p.Subnet, &canister.Message{Context: canister.InspectMessage, Method: method, Caller: canistertest.User})
			q.Release()
			if out.AcceptedIngress != accepted {
				t.Errorf("a message for %s is accepted: %v", method, out.AcceptedIngress)
			}
		}
	})
}

func TestStableMemoryOutlivesUpgradesAndTheHeapDoesNot(t *testing.T) {
	inBothWidths(t, func(t *testing.T, p *canistertest.Place, c *canister.Canister) {
		upgrade := func(arg string) canister.Outcome {
			return c.Install(&p.Subnet, &canister.Install{Mode: canister.Upgrade, Module: c.Module(), Arg: program(arg).Bytes(), Caller: canistertest.Controller})
		}
		p.Run(c, program(`set 9; heap-write 0, "heap"; drop stable-grow(1); on pre-upgrade {stable-write 0, heap-read(0, 4) + get}`))
		if out := upgrade(`heap-write 0, stable-read(0, 1) + "new"`); out.Failure != nil {
			t.Fatal(out.Failure)
		}
		got := said(p.Run(c, program(`reply stable-read(0, 12) + heap-read(0, 4) + get`)))
		if want := "heap" + number(9) + "hnew" + number(0); got != want {
			t.Errorf("after the upgrade: %q, want %q", got, want)
		}
		if got := said(upgrade(`trap "never"`)); !strings.Contains(got, "never") {
			t.Errorf("an upgrade says %s", got)
		}
	})
}

func TestQueriesSeeCertificatesAndChangeNothing(t *testing.T) {
	inBothWidths(t, func(t *testing.T, p *canistertest.Place, c *canister.Canister) {
		q, reject := c.PrepareQuery()
		if reject != nil {
			t.Fatal(reject)
		}
		defer q.Release()
		out := q.Run(&p.Subnet, &canister.Message{
			Context: canister.Query, Method: "query", Caller: canistertest.User, Certificate: []byte("cert"),
			Payload: program(`set 5; heap-write 0, "gone"; reply certificate + certified + replicated`).Bytes(),
		})
		if got, want := said(out), "cert"+number(1)+number(0); got != want {
			t.Errorf("the query says %q, want %q", got, want)
		}
		if got := said(p.Run(c, program(`reply get + heap-read(0, 4)`))); got != number(0)+"\x00\x00\x00\x00" {
			t.Errorf("after the query: %q", got)
		}
	})
}

func TestCallsAndTheirCallbacks(t *testing.T) {
	inBothWidths(t, func(t *testing.T, p *canistertest.Place, a *canister.Canister) {
		b := p.Canister(a.Module(), nil)
		s := newStage(p, a, b)
		names := map[string]principal.Principal{"A": a.ID, "B": b.ID}
		for _, step := range []struct{ text, want string }{
			{`call B.run(reply caller + "!") on-reply(reply arg)`, string(a.ID.Bytes()) + "!"},
			{`call B.run(reject "no") on-reject(reply reject-message + reject-code)`, "no" + number(4)},
			{`call B.run(reply "x") on-reply(reply arg); append "dropped"`, "x"},
			{`call B.run(call A.run(call B.run(reply "deep") on-reply(reply arg + "3")) on-reply(reply arg + "2")) on-reply(reply arg + "1")`, "deep321"},
			{`call B.run(drop accept(30); reply) cycles 100 on-reply(reply refunded)`, number(70) + number(0)},
			{`call B.run(reply deadline) within 10 on-reply(reply equal(0, integer(arg)))`, number(0)},
			{`call B.query(reply "q") on-reply(reply arg)`, "q"},
			{`call B.ask(reply "q") on-reject(reply reject-code)`, number(5)},
			{`call B.missing() on-reject(reply reject-code)`, number(5)},
			{`call B.run(unreachable) on-reject(reply reject-code)`, number(5)},
			{`call B.run() cycles 100 on-reject(reply refunded)`, number(100) + number(0)},
			{`call B.run(reply) on-reply(set 77; unreachable) on-cleanup(heap-write 0, "tidy" )`, "failed IC0502"},
			{`reply heap-read(0, 4) + get`, "tidy" + number(0)},
			{`repeat 600 {if less(get, 512) {set add(get, 1); call B.run(reply)}}; reply get`, number(512)},
			{`repeat 500 {call B.run(reply) on-reply(set subtract(get, 1))}; reply "again"`, "again"},
			{`reply get`, number(12)},
			{`call B.run(reply) not-sent(reply "full")`, "full"},
		} {
			s.room = 1000
			if strings.Contains(step.text, "not-sent") {
				s.room = 0
			}
			if got := s.update(a, canistertest.MustParse(step.text, names)); !strings.HasPrefix(got, step.want) {
				t.Errorf("%s\nsays %q, want %q", step.text, got, step.want)
			}
		}
	})
}

func TestATurnOfALoopCostsTenInstructions(t *testing.T) {
	inBothWidths(t, func(t *testing.T, p *canistertest.Place, c *canister.Canister) {
		fewer, more := p.Run(c, program(`spin 1000`)), p.Run(c, program(`spin 2000`))
		if got := more.Instructions - fewer.Instructions; got != 10_000 {
			t.Errorf("a thousand turns more cost %d", got)
		}
	})
}

func TestFixturesAndDisksAreThere(t *testing.T) {
	p := canistertest.NewDiskPlace(t)
	for _, name := range []string{"caller", "clock", "counter", "heart", "ledger"} {
		if m := p.Module(canistertest.Fixture(name)); len(m.Methods()) == 0 {
			t.Errorf("%s has no methods", name)
		}
	}
	if got := said(p.Run(p.Scriptable(), program(`reply "x"`))); got != "x" {
		t.Errorf("on disk: %s", got)
	}
}
