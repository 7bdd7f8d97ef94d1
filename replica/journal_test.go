package replica_test

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/canisterd/canisterd/archive"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/replicatest"
	"github.com/canisterd/canisterd/replica/replicatest/real"
	"github.com/canisterd/canisterd/test/canistertest"
)

// tape is a journal in memory, with the state hash after some of its records.
type tape struct {
	records    [][]byte
	hashes     map[int][32]byte
	checkpoint bytes.Buffer
	from       int // the record after the checkpoint
	busy       int // records that are not idle
}

func (p *tape) Record(record []byte, idle bool) {
	p.records = append(p.records, bytes.Clone(record))
	if !idle {
		p.busy++
	}
}

// mark notes the state after the records so far.
func (p *tape) mark(t testing.TB, n *replica.Network) {
	if p.hashes == nil {
		p.hashes = make(map[int][32]byte)
	}
	n.RecordClock()
	p.hashes[len(p.records)] = stateHash(t, n)
}

// keep exports the network as it is after the records so far.
func (p *tape) keep(t testing.TB, n *replica.Network) {
	n.RecordClock()
	if err := n.Export(&p.checkpoint); err != nil {
		t.Fatal(err)
	}
	p.from = len(p.records)
}

// replay gives a network the records from one on, and compares the states on the way. It closes the network.
func (p *tape) replay(t fataler, n *replica.Network, from int) {
	defer n.Close()
	for i := from; ; i++ {
		if want, ok := p.hashes[i]; ok {
			got, err := n.StateHash()
			if errors.Is(err, replica.ErrBusy) {
				got, err = n.RootHash(), nil
			}
			if err != nil || got != want {
				t.Fatalf("after %d of %d records, the state hash is %x, and was %x: %v", i, len(p.records), got, want, err)
			}
		}
		if i == len(p.records) {
			return
		}
		if _, err := n.Replay(p.records[i]); err != nil {
			t.Fatalf("record %d of %d: %v", i, len(p.records), err)
		}
	}
}

type fataler interface{ Fatalf(string, ...any) }

func TestAScenarioIsTheSameWhenItsJournalIsReplayed(t *testing.T) {
	few(t)
	th := newHarness(t)
	rapid.Check(t, func(rt *rapid.T) {
		d := drawScenario(rt)
		keepAt, stepped, rounds := rapid.IntRange(0, 5).Draw(rt, "checkpoint"), rapid.IntRange(0, 4).Draw(rt, "stepped"), 0
		p := new(tape)
		config := d.config
		d.config.Journal = p
		th.run(d, nil, func(n *replica.Network) {
			switch {
			case rounds%4 != stepped:
				n.Round()
			case rounds%2 == 0:
				n.NextDeliveries()
				steps(replica.FIFO{})(n)
			default:
				n.Step(replica.FIFO{})
				p.mark(th, n)
				n.EndRound()
				n.EndRound() // the second one does nothing
				n.Round()
			}
			p.mark(th, n)
			if rounds == keepAt {
				p.keep(th, n)
			}
			rounds++
		})
		config.Engine, config.Start = th.engine, replicatest.Start
		n, err := replica.New(config)
		if err != nil {
			rt.Fatal(err)
		}
		p.replay(rt, n, 0)
		if p.checkpoint.Len() == 0 {
			return // it had fewer rounds
		}
		if n, err = replica.Import(&p.checkpoint, config); err != nil {
			rt.Fatal(err)
		}
		p.replay(rt, n, p.from)
	})
}

// recorded is a network with a journal in which canister A adds one to its number with each message.
func recorded(t *testing.T) (*real.Stage, replica.Config, *tape) {
	p := new(tape)
	config := replica.Config{Engine: canistertest.NewEngine(t), Journal: p, Start: replicatest.Start, Subnets: []replica.SubnetConfig{{Nodes: 13}}}
	s := real.NewStage(t, config)
	s.Create("A", 0, real.Plenty)
	s.Install("A", real.Install, canistertest.Scriptable(), nil)
	s.Call("A", "run", compiled(t, s, `set add(get, 1); reply get`))
	p.mark(t, s.Network)
	config.Journal = nil
	return s, config, p
}

