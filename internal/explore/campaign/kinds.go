package campaign

import (
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/explore/harness"
	"github.com/canisterd/canisterd/replica"
)

// kinds numbers the kinds of messages and the canisters that execute them, from 0 in the order of their first use.
type kinds struct {
	messages  map[kindOfMessage]kind
	canisters map[principal.Principal]int32
}

// kindOfMessage has the properties that all messages of a kind share.
type kindOfMessage struct {
	canister         principal.Principal
	method           string
	kind             replica.MoveKind
	fault            harness.FaultKind
	rejected, failed bool
}

// kind is the number of a kind of messages. Numbers are much faster to compare than the properties.
type kind struct {
	number   int32
	canister int32 // the number of the canister
}

func newKinds() kinds {
	return kinds{make(map[kindOfMessage]kind), make(map[principal.Principal]int32)}
}

// of returns the kind of a message. The first message of a kind gets the next number.
func (k *kinds) of(s *harness.Step) kind {
	of := kindOfMessage{s.Canister, s.Method, s.Kind, s.Fault, s.Rejected != nil, s.Failure != nil}
	known, found := k.messages[of]
	if found {
		return known
	}
	at, found := k.canisters[s.Canister]
	if !found {
		at = int32(len(k.canisters))
		k.canisters[s.Canister] = at
	}
	known = kind{int32(len(k.messages)), at}
	k.messages[of] = known
	return known
}
