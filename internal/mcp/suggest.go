package mcp

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/canisterd/canisterd/internal/control/observe"
)

// suggestInput is what suggest takes.
type suggestInput struct {
	Operations []string `json:"operations" jsonschema:"as for explore"`
	Before     []string `json:"before,omitempty" jsonschema:"as for explore"`
	Instance   string   `json:"instance,omitempty"`
	detailed
}

// suggest runs operations one after another on a fork, and suggests as invariants what held after each of them.
func (s *Server) suggest(ctx context.Context, in suggestInput) (text string, err error) {
	of := s.namesOf(s.instanceOf(in.Instance))
	if len(in.Operations) == 0 {
		return "", errors.New("no operations: pass some, such as: bank withdraw 100")
	}
	fork, err := s.fork(ctx, of.instance, "", "")
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, s.remove(ctx, fork)) }()
	n := &names{instance: fork, ids: of.ids, principals: of.principals, sender: of.sender}
	all, _, err := s.canisters(ctx, n)
	if err != nil {
		return "", err
	}
	var answers strings.Builder
	run := func(texts []string, after func()) error {
		operations, err := operationsOf(texts, n)
		for _, o := range operations {
			outcome, failed := s.perform(ctx, n, o, kindOf(all, o.GetCall()))
			fmt.Fprintf(&answers, "%s: %s\n", o.GetTitle(), short(n.answer(outcome, failed)))
			after()
		}
		return err
	}
	if err := run(in.Before, func() {}); err != nil {
		return "", err
	}
	states := []observe.State{s.observe(ctx, n, all)}
	if err := run(in.Operations, func() { states = append(states, s.observe(ctx, n, all)) }); err != nil {
		return "", err
	}
	suggested, err := observe.Suggest(states)
	if err != nil {
		return "", fmt.Errorf("%w\n%s", err, answers.String())
	}
	text = "one after another\n" + answers.String()
	for _, one := range suggested {
		text += strings.Join(one.Invariants, "\n") + "\n  " + one.Seen + "\n"
	}
	return text, nil
}
