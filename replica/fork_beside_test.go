package replica_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/replicatest"
	"github.com/canisterd/canisterd/test/canistertest/wat"
)

// counting is a canister that writes its heap and logs whenever it is called.
const counting = `(module
	(import "ic0" "msg_reply" (func $reply))
	(import "ic0" "msg_reply_data_append" (func $append (param i32 i32)))
	(import "ic0" "debug_print" (func $print (param i32 i32)))
	(memory 1)
	(func (export "canister_init"))
	(func (export "canister_update run")
		(i32.store (i32.const 0) (i32.add (i32.load (i32.const 0)) (i32.const 1)))
		(call $print (i32.const 0) (i32.const 4))
		(call $append (i32.const 0) (i32.const 4))
		(call $reply)))`

// living is a network of canisters in more than one block, and how many they are. What is
// done to it follows from seeds.
type living struct {
	*replicatest.Stage
	canisters, deleted int
	known              []replica.RequestID
}

func newLiving(t *testing.T, module []byte) *living {
	l := &living{Stage: replicatest.NewWasmStage(t, replica.Config{}, module), canisters: 70}
	l.Create(l.canisters, 1e15)
	return l
}

func (l *living) fork() *living {
	f := *l
	f.Stage = l.Stage.Fork(replica.ForkConfig{})
	f.known = slices.Clip(l.known)
	return &f
}

// live lets a few things happen, of which canisters come and go are some.
func (l *living) live(t *testing.T, seed uint64) {
	chance := rand.New(rand.NewPCG(seed, 0))
	for range 40 {
		n := chance.IntN(l.canisters)
		switch chance.IntN(10) {
		case 0:
			l.Call(l.canisters, "create", fmt.Sprint(uint64(1e15)))
			l.Call(l.canisters, "install", fmt.Sprintf("%d ", l.canisters))
			l.canisters++
		case 1:
			l.Call(n, "stop", fmt.Sprintf("%d ", n))
			if l.Call(n, "delete", fmt.Sprintf("%d ", n)) == "replied: done" {
				l.deleted++
			}
		case 2:
			l.Apply(replica.AdvanceTo(l.View().Time + uint64(chance.IntN(20))*second))
			l.Round()
		case 3:
			id, _ := l.Submit(n, "run", "")
			l.known = append(l.known, id)
		default:
			l.Call(n, "run", "")
		}
	}
	l.Round()
	if l.deleted == 0 || l.canisters == 70 {
		t.Errorf("%d canisters came and %d went: too few to see anything", l.canisters-70, l.deleted)
	}
}

// Source, forks, unused forks of forks, and a fork that is closed while the others go on share canisters, messages and
// read indexes. Each of them ends in the same state as alone.
func TestForksGoOnBesideTheirSourceAsTheyWouldAlone(t *testing.T) {
	module, err := wat.Assemble(counting)
	if err != nil {
		t.Fatal(err)
	}
	source := newLiving(t, module)
	sleeping := source.fork() // is forked after it was shared for a while
	first := source.fork()
	ofFirst := first.fork()
	source.live(t, 1)
	second := source.fork()
	gone := second.fork()
	ofSleeping := sleeping.fork()
	paths := []struct {
		living *living
		seeds  []uint64 // what happened and happens to it
	}{
		{source, []uint64{1, 10}},
		{first, []uint64{11}},
		{ofFirst, []uint64{12}},
		{second, []uint64{1, 13}},
		{sleeping, []uint64{14}},
		{ofSleeping, []uint64{15}},
	}
	var all sync.WaitGroup
	for _, p := range paths {
		all.Go(func() { p.living.live(t, p.seeds[len(p.seeds)-1]) })
	}
	all.Go(gone.Close)
	all.Wait()
	for i, p := range paths {
		alone := newLiving(t, module)
		for _, seed := range p.seeds {
			alone.live(t, seed)
		}
		want, got := exported(t, alone.Network), exported(t, p.living.Network)
		if len(want) == 0 || !bytes.Equal(want, got) {
			t.Errorf("network %d is another than alone: %s", i, firstDifference(want, got))
		}
		p.living.checkReadIndex(t, i)
	}
}

// checkReadIndex checks that readers see who made each message the network knows, and the code of
// each canister.
func (l *living) checkReadIndex(t *testing.T, network int) {
	view, subnet := l.View(), l.View().Subnets[0].ID
	for n, id := range l.known {
		_, receiver, _, ok := view.Request(subnet, id)
		if known := l.IngressStatus(subnet, id) != 0; ok != known || known && view.Module(receiver) == nil != (l.Canister(receiver) == nil) {
			t.Errorf("in network %d readers know message %d: %t, or not whether canister %s has code", network, n, ok, receiver)
		}
	}
}

// Whatever of a network and its forks is used and closed first, nothing of the checkpoint
// file is left in use.
func TestForksClosedInAnyOrderReleaseEverything(t *testing.T) {
	module, err := wat.Assemble(counting)
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(rt *rapid.T) {
		source := newLiving(t, module)
		all := []*living{source}
		for i := 0; len(all) > 0; i++ {
			at := rapid.IntRange(0, len(all)-1).Draw(rt, "which")
			l := all[at]
			switch op := rapid.IntRange(0, 4).Draw(rt, "operation"); {
			case op < 2 && i < 12:
				all = append(all, l.fork())
			case op == 2 && i < 12:
				if got := l.Call(rapid.IntRange(0, 69).Draw(rt, "canister"), "run", ""); len(got) != len("replied: ")+4 {
					rt.Fatalf("the answer is %q", got)
				}
			case op == 3 && i < 12:
				l.UseAll()
			default:
				l.Close()
				all = slices.Delete(all, at, at+1)
			}
		}
		if n := source.Engine().InUse(); n != 0 {
			rt.Fatalf("%d bytes are in use", n)
		}
	})
}
