package canistertest

import "fmt"

// turn calls B, and does the same again where the answer comes, until the register is 0. In bytes it is the first 102 of
// the heap.
const turn = `if less(get, 1) {reply "done"}; ` +
	`if get {set subtract(get, 1); call-new B, "run", heap-read(0, 102), {}; call-data {reply}; drop perform}`

// Turns is the text of a program for A that calls B a number of times, one call after the other, and then replies "done":
// two messages for each call, and one more.
func Turns(count int) string { return fmt.Sprintf("set %d; heap-write 0, {%s}; %s", count, turn, turn) }
