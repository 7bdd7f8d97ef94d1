package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/canisterd/canisterd/api/control/remote"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// bisection is a search for the first round after which a call has another answer.
type bisection struct {
	c      *cli
	d      *remote.Daemon
	call   *controlv1.Call
	update bool
	is     string // the answer that is looked for; "": any other than the first
	lease  string
	asked  int
}

// bisected is what a search has found.
type bisected struct {
	Round  uint64            `json:"round"`
	Before string            `json:"before"`
	After  string            `json:"after"`
	Forks  int               `json:"forks"`
	Inputs []bisectedByInput `json:"inputs"`
}

// bisectedByInput is an input that came before the round that was found, or a message whose code failed in it.
type bisectedByInput struct {
	Kind     string `json:"kind"`
	Request  string `json:"request_id,omitempty"`
	Canister string `json:"canister_id,omitempty"`
	Method   string `json:"method,omitempty"`
	Sender   string `json:"sender,omitempty"`
	Error    string `json:"error_code,omitempty"` // of a trap
	Text     string `json:"text,omitempty"`       // of a trap
}

func (c *cli) instanceBisect() *cobra.Command {
	var f callFlags
	var from, to uint64
	var is string
	var update bool
	cmd := &cobra.Command{
		Use:   "bisect CANISTER METHOD [ARGUMENTS]",
		Short: "Find the first round after which a query has another answer",
		Long: `Find the first round after which a query has another answer than before, in the
history of an instance that is kept in a state directory. Each probe is a fork at
a past round, which ends with the command: the instance itself is not changed.

With --is, the search is for the first round after which the query has this
answer. The answer may change only once between the two ends of the search;
otherwise one of the changes is found.`,
		Example: `  canisterd instance bisect bank balance
  canisterd instance bisect bank solvent --is '(false)'
  canisterd instance bisect bank withdraw 100 --update --from 20 --to 60`,
		Args: cobra.RangeArgs(2, 3),
		RunE: func(cmd *cobra.Command, args []string) error {
			call, err := f.call(c, args)
			if err != nil {
				return err
			}
			return c.connected(cmd.Context(), func(ctx context.Context, d *remote.Daemon) error {
				lease, err := d.HoldLease(ctx)
				if err != nil {
					return err
				}
				defer lease.Release()
				b := &bisection{c: c, d: d, call: call, update: update, is: is, lease: lease.ID()}
				past, err := history(ctx, d, c.instance)
				if err != nil {
					return err
				}
				if !cmd.Flags().Changed("from") {
					from = past.GetFirstHeight()
				}
				if !cmd.Flags().Changed("to") {
					to = past.GetLastHeight()
				}
				found, err := b.search(ctx, from, to)
				if err != nil {
					return err
				}
				found.explain(past)
				return c.print(found.text(), found)
			})
		},
	}
	f.add(cmd)
	cmd.Flags().Uint64Var(&from, "from", 0, "round at which the search begins (default: the oldest that the journal has)")
	cmd.Flags().Uint64Var(&to, "to", 0, "round at which the search ends (default: the newest)")
	cmd.Flags().StringVar(&is, "is", "", "the answer that is looked for, as canister query prints it (default: any other than the first)")
	cmd.Flags().BoolVar(&update, "update", false, "make an update call in each fork, and not a query")
	return sending(cmd)
}

// search finds the first round in a range after which the answer is another one.
func (b *bisection) search(ctx context.Context, from, to uint64) (*bisected, error) {
	if from >= to {
		return nil, fmt.Errorf("nothing to search from round %d to round %d: give a later --to or an earlier --from", from, to)
	}
	first, err := b.answer(ctx, from)
	if err != nil {
		return nil, err
	}
	last, err := b.answer(ctx, to)
	if err != nil {
		return nil, err
	}
	changed := func(answer string) bool { return b.is == "" && answer != first || b.is != "" && answer == b.is }
	switch {
	case changed(first):
		return nil, fmt.Errorf("the answer is %s after round %d already: give an earlier --from", first, from)
	case !changed(last) && b.is != "":
		return nil, fmt.Errorf("the answer is %s after round %d, and not %s: give a round after which it is (--to)", last, to, b.is)
	case !changed(last):
		return nil, fmt.Errorf("the answer is %s after round %d and %s after round %d: it does not become another one there (canisterd instance history lists the rounds)", first, from, last, to)
	}
	found := &bisected{Before: first, After: last}
	for from+1 < to {
		middle := from + (to-from)/2
		answer, err := b.answer(ctx, middle)
		if err != nil {
			return nil, err
		}
		if changed(answer) {
			to, found.After = middle, answer
		} else {
			from, found.Before = middle, answer
		}
	}
	found.Round, found.Forks = to, b.asked
	return found, nil
}

