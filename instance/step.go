package instance

import (
	"context"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math/rand/v2"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/driver"
)

// Moves opens a round and returns the deliveries that may happen next. The error may be a refusal (NotManual).
func (i *Instance) Moves(ctx context.Context) (driver.Choices, error) {
	if err := i.byClients("listing moves"); err != nil {
		return driver.Choices{}, err
	}
	return i.driver.Choices(ctx)
}

// byClients refuses an operation unless only clients begin rounds.
func (i *Instance) byClients(what string) error {
	if p := i.Pacing(); !p.RoundsByClients() {
		return NotManual.Refuse(what, i.name, p.Mode)
	}
	return nil
}

// Choice chooses the next delivery.
type Choice struct {
	choose func(driver.Choices) int // negative for none
	what   string                   // was requested
}

// Oldest chooses the first delivery.
func Oldest() Choice { return Position(0) }

// Position chooses the delivery at a position of the list of Moves.
func Position(at uint32) Choice {
	return Choice{func(driver.Choices) int { return int(at) }, fmt.Sprintf("position %d", at)}
}

// Drawn chooses randomly by a seed and the moves, so that a client that always steps with the same seed does not take
// the same position again and again.
func Drawn(seed uint64) Choice {
	return Choice{choose: func(c driver.Choices) int {
		if len(c.Ahead) == 0 {
			return 0
		}
		h := fnv.New64a()
		h.Write(binary.BigEndian.AppendUint64(nil, c.Height))
		for i := range c.Ahead {
			m := &c.Ahead[i].Move
			h.Write(m.Receiver[:])
			h.Write(m.Sender[:])
			h.Write(binary.BigEndian.AppendUint64([]byte{byte(m.Kind)}, m.Number))
		}
		return rand.New(rand.NewPCG(seed, h.Sum64())).IntN(len(c.Ahead))
	}}
}

// Move is a delivery, described by the fields that are set.
type Move struct {
	Subnet, Receiver, Sender *principal.Principal
	Kind                     *replica.MoveKind
	Number                   uint64
	Method                   string
}

// Matching chooses the first delivery of a kind.
func Matching(wanted Move) Choice { return Choice{wanted.find, "the move asked for"} }

func (w Move) find(c driver.Choices) int {
	for i := range c.Ahead {
		if w.matches(&c.Ahead[i]) {
			return i
		}
	}
	return -1
}

func (w Move) matches(a *replica.Delivery) bool {
	switch {
	case w.Subnet != nil && *w.Subnet != a.Subnet, w.Receiver != nil && *w.Receiver != a.Receiver,
		w.Sender != nil && (*w.Sender != a.Sender || a.Move.Kind != replica.MoveRequest),
		w.Kind != nil && *w.Kind != a.Move.Kind, w.Number != 0 && w.Number != a.Move.Number,
		w.Method != "" && w.Method != a.Method:
		return false
	}
	return true
}

// Step makes one delivery, or closes the round if none is left. The error may be a refusal (NotManual, NoSuchMove).
func (i *Instance) Step(ctx context.Context, c Choice) (driver.Stepped, error) {
	if err := i.byClients("stepping"); err != nil {
		return driver.Stepped{}, err
	}
	left := make(chan int, 1)
	done, err := i.driver.Step(ctx, func(choices driver.Choices) int {
		left <- len(choices.Ahead)
		return c.choose(choices)
	})
	if err == nil && !done.Moved && !done.Closed {
		err = NoSuchMove.Refuse(c.what, <-left)
	}
	return done, err
}
