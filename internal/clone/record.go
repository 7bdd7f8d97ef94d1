package clone

import (
	"context"
	"errors"
	"fmt"

	"github.com/canisterd/canisterd/candid/did"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/candid/generated"
	"github.com/canisterd/canisterd/internal/standin"
)

// Asker reads of a canister what a network shows to others than its controllers. It is safe for concurrent use.
type Asker interface {
	// Query queries a method.
	Query(ctx context.Context, canister principal.Principal, method string, argument []byte) ([]byte, error)
	// Interface returns the Candid interface of a canister, "" if the network does not show it.
	Interface(ctx context.Context, canister principal.Principal) (string, error)
	// ModuleHash returns the SHA-256 of the module of a canister, nil if it has none.
	ModuleHash(ctx context.Context, canister principal.Principal) ([]byte, error)
}

// Query is a query whose answer is recorded.
type Query struct {
	Method   string
	Argument []byte
}

// noArguments is the Candid form of an argument without values.
var noArguments = []byte("DIDL\x00\x00")

// Recording returns a recording of a canister without replies.
func (s *Source) Recording(ctx context.Context, canister principal.Principal) (*standin.Recording, error) {
	text, err := s.Asker.Interface(ctx, canister)
	if err != nil {
		return nil, err
	}
	if _, err := did.Parse(text); err != nil {
		text = "" // what others than canisterd read in another way is no interface for it
	}
	return &standin.Recording{Canister: canister, From: s.From, Network: s.Network, Interface: text}, nil
}

// Record asks a query and adds the answer to a recording. The error is the reject of a query that the canister did not
// answer itself, for example because it trapped.
func (s *Source) Record(ctx context.Context, r *standin.Recording, q Query) error {
	switch {
	case r.Network != s.Network:
		return fmt.Errorf("the replies of %s were recorded from another network (%s): remove them with canisterd clone forget %[1]s", r.Canister, r.From)
	case len(r.Replies) >= standin.MaxReplies:
		return fmt.Errorf("%d replies of %s are recorded, and that is the limit", len(r.Replies), r.Canister)
	}
	reply, err := s.Asker.Query(ctx, r.Canister, q.Method, q.Argument)
	if answer, is := errors.AsType[*AnsweredError](err); is && answer.Canister != "" {
		r.Add(standin.Reply{Method: q.Method, Argument: q.Argument, Reject: answer.Canister})
		return nil
	}
	if err != nil {
		return err
	}
	if reply == nil {
		reply = []byte{}
	}
	r.Add(standin.Reply{Method: q.Method, Argument: q.Argument, Reply: reply})
	return nil
}

// withoutArguments returns the queries of an interface that take no arguments.
func withoutArguments(description string) (all []Query) {
	f, err := did.Parse(description)
	if err != nil {
		return nil // it is not known
	}
	for _, m := range f.Methods() {
		if standin.IsQuery(m) && len(m.Args) == 0 && !generated.Method(m.Name) {
			all = append(all, Query{m.Name, noArguments})
		}
	}
	return all
}

// StandIn records a stand-in for a canister: the queries without arguments, and those given, beside what is known already.
// Queries that the canister does not answer are left out. nil: nothing of the canister is known.
func (s *Source) StandIn(ctx context.Context, canister principal.Principal, known *standin.Recording, queries []Query) (*standin.Recording, error) {
	if s.Asker == nil {
		return nil, nil
	}
	r, err := s.Recording(ctx, canister)
	switch {
	case isAnswer(err):
		return nil, nil // the network does not have the canister
	case err != nil:
		return nil, err
	}
	if known != nil && known.Network == s.Network {
		r.Replies = known.Replies
	}
	for _, q := range append(withoutArguments(r.Interface), queries...) {
		if err := s.Record(ctx, r, q); err != nil && !isAnswer(err) {
			return nil, err
		}
	}
	if r.Interface == "" && len(r.Replies) == 0 {
		return nil, nil
	}
	return r, nil
}
