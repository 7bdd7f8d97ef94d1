package canister_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/candid/did"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/internal/golden"
	"github.com/canisterd/canisterd/test/canistertest"
)

func TestResponsesOfCallsReachTheTasksThatMadeThem(t *testing.T) {
	golden.Scripts(t, "testdata/component-calls", func(t testing.TB) golden.Performer { return newCaller(t) })
}

// caller calls methods of the till, whose own calls are open until the script answers them.
//
//	call NAME METHOD ARGUMENTS  begins a call with a name, and says how it is answered
//	reply NAME                  replies to the calls that this call made, the last one first
//	reject NAME                 rejects them
//	exhaust NAME                replies to them, but the callbacks run out of instructions
//	upgrade, reinstall          installs the same component
//	snapshot, load              takes a snapshot, or loads it
//	heap                        says whether the heap has changed since the last command heap
type caller struct {
	t        testing.TB
	place    *canistertest.Place
	c        *canister.Canister
	file     *did.File
	open     map[string][]canister.Call // the calls that a call made
	snapshot *canister.Snapshot
	heap     []byte
	said     strings.Builder
}

func newCaller(t testing.TB) *caller { return newCallerOf(t, componentFile(t, "till.wasm")) }

func newCallerOf(t testing.TB, component []byte) *caller {
	p := &caller{t: t, place: canistertest.NewPlace(t), open: map[string][]canister.Call{}}
	m := p.place.Module(component)
	p.c, p.file = p.place.Canister(m, nil), interfaceOf(t, m)
	return p
}

func (p *caller) Perform(command string) error {
	words := strings.SplitN(strings.TrimSpace(command), " ", 4)
	switch words[0] {
	case "call":
		message, err := argumentOf(p.file, words[2], words[3])
		if err != nil {
			return err
		}
		p.say(words[1], p.place.Update(p.c, words[2], message))
	case "reply":
		p.answer(words[1], canister.Message{Context: canister.ReplyCallback, Payload: []byte("DIDL\x00\x00")})
	case "reject":
		p.answer(words[1], canister.Message{Context: canister.RejectCallback, Reject: intercanister.Rejectf(intercanister.CanisterTrapped, "no deposits")})
	case "exhaust":
		p.answer(words[1], canister.Message{Context: canister.ReplyCallback, Payload: []byte("DIDL\x00\x00"), Exhausted: canister.CallbackExhausted})
	case "upgrade":
		return p.install(canister.Upgrade)
	case "reinstall":
		return p.install(canister.Reinstall)
	case "snapshot":
		p.snapshot = p.c.Snapshot(p.place.Subnet.Time, canister.HookNotSatisfied)
		p.t.Cleanup(p.snapshot.Close)
	case "load":
		p.c.Version++
		return p.c.Load(p.snapshot, p.c.Module())
	case "heap":
		return p.compareHeap()
	default:
		return fmt.Errorf("no command %q", words[0])
	}
	return nil
}

// answer runs callbacks of the calls that a call made.
func (p *caller) answer(name string, m canister.Message) {
	calls := p.open[name]
	p.open[name] = nil
	for i := len(calls) - 1; i >= 0; i-- {
		m.Closure, m.Cleanup, m.Caller = calls[i].Reply, calls[i].Cleanup, canistertest.User
		if m.Context == canister.RejectCallback {
			m.Closure = calls[i].Reject
		}
		out := p.c.Execute(&p.place.Subnet, &m)
		if i == 0 || out.Failure != nil {
			p.say(name, out)
		}
	}
}

func (p *caller) say(name string, out canister.Outcome) {
	p.open[name] = append(p.open[name], out.Calls...)
	switch {
	case out.Failure != nil:
		text, _, _ := strings.Cut(out.Failure.Text, "\n")
		fmt.Fprintf(&p.said, "%s: %s\n", name, strings.TrimPrefix(text, fmt.Sprintf("Error from Canister %s: ", p.c.ID)))
	case out.Response != nil:
		fmt.Fprintf(&p.said, "%s: %q\n", name, out.Response.Reply)
	default:
		fmt.Fprintf(&p.said, "%s: waits, open calls: %d\n", name, len(p.open[name]))
	}
}

func (p *caller) install(mode canister.InstallMode) error {
	in := canister.Install{Mode: mode, Module: p.c.Module(), Caller: canistertest.Controller}
	if out := p.c.Install(&p.place.Subnet, &in); out.Failure != nil {
		return errors.New(out.Failure.Text)
	}
	return nil
}

func (p *caller) compareHeap() error {
	m := p.c.Memories()
	defer m.Close()
	heap := make([]byte, m.HeapSize())
	if err := m.ReadHeap(0, heap); err != nil {
		return err
	}
	if bytes.Equal(heap, p.heap) {
		p.said.WriteString("the heap is unchanged\n")
	} else {
		p.said.WriteString("the heap has changed\n")
	}
	p.heap = heap
	return nil
}

func (p *caller) Said() string {
	said := p.said.String()
	p.said.Reset()
	return said
}
