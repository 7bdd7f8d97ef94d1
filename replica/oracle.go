package replica

// MoveKind says what a move delivers.
type MoveKind uint8

const (
	MoveTask     MoveKind = iota + 1 // a heartbeat, a global timer, a low-memory hook
	MoveResponse                     // an answer to a call
	MoveIngress                      // a user's message
	MoveRequest                      // a call
	MoveResume                       // the next slice of a long message
)

// PrincipalBytes is a principal as oracles see it: its length and its bytes.
type PrincipalBytes [30]byte

// Move is one legal next delivery. Two moves of the same run with equal fields are the same delivery, so a schedule can
// be recorded and replayed.
type Move struct {
	Subnet   int            // position of the subnet in the network
	Receiver PrincipalBytes // the canister that runs; the empty name for the management canister
	Sender   PrincipalBytes // MoveRequest: the caller
	Number   uint64         // MoveResponse: the call; MoveIngress: the message; MoveTask: its kind
	Kind     MoveKind
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

// OracleFunc is a function that acts as an oracle.
type OracleFunc func(moves []Move) int

// Choose calls the function.
func (f OracleFunc) Choose(moves []Move) int { return f(moves) }
