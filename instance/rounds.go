package instance

import (
	"context"

	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/driver"
)

// Ran is the result of some rounds, and the instance's state after them.
type Ran struct {
	driver.Work
	Time, Height uint64 // of the last round
	Busy         bool   // another round would do something
}

// RunRounds runs rounds now, at least one. The error may be a refusal (BadField).
func (i *Instance) RunRounds(ctx context.Context, rounds uint64) (Ran, error) {
	if rounds > maxRunRounds {
		return Ran{}, BadField.Refuse("rounds", rounds, "at most 100,000 are run by one request")
	}
	var ran Ran
	left := max(1, rounds)
	done, err := i.driver.RunRounds(ctx, func(n *replica.Network) driver.Next {
		if left == 0 {
			activity := n.Activity()
			ran.Time, ran.Height, ran.Busy = activity.Time, activity.Height, activity.HasDueWork || i.driver.Present() == driver.Go
			return driver.Stop
		}
		left--
		i.CatchUp(n)
		return driver.Go
	})
	if err != nil {
		return Ran{}, err
	}
	ran.Work = done
	return ran, nil
}
