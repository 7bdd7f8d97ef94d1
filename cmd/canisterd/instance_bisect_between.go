package main

import (
	"context"
	"fmt"
	"slices"
)

// maxBetween is how many rounds between the ends of a search are looked at if both have the same answer.
const maxBetween = 32

// span is a range of rounds with the answers after both ends.
type span struct {
	from, to    uint64
	first, last probe
}

// between returns the error for a range that ends with the answer that it begins with: whether the answer was another
// one in between, and where to search then. is is the answer to find, "" for any other.
func (b *bisection) between(ctx context.Context, s span, is string, changed func(probe) bool) error {
	rounds := b.roundsBetween(s.from, s.to)
	for _, round := range rounds {
		now, err := b.answer(ctx, round)
		if err != nil {
			return err
		}
		switch {
		case changed(now) && is != "":
			return fmt.Errorf("the answer is %s after round %d, but %s after round %d: it changed and changed back; --to %d finds the first change", now.shown, round, s.last.shown, s.to, round)
		case changed(now):
			return fmt.Errorf("the answer is %s after round %d and %s after round %d, but %s after round %d: it changed and changed back; --to %[6]d finds the first change, --from %[6]d the change back",
				s.first.shown, s.from, s.last.shown, s.to, now.shown, round)
		}
	}
	looked := ""
	if all := s.to - s.from - 1; all > uint64(len(rounds)) {
		looked = fmt.Sprintf("%d of the %d rounds in between were looked at; ", len(rounds), all)
	}
	if is != "" {
		return fmt.Errorf("the answer is %s after round %d, not %s: use a --to with that answer (%scanisterd instance history lists the rounds)", s.last.shown, s.to, is, looked)
	}
	return fmt.Errorf("the answer is %s after round %d and %s after round %d: it does not change (%scanisterd instance history lists the rounds)", s.first.shown, s.from, s.last.shown, s.to, looked)
}

// roundsBetween returns rounds within a range, at most maxBetween in their order: those that executed what clients gave
// first, then others at equal distances.
func (b *bisection) roundsBetween(from, to uint64) (rounds []uint64) {
	add := func(round uint64) {
		if round > from && round < to && !slices.Contains(rounds, round) {
			rounds = append(rounds, round)
		}
	}
	for _, in := range b.past.GetInputs() {
		add(in.GetHeight() + 1)
	}
	if n := len(rounds); n > maxBetween {
		all := rounds
		rounds = nil
		for i := range maxBetween {
			rounds = append(rounds, all[i*n/maxBetween])
		}
	}
	for i := uint64(1); i <= maxBetween && len(rounds) < maxBetween; i++ {
		add(from + max(1, (to-from)/(maxBetween+1))*i)
	}
	slices.Sort(rounds)
	return rounds
}
