package instance

import (
	"context"
	"fmt"
	"time"

	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/node"
)

// Advance says how time moves ahead.
type Advance struct {
	By   time.Duration // positive; 0: to when the next timer fires, or else something is due
	Jump bool          // the next round is at that time; else what is due on the way is done at its own
}

// Advanced is where the time of an instance stands, and what was done on the way.
type Advanced struct {
	Time             uint64 // of the last round; of the next after a jump
	Rounds, Messages uint64
}

// Advance moves time ahead. Where the wall clock moves it too, that goes on from there: a
// duration makes the offset larger by as much, however long the rounds on the way take. The
// error may be a refusal (NoTimer, BadField).
func (i *Instance) Advance(ctx context.Context, a Advance) (Advanced, error) {
	offset := i.Offset() + a.By
	target, err := i.target(ctx, a.By)
	if err != nil {
		return Advanced{}, err
	}
	if a.Jump {
		return Advanced{Time: target}, i.jump(ctx, target, offset)
	}
	var p timeAdvance
	var at uint64
	done, err := i.drive(ctx, func(n *replica.Network) node.Next {
		at = n.Activity().Time
		next := p.to(n, target)
		if next == node.Stop {
			i.PutAhead(offset)
		}
		return next
	})
	if err != nil {
		return Advanced{}, err
	}
	return Advanced{at, done.Rounds, done.Messages}, nil
}

// target is the time that is so much later, or the time of the next timer.
func (i *Instance) target(ctx context.Context, by time.Duration) (uint64, error) {
	if by > 0 {
		now, err := Look(ctx, i, i.now)
		if err == nil && uint64(by/time.Second) >= (Latest-now)/uint64(time.Second) {
			err = BadField.Refuse("duration", fmt.Sprintf("%ds", by/time.Second), "times end in 2262")
		}
		return now + uint64(by), err
	}
	at, err := Look(ctx, i, func(n *replica.Network) uint64 {
		at, ok := n.NextOf(replica.GlobalTimers)
		if !ok {
			at, ok = n.NextOf(replica.Events)
		}
		if !ok {
			return 0
		}
		return max(at, n.Activity().NextTime, i.backend.Clock().Now)
	})
	if err == nil && at == 0 {
		err = NoTimer.Refuse(i.name)
	}
	return at, err
}

const (
	// roundTime is how much time passes where something is due that has been due
	// before: a canister whose timer fires again at once. About mainnet's time
	// between two rounds.
	roundTime = 1_000_000_000
	// roundsAtOnce is how many rounds are run at one moment before time goes on
	// although work is left: canisters that call themselves without end. Ours.
	roundsAtOnce = 1000
)

// timeAdvance lets the time of a network pass as it would pass by itself: work that falls due on the way is done at its
// own time, and so is what follows from it. The owner of the network calls its methods between two rounds. Canisters
// pay for their resources, and old answers are forgotten, only when it stops for something else.
type timeAdvance struct {
	moment uint64 // time of the rounds that are being run
	rounds int    // run there
}

// settle is Go or Linger as long as something is to be done at the present time.
func (p *timeAdvance) settle(n *replica.Network) node.Next {
	at := n.Activity().NextTime
	// Rounds at one moment are a nanosecond apart, those that others run there too.
	if at > p.moment+roundTime {
		p.moment, p.rounds = at, 0
	}
	if n.Activity().Pressing && p.rounds < roundsAtOnce {
		p.rounds++
		return node.Go
	}
	if waits := n.Outside(); waits.Compiling > 0 || waits.Mocked > 0 {
		return node.Linger
	}
	return node.Stop
}

// to goes on towards a time; it is Stop when a round was run there and nothing is left
// to be done.
func (p *timeAdvance) to(n *replica.Network, target uint64) node.Next {
	if next := p.settle(n); next != node.Stop {
		return next
	}
	now := n.Activity().Time
	if now >= target {
		return node.Stop
	}
	p.jump(n, target)
	return node.Go
}

// jump sets the time of the next round to when something happens, at most the target.
func (p *timeAdvance) jump(n *replica.Network, target uint64) {
	now := n.Activity().Time
	at, ok := n.NextOf(replica.Events)
	switch {
	case !ok:
		at = target
	case at <= now:
		at = now + roundTime
	}
	n.Apply(replica.AdvanceTo(min(at, target)))
	p.moment, p.rounds = 0, 0
}
