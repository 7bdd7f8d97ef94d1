package replica

import (
	"fmt"
	"slices"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/intercanister"
)

// move is one legal delivery with its origin.
type move struct {
	subnet *subnet
	box    *intercanister.Mailbox
	choice intercanister.Choice
	resume bool
}

// Step makes one legal delivery, which the oracle chooses, and applies its outcome. It opens a round if none is open,
// and closes the open one if no delivery is left; it returns false if it closed a round and another would find nothing
// to do. Round completes a round that steps have begun.
func (n *Network) Step(oracle Oracle) bool { return n.StepWith(StepFaults{}, oracle) }

// StepFaults is what may happen to the message of one step on a network under load. A message that resumes keeps the
// faults with which it began.
type StepFaults struct {
	Callback canister.Exhaustion // of a callback's instructions
	NoCalls  bool                // the canister has the maximum number of open calls: ic0.call_perform does not return 0
}

// StepWith is Step for a message with faults. They do not affect steps that close a round or run the management
// canister.
func (n *Network) StepWith(faults StepFaults, oracle Oracle) bool {
	opened := n.begin()
	moves, shown := n.moves()
	if len(moves) == 0 {
		n.end(opened, roundEnded)
		return n.Activity().HasDueWork
	}
	i := oracle.Choose(shown)
	if i < 0 || i >= len(moves) {
		panic(fmt.Sprintf("replica: the oracle chose move %d of %d", i, len(moves)))
	}
	chosen := moves[i]
	chosen.make(faults)
	if n.journal != nil {
		n.recordMove(opened, record{kind: moveMade, position: uint64(i), faults: faults})
	}
	return true
}

// EndRound ends the open round, as if its limits were reached: the remaining messages wait for the next one. If no
// round is open, it does nothing.
func (n *Network) EndRound() {
	if n.open {
		n.end(false, roundCut)
	}
}

// Moves returns the legal next deliveries of the open round, in the order in which Round would make them.
func (n *Network) Moves() []Move {
	if !n.open {
		return nil
	}
	_, shown := n.moves()
	return slices.Clone(shown)
}

// moves returns the moves of the first subnet that has any: subnets do not share state within a round, so their order
// makes no difference. They are valid until the next call.
func (n *Network) moves() ([]move, []Move) {
	moves, shown := n.legal[:0], n.shown[:0]
	for i, m := range n.subnets {
		if !m.nextBatch() {
			continue
		}
		m.mailboxes = m.Ready.Waiting(m.mailboxes[:0])
		for _, box := range m.mailboxes {
			if box.Resume {
				moves = append(moves, move{m, box, intercanister.Choice{}, true})
				shown = append(shown, Move{Subnet: i, Receiver: nameOf(box.Owner), Kind: MoveResume})
				continue
			}
			m.choices = box.Choices(m.choices[:0])
			for _, c := range m.choices {
				moves = append(moves, move{m, box, c, false})
				shown = append(shown, show(i, box.Owner, c))
			}
		}
		if len(moves) > 0 {
			break
		}
	}
	n.legal, n.shown = moves, shown
	return moves, shown
}

func show(subnet int, receiver principal.Principal, c intercanister.Choice) Move {
	m := Move{Subnet: subnet, Receiver: nameOf(receiver)}
	switch c.Source {
	case intercanister.SourceTasks:
		m.Kind, m.Number = MoveTask, uint64(c.Task)
	case intercanister.SourceResponses:
		m.Kind, m.Number = MoveResponse, uint64(c.Call)
	case intercanister.SourceIngress:
		m.Kind, m.Number = MoveIngress, c.Number
	case intercanister.SourceRequests:
		m.Kind, m.Sender = MoveRequest, nameOf(c.Sender)
	}
	return m
}

func nameOf(p principal.Principal) (name PrincipalBytes) {
	name[0] = byte(p.Len())
	p.Append(name[1:1])
	return name
}

func (v *move) make(faults StepFaults) {
	m := v.subnet
	m.Ready.Remove(v.box)
	if v.box == &m.ManagementCalls {
		m.command(&v.choice)
		return
	}
	choice := &v.choice
	if v.resume {
		choice = nil
	}
	j := m.nextJob(v.box, choice)
	if j.Callback && !v.resume {
		j.Message.Exhausted = faults.Callback
	}
	if faults.NoCalls && !v.resume {
		j.Message.Callbacks = 0
	}
	if j.runs() {
		m.running = append(m.running[:0], j)
		m.net.runner.Run(m.running)
	}
	m.finish(j)
}
