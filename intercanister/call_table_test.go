package intercanister

import (
	"runtime"
	"testing"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/intercanister/cycles"
	"pgregory.net/rapid"
)

func TestASlabAgreesWithAMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var s slab[uint64]
		model := map[uint64]uint64{}
		last := uint64(0)
		for range rapid.IntRange(1, 400).Draw(t, "operations") {
			id := rapid.Uint64Range(1, 400).Draw(t, "id")
			if _, found := model[id]; found && rapid.Bool().Draw(t, "remove") {
				s.remove(id)
				delete(model, id)
			} else {
				last++
				*s.add(last) = last * 3
				model[last] = last * 3
			}
		}
		seen := 0
		s.each(func(id uint64, v *uint64) {
			seen++
			if model[id] != *v || *s.get(id) != *v {
				t.Fatalf("record %d holds %d, want %d", id, *v, model[id])
			}
		})
		if seen != len(model) || s.live != len(model) {
			t.Fatalf("%d records, want %d", seen, len(model))
		}
	})
}

// One canister calls another and both answer at random; whatever happens, every
// attached cycle is refunded or accepted, and in the end nothing is left.
func TestNothingIsLeftOfCallsThatAreOver(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var l CallTable
		boxes := [3]Mailbox{}
		for i := range boxes {
			boxes[i].Owner = principal.Canister(uint64(i))
		}
		root := l.Open(&boxes[0], Origin{Kind: FromIngress}, cycles.Amount{}, 1)
		sent, back := cycles.Amount{}, cycles.Amount{}
		step := func(m *Mailbox) {
			var in Input
			if !m.Pop(&in) {
				return
			}
			if in.Source == SourceResponses {
				back = back.Add(in.Response.Refund)
				_, c := l.Begin(m, in.Call)
				l.Release(m, in.Call)
				l.Close(m, c)
				return
			}
			c := l.Open(m, Origin{Kind: FromCanister, Call: in.Request.Call, Caller: in.Request.Sender}, in.Request.Cycles, 2)
			refund := l.Respond(m, c)
			l.Close(m, c)
			if !l.Settle(&boxes[0], in.Request.Call, Response{Refund: refund}) {
				t.Fatal("a waiting future was not settled")
			}
		}
		for range rapid.IntRange(0, 300).Draw(t, "steps") {
			callee := rapid.IntRange(0, 2).Draw(t, "callee")
			if rapid.Bool().Draw(t, "call") && boxes[0].Room(boxes[callee].Owner) > 0 {
				id, _ := l.Register(&boxes[0], &Call{Context: root.ID, Owner: boxes[0].Owner, Callee: boxes[callee].Owner, Cycles: cycles.Of(7)})
				sent = sent.Add(cycles.Of(7))
				if !boxes[callee].PushRequest(&Request{Call: id, Sender: boxes[0].Owner, Cycles: cycles.Of(7)}) {
					t.Fatal("no room for a request whose slot was taken")
				}
			} else {
				step(&boxes[callee])
			}
		}
		for boxes[0].Len()+boxes[1].Len()+boxes[2].Len() > 0 {
			for i := range boxes {
				step(&boxes[i])
			}
		}
		l.Respond(&boxes[0], root)
		if !l.Close(&boxes[0], root) || l.Contexts() != 0 || l.Futures() != 0 || boxes[0].pairs.n != 0 || boxes[1].pairs.n != 0 {
			t.Fatalf("left: %d contexts, %d futures", l.Contexts(), l.Futures())
		}
		if sent != back {
			t.Fatalf("sent %s cycles, got back %s", sent, back)
		}
	})
}

func TestAPairTakesFiveHundredCallsAndNoMore(t *testing.T) {
	var l CallTable
	m := Mailbox{Owner: principal.Canister(1)}
	other := principal.Canister(2)
	c := l.Open(&m, Origin{Kind: FromIngress}, cycles.Amount{}, 0)
	for range 500 {
		l.Register(&m, &Call{Context: c.ID, Owner: m.Owner, Callee: other})
	}
	if m.Room(other) != 0 || m.Room(principal.Canister(3)) != 500 {
		t.Errorf("room for %d and %d calls", m.Room(other), m.Room(principal.Canister(3)))
	}
	l.Settle(&m, 1, Response{})
	if m.Room(other) != 0 {
		t.Error("a slot was free before the callback began")
	}
	l.Begin(&m, 1)
	if m.Room(other) != 1 {
		t.Error("no slot was free when the callback had begun")
	}
	if m.Calls != 500 {
		t.Errorf("%d calls are registered, want 500", m.Calls)
	}
	l.Release(&m, 1)
	if m.Calls != 499 {
		t.Errorf("%d calls are registered after one was over", m.Calls)
	}
}

func TestMessagesAreTakenInTheOrderTheyCameAndTasksFirst(t *testing.T) {
	var m Mailbox
	for i := range uint64(6) {
		m.PushRequest(&Request{Call: CallID(i), Sender: principal.Canister(i % 3)})
	}
	m.PushIngress(7)
	m.PushTask(GlobalTimer)
	m.PushTask(Heartbeat)
	m.PushTask(Heartbeat)
	var got []uint64
	for in := (Input{}); m.Pop(&in); {
		got = append(got, uint64(in.Source)*100+uint64(in.Request.Call)+in.Ingress+uint64(in.Task))
	}
	want := []uint64{101, 102, 400, 401, 402, 403, 404, 405, 307}
	for i := range want {
		if i >= len(got) || got[i] != want[i] {
			t.Fatalf("got %v, want %v", got, want)
		}
	}
}

