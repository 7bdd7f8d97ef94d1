package search

import "math/rand/v2"

// Random draws each move uniformly from those that are possible.
func Random() Strategy {
	return Strategy{Name: "random", Begin: func(chance *rand.Rand, _ *Profile) Picker {
		return PickerFunc(func(moves []Move) int { return chance.IntN(len(moves)) })
	}}
}
