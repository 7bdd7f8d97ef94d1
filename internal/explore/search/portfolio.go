package search

import "math/rand/v2"

// Share is a strategy with its share of the runs.
type Share struct {
	Strategy Strategy
	Parts    int
}

// Portfolio draws a strategy for each run, in proportion to the shares.
func Portfolio(shares ...Share) Strategy {
	sum := 0
	for _, s := range shares {
		sum += s.Parts
	}
	return Strategy{Name: "portfolio", Begin: func(chance *rand.Rand, seen *Profile) Picker {
		n := chance.IntN(sum)
		for _, s := range shares {
			if n -= s.Parts; n < 0 {
				return s.Strategy.Begin(chance, seen)
			}
		}
		panic("search: no share was drawn")
	}}
}

// Mixed is the portfolio for runs that are too long to enumerate. Which strategy finds a bug soonest depends on the bug;
// random walk is a tenth in any case.
func Mixed() Strategy {
	return Portfolio(
		Share{POS(), 30}, Share{PCT(1), 12}, Share{PCT(2), 12}, Share{PCT(3), 11}, Share{SURW(), 25}, Share{Random(), 10},
	)
}

// Default is the default strategy of explorations: Mixed, with guidance.
func Default() Strategy { return Strategy{Name: "guided", Begin: Mixed().Begin, Guided: true} }