func TestTheFirstChoiceIsWhatPopTakes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var a, b Mailbox
		for range rapid.IntRange(1, 40).Draw(t, "messages") {
			n := rapid.Uint64Range(1, 4).Draw(t, "n")
			kind := rapid.IntRange(0, 3).Draw(t, "kind")
			for _, m := range []*Mailbox{&a, &b} {
				switch kind {
				case 0:
					m.PushRequest(&Request{Call: CallID(n), Sender: principal.Canister(n)})
				case 1:
					m.PushIngress(n)
				case 2:
					m.PushTask(Task(n))
				case 3:
					m.PushResponse(CallID(n), false, Response{})
				}
			}
		}
		var x, y Input
		for a.Pop(&x) {
			choices := b.Choices(nil)
			b.PopChoice(choices[0], &y)
			if x.Source != y.Source || x.Call != y.Call || x.Ingress != y.Ingress || x.Task != y.Task || x.Request.Call != y.Request.Call {
				t.Fatalf("popped %v, chose %v", x, y)
			}
		}
	})
}

// register fills a call table with n futures, 500 to each callee.
func register(n int) (*CallTable, *Mailbox) {
	l, m := new(CallTable), &Mailbox{Owner: principal.Canister(1)}
	c := l.Open(m, Origin{Kind: FromIngress}, cycles.Amount{}, 0)
	for i := range n {
		l.Register(m, &Call{Context: c.ID, Owner: m.Owner, Callee: principal.Canister(uint64(2 + i/QueueCapacity))})
	}
	return l, m
}

// maxFutureBytes is what one registered future may take in memory beyond payloads,
// index included (the measure of the design).
const maxFutureBytes = 204

func TestARegisteredFutureTakesAtMostItsBytes(t *testing.T) {
	var sx, sy, sxx, sxy, n float64
	for _, count := range []int{1, 10, 100, 1000, 2000, 5000, 10000, 20000, 50000, 200000} {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		l, m := register(count)
		runtime.GC()
		runtime.ReadMemStats(&after)
		runtime.KeepAlive(l)
		runtime.KeepAlive(m)
		x, y := float64(count), float64(after.HeapAlloc)-float64(before.HeapAlloc)
		n, sx, sy, sxx, sxy = n+1, sx+x, sy+y, sxx+x*x, sxy+x*y
	}
	slope := (n*sxy - sx*sy) / (n*sxx - sx*sx)
	t.Logf("%.1f bytes for each registered future", slope)
	if slope > maxFutureBytes {
		t.Errorf("%.1f bytes for each registered future, at most %d", slope, maxFutureBytes)
	}
}

// callAndAnswer is all that a call table and mailboxes do for one call and its answer.
func callAndAnswer(l *CallTable, context ContextID, caller, callee *Mailbox, in *Input) {
	id, _ := l.Register(caller, &Call{Context: context, Owner: caller.Owner, Callee: callee.Owner})
	callee.PushRequest(&Request{Call: id, Sender: caller.Owner})
	callee.Pop(in)
	opened := l.Open(callee, Origin{Kind: FromCanister, Call: id, Caller: caller.Owner}, cycles.Amount{}, 0)
	l.Respond(callee, opened)
	l.Close(callee, opened)
	l.Settle(caller, id, Response{})
	caller.Pop(in)
	l.Begin(caller, id)
	l.Release(caller, id)
}

func TestACallAndItsAnswerDoNotAllocate(t *testing.T) {
	var l CallTable
	a, b := Mailbox{Owner: principal.Canister(1)}, Mailbox{Owner: principal.Canister(2)}
	c := l.Open(&a, Origin{Kind: FromIngress}, cycles.Amount{}, 0)
	var in Input
	perRun := testing.AllocsPerRun(2000, func() { callAndAnswer(&l, c.ID, &a, &b, &in) })
	if perRun != 0 {
		t.Errorf("a call and its answer allocate %.1f times", perRun)
	}
}

func TestTakingTheFirstMessageAndReceivingAnotherCommute(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var a, b Mailbox
		push := func(m *Mailbox, n uint64) {
			switch n % 3 {
			case 0:
				m.PushRequest(&Request{Call: CallID(n), Sender: principal.Canister(n % 2)})
			case 1:
				m.PushResponse(CallID(n), false, Response{})
			case 2:
				m.PushIngress(n)
			}
		}
		some := rapid.SliceOfN(rapid.Uint64Range(1, 9), 1, 9)
		for _, n := range some.Draw(t, "before") {
			push(&a, n)
			push(&b, n)
		}
		var x, y Input
		a.Pop(&x)
		meanwhile := some.Draw(t, "meanwhile")
		for _, n := range meanwhile {
			push(&a, n)
			push(&b, n)
		}
		b.Pop(&y)
		for {
			if x.Source != y.Source || x.Call != y.Call || x.Ingress != y.Ingress || x.Request.Call != y.Request.Call {
				t.Fatalf("one order takes %v, the other %v", x, y)
			}
			if more := a.Pop(&x); more != b.Pop(&y) || !more {
				return
			}
		}
	})
}

func TestAHeartbeatAfterAHeartbeatLetsOneMessageGoFirst(t *testing.T) {
	var m Mailbox
	take := func() Source {
		var in Input
		if !m.Pop(&in) {
			t.Fatal("nothing waits")
		}
		return in.Source
	}
	m.PushIngress(1)
	m.PushIngress(2)
	m.PushTask(Heartbeat)
	for i, want := range []Source{SourceTasks, SourceIngress, SourceTasks, SourceIngress, SourceTasks} {
		if got := take(); got != want {
			t.Fatalf("message %d comes from %v, want %v", i, got, want)
		}
		m.PushTask(Heartbeat)
	}
}
