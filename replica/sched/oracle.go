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

// Name is a principal as oracles see it: its length and its bytes.
type Name [30]byte

// Move is one legal next delivery. Two moves of the same run with equal fields are the same delivery, so a schedule can
// be recorded and replayed.
type Move struct {
	Subnet   int    // position of the subnet in the network
	Receiver Name   // the canister that runs; the empty name for the management canister
	Sender   Name   // Request: the caller
	Number   uint64 // Response: the call; Ingress: the message; Task: its kind
	Kind     Kind
}

// Oracle chooses which move happens next.
type Oracle interface {
	// Choose returns the position of the chosen move. There is always at least one, and the slice is valid only until
	// Choose returns.
	Choose(moves []Move) int
}

// FIFO chooses the move that has waited longest, so that Step makes the moves of a round.
type FIFO struct{}

// Choose returns the first move.
func (FIFO) Choose([]Move) int { return 0 }

// Func is a function that acts as an oracle.
type Func func(moves []Move) int

// Choose calls the function.
func (f Func) Choose(moves []Move) int { return f(moves) }
