package driver

import "github.com/canisterd/canisterd/replica"

// Present returns what the work at the present time asks a driver for: Go for a round, Linger for something that comes
// from outside by itself, such as a module or the answer of a mock; Stop if nothing more happens before time passes or
// a client does something. The owner of the network calls it.
func (d *Driver) Present() Next {
	if d.network.HasRunnableWork() || d.compiler.delaying() {
		return Go
	}
	if waits := d.network.ExternalWaits(); waits.Compiling > 0 || waits.Mocked > 0 {
		return Linger
	}
	return Stop
}

// GoOrLinger is Present for drivers that wait for something that rounds, a client or the clock bring.
func (d *Driver) GoOrLinger() Next {
	if d.Present() == Go {
		return Go
	}
	return Linger
}

// Rounds counts the rounds that are run until something happens. Canisters that call themselves endlessly would
// otherwise be waited for without end.
//
// Long messages are no reason to give up, and a message that changes many pages takes hundreds of thousands of rounds.
// So a round counts only when all messages have ended that were running when the last one counted. Every message ends
// at its limit of instructions: what goes on without end makes messages without end, and they count.
type Rounds struct {
	most, counted uint64
	last          uint64 // height before the last round that counted
}

// AtMost returns a count with a limit.
func AtMost(most uint64) Rounds { return Rounds{most: most} }

// Take reports whether another round is within the limit, and counts it. The owner of the network calls it before the
// round.
func (r *Rounds) Take(n *replica.Network) bool {
	if r.counted > 0 && n.RunningSince(r.last) {
		return true
	}
	if r.counted == r.most {
		return false
	}
	r.counted++
	r.last = n.Activity().Height
	return true
}