func TestAReplayThatTakesAnotherPathNamesTheRound(t *testing.T) {
	_, config, p := recorded(t)
	n, err := replica.New(config)
	if err != nil {
		t.Fatal(err)
	}
	defer n.Close()
	inputs := 0
	for _, record := range p.records {
		// All but the last input: the message of a user.
		if tells, _ := n.Fork(replica.ForkConfig{}).Replay(record); tells.Input != nil {
			if inputs++; inputs == 3 {
				continue
			}
		}
		if _, err = n.Replay(record); err != nil {
			break
		}
	}
	if diverged := (*replica.DivergedError)(nil); !errors.As(err, &diverged) || diverged.Now != 0 || diverged.Was != 1 || diverged.What != "the number of messages" {
		t.Errorf("a replay without a message, after %d inputs: %v", inputs, err)
	}
}

func TestARoundWithoutMessagesIsRecordedAsIdle(t *testing.T) {
	s, _, p := recorded(t)
	records, busy := len(p.records), p.busy
	for range 3 {
		s.Apply(replica.AdvanceTo(s.View().Time + 100*second))
		s.Round()
	}
	if len(p.records) == records || p.busy != busy {
		t.Errorf("of %d records of rounds without messages, %d are not idle", len(p.records)-records, p.busy-busy)
	}
	s.Call("A", "run", compiled(t, s, `reply get`))
	if p.busy < busy+2 { // the message and its round
		t.Errorf("a message and its round leave %d records that are not idle", p.busy-busy)
	}
}

func TestARefusedInputLeavesNoRecord(t *testing.T) {
	s, _, p := recorded(t)
	before := len(p.records)
	for _, in := range []replica.Input{
		replica.ReleaseHeld{ID: 7}, &replica.HTTPAnswer{}, replica.AddCycles{Canister: s.User}, replica.AdvanceTo(s.View().Time + 1),
	} {
		s.Apply(in)
	}
	if len(p.records) != before {
		t.Errorf("%d records of refused inputs and of a time", len(p.records)-before)
	}
	s.RecordClock()
	s.RecordClock()
	if len(p.records) != before+1 {
		t.Errorf("%d records of one time, want 1", len(p.records)-before)
	}
}

// FuzzReplay gives a network arbitrary records after good ones: an error, or another state, but no panic.
func FuzzReplay(f *testing.F) {
	s := crowdedJournal(f)
	for _, record := range s.tape.records {
		f.Add(record)
	}
	f.Fuzz(func(t *testing.T, record []byte) {
		n := s.network.Fork(replica.ForkConfig{})
		defer n.Close()
		if _, err := n.Replay(record); err != nil {
			if fault := (*archive.Fault)(nil); errors.As(err, &fault) && n.RootHash() != s.root {
				t.Errorf("a damaged record changed the state: %v", err)
			}
		}
	})
}

// crowdedNetwork is a network in which much waits, with the records of what is done with it then.
type crowdedNetwork struct {
	network *replica.Network
	root    [32]byte
	tape    *tape
}

func crowdedJournal(t testing.TB) crowdedNetwork {
	stage, _ := crowdedStage(t)
	c := crowdedNetwork{network: stage.Network.Fork(replica.ForkConfig{}), tape: new(tape)}
	t.Cleanup(c.network.Close)
	c.root = c.network.RootHash()
	moved := stage.Network.Fork(replica.ForkConfig{Parts: replica.Parts{Journal: c.tape}})
	defer moved.Close()
	moved.Apply(replica.AdvanceTo(moved.View().Time + second))
	moved.NextDeliveries()
	moved.Step(replica.FIFO{})
	meddleWith(moved)
	moved.Round()
	return c
}

func TestWhatClientsDoWithACrowdedNetworkIsReplayed(t *testing.T) {
	c := crowdedJournal(t)
	n := c.network.Fork(replica.ForkConfig{})
	c.tape.replay(t, n, 0)
	if kinds := slices.Clone(c.tape.records); len(kinds) < 10 {
		t.Errorf("only %d records: this shows little", len(kinds))
	}
}
