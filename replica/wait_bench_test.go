package replica_test

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/replicatest/real"
	"github.com/canisterd/canisterd/test/bench/ratio"
	"github.com/canisterd/canisterd/test/canistertest/wat"
)

// sleepers are a thousand canisters with the program napper, and one that replies at once.
func sleepers(b *testing.B) *real.Stage {
	names := make([]string, 1000)
	for i := range names {
		names[i] = fmt.Sprintf("N%d", i)
	}
	s := nappers(b, names...)
	s.Create("X", 0, real.Plenty)
	module := wat.MustAssemble(`(module (import "ic0" "msg_reply" (func $reply)) (func (export "canister_update hi") (call $reply)))`)
	if a := s.Install("X", real.Install, module, nil); a.Status != "replied" {
		b.Fatal(a)
	}
	return s
}

// callAll calls a method of every napper: nap waits for an hour in poll_oneoff, hi replies at once.
func callAll(b *testing.B, s *real.Stage, method string) {
	s.Apply(replica.AdvanceTo(s.View().Time + 1000))
	for i := range 1000 {
		if _, refused := s.Submit(fmt.Sprintf("N%d", i), method, nil); refused != "" {
			b.Fatal(refused)
		}
	}
	settle(b, s)
}

// updates are rounds with one update of X each.
func updates(b *testing.B, s *real.Stage) ratio.Work {
	return ratio.Each(func() {
		s.Apply(replica.AdvanceTo(s.View().Time + 1000))
		id, refused := s.Submit("X", "hi", nil)
		if refused != "" {
			b.Fatal(refused)
		}
		s.Round()
		if a := s.Answer(id); a.Status != "replied" {
			b.Fatal(a)
		}
	})
}

// BenchmarkRatioRoundAmong1000ParkedMessages is a round with one update while a thousand other canisters wait in
// poll_oneoff; the floor is the same round while they are idle.
func BenchmarkRatioRoundAmong1000ParkedMessages(b *testing.B) {
	parked, idle := sleepers(b), sleepers(b)
	callAll(b, parked, "nap")
	ratio.Compare(b, 1.2, updates(b, parked), updates(b, idle))
}

// BenchmarkRatioBytesOfAParkedMessage is the memory of the process, its heap and its stacks, that each of a thousand
// messages takes while it waits in poll_oneoff, more than what the network keeps of a request that was answered. The floor
// is 20 KB. The canisters ran another method before, as a Go program runs its _initialize: an idle canister keeps the
// function object of that method, 12 KB, and a parked one only its own. A parked message that is the first of its
// canister costs these 12 KB more; they stay with the canister after it. The stack of the coroutine is 8 KiB.
func BenchmarkRatioBytesOfAParkedMessage(b *testing.B) {
	for b.Loop() {
		s := sleepers(b)
		callAll(b, s, "hi")
		first := inUse()
		callAll(b, s, "hi")
		second := inUse()
		callAll(b, s, "nap")
		ratio.ReportBytes(b, 1, float64((inUse()-second)-(second-first))/1000, 20_000)
		runtime.KeepAlive(s)
	}
}

// inUse are the bytes of the heap and of the stacks of goroutines.
func inUse() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc + m.StackInuse)
}