// answer is the answer of the call in a fork at a round.
func (b *bisection) answer(ctx context.Context, round uint64) (text string, err error) {
	made, err := b.d.Instances.ForkInstance(ctx, &controlv1.ForkInstanceRequest{
		Instance: b.c.instance, Lease: b.lease, At: &controlv1.ForkInstanceRequest_Height{Height: round},
		Pacing: &controlv1.Pacing{Mode: controlv1.PacingMode_PACING_MODE_MANUAL},
	})
	if err != nil {
		return "", err
	}
	b.asked++
	name := made.GetInstance().GetName()
	defer func() {
		_, ended := b.d.Instances.DeleteInstance(ctx, &controlv1.DeleteInstanceRequest{Instance: name})
		err = errors.Join(err, ended)
	}()
	var outcome *controlv1.Outcome
	if b.update {
		r, failed := b.d.Calls.Update(ctx, &controlv1.UpdateRequest{Instance: name, Call: b.call})
		outcome, err = r.GetOutcome(), failed
	} else {
		r, failed := b.d.Calls.Query(ctx, &controlv1.QueryRequest{Instance: name, Call: b.call})
		outcome, err = r.GetOutcome(), failed
	}
	switch status.Code(err) {
	case codes.OK:
	case codes.NotFound, codes.FailedPrecondition, codes.InvalidArgument: // there is no such canister or code yet
		return "none (" + strings.ReplaceAll(status.Convert(err).Message(), name, b.c.named(nil)) + ")", nil
	default:
		return "", err
	}
	return answerText(outcome), nil
}

// answerText is an answer in one line, as it is compared and shown.
func answerText(o *controlv1.Outcome) string {
	if r := o.GetReject(); r != nil {
		return fmt.Sprintf("rejected (%s)", r.GetErrorCode())
	}
	switch form := o.GetReply().GetForm().(type) {
	case *controlv1.Value_Text:
		return form.Text
	case *controlv1.Value_Json:
		return form.Json
	}
	return fmt.Sprintf("%x", o.GetReply().GetBytes())
}

// explain adds what was accepted just before the round that was found.
func (b *bisected) explain(h *controlv1.GetHistoryResponse) {
	b.Inputs = []bisectedByInput{}
	for _, in := range h.GetInputs() {
		if in.GetHeight()+1 == b.Round {
			b.Inputs = append(b.Inputs, bisectedByInput{in.GetKind(), fmt.Sprintf("%x", in.GetRequestId()), in.GetCanisterId(), in.GetMethod(), in.GetSender(), in.GetErrorCode(), in.GetText()})
		}
	}
}

func (b *bisected) text() string {
	var text strings.Builder
	fmt.Fprintf(&text, "round   %d (found with %s)\nbefore  %s\nafter   %s", b.Round, count(uint64(b.Forks), "fork"), b.Before, b.After)
	for _, in := range b.Inputs {
		if in.Error != "" {
			fmt.Fprintf(&text, "\ntrap    %s of %s: %s: %s", in.Method, in.Canister, in.Error, in.Text)
			continue
		}
		fmt.Fprintf(&text, "\ninput   %s", in.Kind)
		if in.Request != "" {
			fmt.Fprintf(&text, " %.8s: %s of %s, from %s", in.Request, in.Method, in.Canister, in.Sender)
		}
	}
	if len(b.Inputs) == 0 {
		text.WriteString("\ninput   none in this round: it went on with earlier ones, or with a timer")
	}
	return text.String()
}
