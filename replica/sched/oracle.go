package sched

// Kind says what a move delivers.
type Kind uint8

const (
	Task     Kind = iota + 1 // a heartbeat, a global timer, a low-memory hook
	Response                 // an answer to a call
	Ingress                  // a user's message
	Request                  // a call
	Resume                   // the next slice of a long message
)

// Name is a principal in an oracle's eyes: its length and its bytes.
type Name [30]byte

// Move is one legal next delivery. Two moves of the same run with equal fields
// are the same delivery, so a schedule can be written down and replayed.
type Move struct {
	Subnet   int    // position of the subnet in the network
	Receiver Name   // the canister that runs; the empty name for the management canister
	Sender   Name   // Request: who called
	Number   uint64 // Response: the call; Ingress: the message; Task: which one
	Kind     Kind
}

// Oracle chooses which move happens next.
type Oracle interface {
	// Choose is the position of the chosen move. There is always at least one,
	// and the slice is good only until Choose returns.
	Choose(moves []Move) int
}

// FIFO takes what has waited longest, which makes the step driver do what the
// round driver does.
type FIFO struct{}

// Choose takes the first move.
func (FIFO) Choose([]Move) int { return 0 }

// Func is an oracle made of a function.
type Func func(moves []Move) int

// Choose asks the function.
func (f Func) Choose(moves []Move) int { return f(moves) }
