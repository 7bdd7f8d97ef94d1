package instance

import (
	"context"
	"fmt"
	"time"

	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/driver"
)

// Advance is a request to move time ahead.
type Advance struct {
	By   time.Duration // positive; 0: to the next timer, or else to the next event
	Jump bool          // to that time in one round; else events on the way happen at their own times
}

// Advanced is the time of an instance after an advance, and the work on the way.
type Advanced struct {
	Time             uint64 // of the last round; of the next after a jump
	Rounds, Messages uint64
}

// Advance moves time ahead. If the wall clock also moves it, it continues from there: a duration raises the offset by
// its amount, however long the rounds on the way take. The error may be a refusal (NoTimer, BadField).
func (i *Instance) Advance(ctx context.Context, a Advance) (Advanced, error) {
	offset := i.Offset() + a.By
	target, err := i.target(ctx, a.By)
	if err != nil {
		return Advanced{}, err
	}
	if a.Jump {
		return Advanced{Time: target}, i.jump(ctx, target, offset)
	}
	p := newTimeAdvance(i.driver)
	var at uint64
	done, err := i.runRounds(ctx, func(n *replica.Network) driver.Next {
		at = n.Activity().Time
		next := p.to(n, target)
		if next == driver.Stop {
			i.PutAhead(offset)
		}
		return next
	})
	if err != nil {
		return Advanced{}, err
	}
	return Advanced{at, done.Rounds, done.Messages}, nil
}

// target returns the time after a duration, or the time of the next timer for 0.
func (i *Instance) target(ctx context.Context, by time.Duration) (uint64, error) {
	if by > 0 {
		now, err := driver.Ask(ctx, i.driver, i.now)
		if err == nil && uint64(by/time.Second) >= (Latest-now)/uint64(time.Second) {
			err = BadField.Refuse("duration", fmt.Sprintf("%ds", by/time.Second), "times end in 2262")
		}
		return now + uint64(by), err
	}
	at, err := driver.Ask(ctx, i.driver, func(n *replica.Network) uint64 {
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
	// roundTime is how much time passes if an event was already due before: a canister whose timer fires again at once.
	// About mainnet's time between two rounds.
	roundTime = 1_000_000_000
	// roundsAtOnce limits the rounds between two jumps that count (driver.Rounds), after which time passes although
	// work is left: canisters that call themselves endlessly. Ours.
	roundsAtOnce = 1000
)

// timeAdvance lets the time of a network pass naturally: work that falls due on the way runs at its own time, and so do
// its consequences. The owner of the network calls its methods between two rounds. Canisters pay for their resources,
// and old answers are forgotten, only when it stops for something else.
type timeAdvance struct {
	driver *driver.Driver
	// rounds counts the rounds since the last jump. The wall clock does not reset it: otherwise, with rounds slow
	// enough, the count never reaches its limit, and a canister that is never done blocks the advance forever.
	rounds driver.Rounds
}

func newTimeAdvance(d *driver.Driver) timeAdvance {
	return timeAdvance{driver: d, rounds: driver.AtMost(roundsAtOnce)}
}

// settle returns Go or Linger while there is work at the present time.
func (p *timeAdvance) settle(n *replica.Network) driver.Next {
	next := p.driver.Present()
	if next != driver.Go || p.rounds.Take(n) {
		return next
	}
	if waits := n.ExternalWaits(); waits.Compiling > 0 || waits.Mocked > 0 {
		return driver.Linger
	}
	return driver.Stop
}

// to continues towards a time; it returns Stop when a round ran there and no work is left.
func (p *timeAdvance) to(n *replica.Network, target uint64) driver.Next {
	if next := p.settle(n); next != driver.Stop {
		return next
	}
	now := n.Activity().Time
	if now >= target {
		return driver.Stop
	}
	p.jump(n, target)
	return driver.Go
}

// jump sets the time of the next round to the next event, at most the target.
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
	p.rounds = driver.AtMost(roundsAtOnce)
}
