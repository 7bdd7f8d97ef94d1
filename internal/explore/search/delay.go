package search

import (
	"fmt"
	"math/rand/v2"
	"slices"
)

// Delays follows FIFO, except that it delays count random moves of a run and makes the next one instead (delay
// bounding: Emmi, Qadeer and Rakamarić, POPL 2011).
func Delays(count int) Strategy {
	return Strategy{Name: fmt.Sprintf("delays-%d", count), Begin: func(chance *rand.Rand, seen *Profile) Picker {
		skips := make([]int, count)
		for i := range skips {
			skips[i] = chance.IntN(max(1, seen.Moves))
		}
		return DelaysAt(skips)
	}}
}

// DelaysAt follows FIFO, but delays the first move at the given positions of the run. A position that is given n times
// skips n moves.
func DelaysAt(positions []int) Picker {
	positions = slices.Clone(positions)
	made := 0
	return PickerFunc(func(moves []Move) int {
		skip := 0
		for _, at := range positions {
			if at == made {
				skip++
			}
		}
		made++
		return skip % len(moves)
	})
}
