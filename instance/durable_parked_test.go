package instance_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/instance"
	"github.com/canisterd/canisterd/internal/journal"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/driver"
	"github.com/canisterd/canisterd/test/canistertest"
	"github.com/canisterd/canisterd/test/canistertest/wat"
	"github.com/canisterd/canisterd/test/instancetest"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// toiling is a canister whose messages take several slices: they fill 2 MiB 40 times, at one instruction per byte, and
// count.
const toiling = `(module
	(import "ic0" "msg_reply_data_append" (func $append (param i32 i32)))
	(import "ic0" "msg_reply" (func $reply))
	(memory 33)
	(func (export "canister_update toil") (local $left i32)
		(local.set $left (i32.const 40))
		(loop $next
			(memory.fill (i32.const 65536) (local.get $left) (i32.const 2097152))
			(i32.store (i32.const 0) (i32.add (i32.load (i32.const 0)) (i32.const 1)))
			(local.set $left (i32.sub (local.get $left) (i32.const 1)))
			(br_if $next (local.get $left)))
		(call $append (i32.const 0) (i32.const 4))
		(call $reply)))`

// parked returns how many messages are between two slices.
func (c *crashing) parked() (count int) {
	c.t.Helper()
	s, err := driver.Ask(c.t.Context(), c.Instance.Driver(), func(n *replica.Network) replica.Statistics { return n.Statistics() })
	if err != nil {
		c.t.Fatal(err)
	}
	for i := range s.Subnets {
		count += s.Subnets[i].Queues.Parked
	}
	return count
}

func (c *crashing) rounds(count uint64) {
	c.t.Helper()
	if _, err := c.RunRounds(c.t.Context(), count); err != nil {
		c.t.Fatal(err)
	}
}

// TestAMessageInTheMiddleOfItsCodeGoesOnAfterACrash crashes an instance between two slices of a message, first when the
// message is in its records and then when it is in its newest checkpoint. The message ends as it does without a crash,
// and a replay agrees.
func TestAMessageInTheMiddleOfItsCodeGoesOnAfterACrash(t *testing.T) {
	c := newCrashing(t)
	random := rand.New(rand.NewPCG(5, 6))
	id := instancetest.Deploy(t, c.Instance, wat.MustAssemble(toiling), nil)
	c.rounds(2)
	request := instancetest.Submit(t, c.Instance, id, id, "toil", nil)
	c.rounds(2)
	inTheMiddle := func(where string, crash func()) {
		t.Helper()
		before := c.hash()
		if c.parked() != 1 {
			t.Fatalf("%s: %d messages are in the middle of their code", where, c.parked())
		}
		crash()
		if c.parked() != 1 || c.hash() != before {
			t.Fatalf("%s: after a crash, %d messages are in the middle of their code, in the same state: %t", where, c.parked(), c.hash() == before)
		}
	}
	inTheMiddle("in records", func() { c.crash(50, random) })
	c.rounds(1)
	inTheMiddle("in a checkpoint", func() {
		c.stop() // with a checkpoint
		c.open(instance.Spec{})
		c.crash(0, random)
	})
	for rounds := 0; c.parked() > 0; rounds++ {
		if rounds > 20 {
			t.Fatal("the message does not end")
		}
		c.rounds(1)
	}
	c.rounds(1)
	c.answered(id, request)
	hash := c.hash()
	c.crash(0, random)
	done, err := instance.Replay(t.Context(), "/state", instance.Config{CacheDir: canistertest.CacheDir(t), Wall: time.Now, Engine: c.engine, Journal: journal.Options{FS: c.fs.CrashClone(vfs.CrashCloneCfg{}), MemTableBytes: smallTable}}, instance.Traces{})
	if err != nil || done.StateHash != hash {
		t.Errorf("a replay comes to the same state: %t, %v", done.StateHash == hash, err)
	}
}

// answered checks the reply to a message of toiling.
func (c *crashing) answered(id principal.Principal, request replica.RequestID) {
	c.t.Helper()
	subnet := c.Driver().View().SubnetOf(id).ID
	answer, err := driver.Ask(c.t.Context(), c.Instance.Driver(), func(n *replica.Network) replica.IngressAnswer {
		answer, _ := n.IngressAnswer(subnet, request)
		return answer
	})
	if err != nil || answer.Reject != nil || string(answer.Reply) != "\x28\x00\x00\x00" { // 40
		c.t.Errorf("the message has the answer %+v: %v", answer, err)
	}
}
