package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/canisterd/canisterd/api/control/remote"
	"github.com/canisterd/canisterd/internal/control/observe"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// suggestFlags are the flags of canisterd explore suggest.
type suggestFlags struct {
	before, operations []string
	snapshot           string
}

// suggested is what canisterd explore suggest prints.
type suggested struct {
	Answers     []answered           `json:"answers"`
	Suggestions []observe.Suggestion `json:"suggestions"`
}

// answered is a call with its answer as text.
type answered struct {
	Operation string `json:"operation"`
	Answer    string `json:"answer"`
}

func (c *cli) exploreSuggest() *cobra.Command {
	var f suggestFlags
	cmd := &cobra.Command{
		Use:   "suggest",
		Short: "Suggest invariants from what some calls conserve",
		Long: `Make calls one after the other on a fork of the instance, and suggest invariants from
what stayed the same after each of them: sums and numbers that queries without arguments
return. The instance does not change. A suggestion is a guess: check that it must hold,
and pass it to canisterd explore --invariant.

Flags override the explore section of canisterd.yaml.`,
		Example: `  canisterd explore suggest --op 'bank withdraw 60' --op 'bank withdraw 60'
  canisterd explore suggest --before 'bank deposit 100' --op 'bank withdraw 100' --json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := c.takeSection(cmd); err != nil {
				return err
			}
			return c.connected(cmd.Context(), func(ctx context.Context, d *remote.Daemon) error {
				s, err := f.suggest(ctx, c, d)
				if err != nil {
					return err
				}
				return c.print(s.text(c), s)
			})
		},
	}
	flags := cmd.Flags()
	flags.StringArrayVar(&f.operations, "op", nil, "call after which numbers are compared, 'CANISTER METHOD [ARGUMENTS] [as PRINCIPAL]'; repeatable, made in this order")
	flags.StringArrayVar(&f.before, "before", nil, "call to make before the first comparison, written as --op; repeatable")
	flags.StringVar(&f.snapshot, "snapshot", "", "begin at a snapshot of the instance instead of its current state")
	c.allowOutside(cmd)
	c.selectNetwork(cmd)
	return cmd
}

// suggest makes the calls on a fork, and compares the states after them.
func (f *suggestFlags) suggest(ctx context.Context, c *cli, d *remote.Daemon) (s *suggested, err error) {
	if len(f.operations) == 0 {
		return nil, errors.New("no operations: pass --op, such as --op 'bank withdraw 100'")
	}
	var calls []*controlv1.ExploreOperation
	for _, text := range slices.Concat(f.before, f.operations) {
		o, err := c.operation(text)
		if err != nil {
			return nil, fmt.Errorf("operation %q: %w", text, err)
		}
		if o.GetDrawn() {
			return nil, fmt.Errorf("operation %q: suggest draws no arguments: write them in place of ?", text)
		}
		calls = append(calls, o)
	}
	made, err := d.Instances.ForkInstance(ctx, &controlv1.ForkInstanceRequest{Instance: c.instance, Snapshot: f.snapshot, Ephemeral: true})
	if err != nil {
		return nil, err
	}
	fork := *c
	fork.instance = made.GetInstance().GetName()
	defer c.deleteLeased(ctx, d, fork.instance)
	var all []observe.Canister
	for _, name := range sortedKeys(c.known().ids) {
		one, err := observe.Describe(ctx, d, fork.instance, name, c.known().ids[name])
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	s = new(suggested)
	var states []observe.State
	for i, o := range calls {
		if i == len(f.before) {
			states = append(states, fork.observe(ctx, d, all))
		}
		s.Answers = append(s.Answers, answered{o.GetTitle(), fork.answer(ctx, d, o.GetCall())})
		if i >= len(f.before) {
			states = append(states, fork.observe(ctx, d, all))
		}
	}
	if s.Suggestions, err = observe.Suggest(states); err != nil {
		return nil, fmt.Errorf("%w\n%s", err, strings.TrimRight(s.answers(), "\n"))
	}
	return s, nil
}

// observe makes the queries without arguments of canisters.
func (c *cli) observe(ctx context.Context, d *remote.Daemon, all []observe.Canister) observe.State {
	return observe.Read(all, func(call *controlv1.Call) string {
		var err error
		if call.Sender, err = c.sender(); err != nil {
			return err.Error()
		}
		got, err := d.Calls.Query(ctx, &controlv1.QueryRequest{Instance: c.instance, Call: call})
		return c.outcomeText(ctx, got.GetOutcome(), err)
	})
}

// answer makes an update call, and returns the answer as text. A call that waits for time to pass stays open.
func (c *cli) answer(ctx context.Context, d *remote.Daemon, call *controlv1.Call) string {
	call.ReplyForm = controlv1.Form_FORM_TEXT
	got, err := d.Calls.Update(ctx, &controlv1.UpdateRequest{Instance: c.instance, Call: call, NoWait: true})
	return c.outcomeText(ctx, got.GetOutcome(), err)
}

// outcomeText returns the answer to a call as text.
func (c *cli) outcomeText(ctx context.Context, outcome *controlv1.Outcome, err error) string {
	switch reason, _ := remote.Reason(err); {
	case reason == unansweredReason:
		return "still open"
	case err != nil:
		return "not called: " + c.refusalText(ctx, err)
	}
	reply, err := remote.Reply(outcome)
	if reject, is := err.(*remote.Reject); is {
		return c.withNames(reject.Summary())
	}
	return reply.GetText()
}

// answers lists the calls with their answers.
func (s *suggested) answers() string {
	var text strings.Builder
	for _, a := range s.Answers {
		fmt.Fprintf(&text, "%s: %s\n", a.Operation, a.Answer)
	}
	return text.String()
}

// text lists the suggestions for people.
func (s *suggested) text(c *cli) string {
	t := c.table("INVARIANT", "SEEN")
	for _, one := range s.Suggestions {
		for i, invariant := range one.Invariants {
			seen := ""
			if i == 0 {
				seen = one.Seen
			}
			t.row(invariant, seen)
		}
	}
	return s.answers() + t.String()
}
