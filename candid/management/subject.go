package management

import (
	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/principal"
)

// Subject has the canisters that an argument of a method is about; nil: none.
type Subject struct {
	Canister  *principal.Principal `ic:"canister_id"`
	Target    *principal.Principal `ic:"target_canister"`
	Specified *principal.Principal `ic:"specified_id"`
}

// ReadSubject returns the subject of an argument, which is empty for an argument without such fields.
func ReadSubject(arg []byte) Subject {
	var s Subject
	if candid.Unmarshal(arg, &s) != nil {
		return Subject{}
	}
	return s
}

// EffectiveCanister returns the canister by which a call is routed (interface specification, "Effective canister id"):
// the subject of its argument, or else the default canister of the network.
func EffectiveCanister(arg []byte, defaultCanister principal.Principal) principal.Principal {
	s := ReadSubject(arg)
	for _, id := range []*principal.Principal{s.Canister, s.Target, s.Specified} {
		if id != nil {
			return *id
		}
	}
	return defaultCanister
}
