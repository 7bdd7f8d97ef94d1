package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/canisterd/canisterd/api/control/remote"
	"github.com/canisterd/canisterd/internal/candid/relation"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// bisection is a search for the first round after which the answer to a call or an expression is different.
type bisection struct {
	c     *cli
	d     *remote.Daemon
	ask   func(ctx context.Context, d *remote.Daemon, instance string) (probe, error)
	is    string // the answer to find; "": any that differs from the first, or the last with atEnd
	atEnd bool   // without is, find the answer at the end
	lease string
	past  *controlv1.GetHistoryResponse
	forks int // made so far
}

// probe is the answer at one round. The search compares answers; shown adds the values that an answer comes from.
type probe struct {
	answer, shown string
	absent        bool // the canister, its code or its method does not exist, or there is no value
}

// absentCodes are the error codes of calls to a canister, method or code that does not exist (interface specification,
// "Error codes").
var absentCodes = []string{"IC0301", noSuchMethod, "IC0537"}

// bisectResult is the result of a search.
type bisectResult struct {
	Round  uint64        `json:"round"`
	Before string        `json:"before"`
	After  string        `json:"after"`
	Forks  int           `json:"forks"`
	Inputs []bisectInput `json:"inputs"`
}

// bisectInput is an input of the round that was found, or a message that trapped in it.
type bisectInput struct {
	Kind     string `json:"kind"`
	Request  string `json:"request_id,omitempty"`
	Canister string `json:"canister_id,omitempty"`
	Method   string `json:"method,omitempty"`
	Sender   string `json:"sender,omitempty"`
	Error    string `json:"error_code,omitempty"` // of a trap
	Text     string `json:"text,omitempty"`       // of a trap, or the name of a mark
}

func (c *cli) instanceBisect() *cobra.Command {
	var f callFlags
	var from, to, is string
	var update bool
	cmd := &cobra.Command{
		Use:   "bisect CANISTER METHOD [ARGUMENTS] | EXPRESSION",
		Short: "Find the round that changed the answer to a query or an expression",
		Long: `Find the first round after which a query or an expression has a different answer than
before, in the history of an instance with a state directory. Each probe is a fork at a
past round, which the command deletes; the instance itself does not change.

EXPRESSION is one argument, as for explore --invariant: two operands with one of
` + strings.Join(relation.All, " ") + ` between them. An operand is CANISTER.FIELD with a field of canister
status --json, CANISTER QUERY or CANISTER QUERY (ARGUMENTS), or a value. The search finds
the first round after which the expression has the value that it has at the end.
CANISTER.FIELD alone is compared with its first value.

The search begins at the first round with an answer: rounds before the canister, its code
and its method existed are skipped. With --is, it finds the first round with this answer.
If the answer changes more than once, one of the changes is found. If it is the same at
both ends, the command probes rounds in between, and suggests --from and --to if the
answer changed and changed back.`,
		Example: `  canisterd instance bisect bank balance
  canisterd instance bisect bank withdraw 100 --update --from 20
  canisterd instance bisect 'bank balance < vault paidOut' --from mark:before-upgrade
  canisterd instance bisect bank.module_hash`,
		Args: cobra.RangeArgs(1, 3),
		RunE: func(cmd *cobra.Command, args []string) error {
			b := &bisection{c: c, is: is}
			if err := b.parse(&f, args, update); err != nil {
				return err
			}
			return c.connected(cmd.Context(), func(ctx context.Context, d *remote.Daemon) error {
				found, err := b.run(ctx, d, from, to)
				if err != nil {
					return err
				}
				return c.print(found.text(c.nameOf), found)
			})
		},
	}
	f.add(cmd)
	cmd.Flags().StringVar(&from, "from", "", "first round of the search, or a mark (mark:NAME) (default: the oldest round with an answer)")
	cmd.Flags().StringVar(&to, "to", "", "last round of the search, or a mark (default: the newest round)")
	cmd.Flags().StringVar(&is, "is", "", "answer to search for, as canister query or canister status --json prints it, or true or false (default: any other than the first)")
	cmd.Flags().BoolVar(&update, "update", false, "make an update call in each fork instead of a query")
	return sending(cmd)
}

// run searches between the rounds that the flags --from and --to name.
func (b *bisection) run(ctx context.Context, d *remote.Daemon, from, to string) (*bisectResult, error) {
	lease, err := d.HoldLease(ctx)
	if err != nil {
		return nil, err
	}
	defer lease.Release()
	b.d, b.lease = d, lease.ID()
	past, err := history(ctx, d, b.c.instance)
	if err != nil {
		return nil, err
	}
	first, err := roundOf(past, "--from", from, past.GetFirstHeight())
	if err != nil {
		return nil, err
	}
	last, err := roundOf(past, "--to", to, past.GetLastHeight())
	if err != nil {
		return nil, err
	}
	b.past = past
	found, err := b.search(ctx, first, last)
	if err != nil {
		return nil, err
	}
	found.addInputs(past)
	return found, nil
}

// parse reads the call or the expression from the arguments.
func (b *bisection) parse(f *callFlags, args []string, update bool) error {
	if len(args) > 1 {
		call, _, err := f.call(b.c, args)
		b.askCall(call, update)
		return err
	}
	e, err := b.c.readExpression(args[0])
	if err != nil {
		return err
	}
	isCall := e.relation == "" && e.left.call != nil
	switch {
	case update && !isCall, f.hex+f.file+f.candid != "":
		return errors.New("--update, --hex, --argument-file and --candid need a call: pass CANISTER and METHOD as two arguments")
	case update:
		b.askCall(e.left.call, update)
	default:
		b.ask, b.atEnd = e.answer, e.relation != ""
	}
	return nil
}

// askCall makes a call at each probe.
func (b *bisection) askCall(call *controlv1.Call, update bool) {
	b.ask = func(ctx context.Context, d *remote.Daemon, instance string) (probe, error) {
		outcome, err := outcomeOf(ctx, d, instance, call, update)
		if err != nil {
			return probe{}, err
		}
		text := answerText(outcome)
		return probe{text, cmp.Or(text, "a reply of no bytes"), slices.Contains(absentCodes, outcome.GetReject().GetErrorCode())}, nil
	}
}

// outcomeOf makes an update call or a query, and returns its outcome.
func outcomeOf(ctx context.Context, d *remote.Daemon, instance string, call *controlv1.Call, update bool) (*controlv1.Outcome, error) {
	if update {
		r, err := d.Calls.Update(ctx, &controlv1.UpdateRequest{Instance: instance, Call: call})
		return r.GetOutcome(), err
	}
	r, err := d.Calls.Query(ctx, &controlv1.QueryRequest{Instance: instance, Call: call})
	return r.GetOutcome(), err
}

// roundOf returns the round that a number or a mark names, or unset for an empty text.
func roundOf(past *controlv1.GetHistoryResponse, flag, text string, unset uint64) (uint64, error) {
	if text == "" {
		return unset, nil
	}
	name, marked := strings.CutPrefix(text, markPrefix)
	if !marked {
		round, err := strconv.ParseUint(text, 10, 63)
		if err != nil {
			return 0, fmt.Errorf("invalid %s %q: expected a round, such as 42, or a mark, such as mark:before-upgrade", flag, text)
		}
		return round, nil
	}
	for _, in := range slices.Backward(past.GetInputs()) {
		if in.GetKind() == markKind && in.GetText() == name {
			return in.GetHeight(), nil
		}
	}
	return 0, withMarksOf(past, name, fmt.Errorf("invalid %s %q: the history has no such mark", flag, text))
}

// search finds the first round in a range after which the answer is different, by bisection.
func (b *bisection) search(ctx context.Context, from, to uint64) (*bisectResult, error) {
	if from >= to {
		return nil, fmt.Errorf("nothing to search from round %d to round %d: use a later --to or an earlier --from", from, to)
	}
	first, err := b.answer(ctx, from)
	if err != nil {
		return nil, err
	}
	last, err := b.answer(ctx, to)
	if err != nil {
		return nil, err
	}
	if from, first, err = b.firstAnswer(ctx, from, to, first, last); err != nil {
		return nil, err
	}
	is := b.is
	if is == "" && b.atEnd && last.answer != first.answer {
		is = last.answer
	}
	changed := func(p probe) bool { return is == "" && p.answer != first.answer || is != "" && p.answer == is }
	switch {
	case changed(first):
		return nil, fmt.Errorf("the answer is already %s after round %d: use an earlier --from", first.shown, from)
	case !changed(last):
		return nil, b.between(ctx, span{from, to, first, last}, is, changed)
	}
	found := &bisectResult{Before: first.shown, After: last.shown}
	for from+1 < to {
		middle := from + (to-from)/2
		now, err := b.answer(ctx, middle)
		if err != nil {
			return nil, err
		}
		if changed(now) {
			to, found.After = middle, now.shown
		} else {
			from, found.Before = middle, now.shown
		}
	}
	found.Round, found.Forks = to, b.forks
	return found, nil
}

// firstAnswer returns the first round in a range after which there is an answer, and that answer. With --is, it returns
// the beginning of the range.
func (b *bisection) firstAnswer(ctx context.Context, from, to uint64, first, last probe) (uint64, probe, error) {
	if !first.absent || b.is != "" {
		return from, first, nil
	}
	if last.absent {
		return 0, probe{}, fmt.Errorf("the answer is %s after round %d and %s after round %d: use a --to at which the canister and the method exist (canisterd instance history lists the rounds)", first.shown, from, last.shown, to)
	}
	for from+1 < to {
		middle := from + (to-from)/2
		now, err := b.answer(ctx, middle)
		switch {
		case err != nil:
			return 0, probe{}, err
		case now.absent:
			from = middle
		default:
			to, last = middle, now
		}
	}
	return to, last, nil
}

// answer forks the instance at a round, and returns the answer there.
func (b *bisection) answer(ctx context.Context, round uint64) (p probe, err error) {
	made, err := b.d.Instances.ForkInstance(ctx, &controlv1.ForkInstanceRequest{
		Instance: b.c.instance, Lease: b.lease, At: &controlv1.ForkInstanceRequest_Height{Height: round},
		Pacing: &controlv1.Pacing{Mode: controlv1.PacingMode_PACING_MODE_MANUAL},
	})
	if err != nil {
		return p, err
	}
	b.forks++
	name := made.GetInstance().GetName()
	defer func() {
		_, ended := b.d.Instances.DeleteInstance(ctx, &controlv1.DeleteInstanceRequest{Instance: name})
		err = errors.Join(err, ended)
	}()
	p, err = b.ask(ctx, b.d, name)
	switch status.Code(err) {
	case codes.NotFound, codes.FailedPrecondition, codes.InvalidArgument: // there is no such canister or code yet
		why := strings.ReplaceAll(b.c.refusalText(ctx, err), name, b.c.named(nil))
		return probe{noAnswer, noAnswer + " (" + why + ")", true}, nil
	}
	return p, err
}

// noAnswer is printed if there is no answer.
const noAnswer = "none"

// answerText returns an outcome as one line, which bisect compares and prints.
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

// addInputs adds the inputs that were accepted just before the round that was found.
func (b *bisectResult) addInputs(h *controlv1.GetHistoryResponse) {
	b.Inputs = []bisectInput{}
	for _, in := range h.GetInputs() {
		if in.GetHeight()+1 == b.Round {
			b.Inputs = append(b.Inputs, bisectInput{in.GetKind(), fmt.Sprintf("%x", in.GetRequestId()), in.GetCanisterId(), in.GetMethod(), in.GetSender(), in.GetErrorCode(), in.GetText()})
		}
	}
}

func (b *bisectResult) text(nameOf func(string) string) string {
	var text strings.Builder
	fmt.Fprintf(&text, "round   %d (found with %s)\nbefore  %s\nafter   %s", b.Round, count(uint64(b.Forks), "fork"), b.Before, b.After)
	for _, in := range b.Inputs {
		if in.Error != "" {
			fmt.Fprintf(&text, "\ntrap    %s of %s: %s: %s", in.Method, nameOf(in.Canister), in.Error, in.Text)
			continue
		}
		if in.Kind == markKind {
			fmt.Fprintf(&text, "\nmark    %s", in.Text)
			continue
		}
		fmt.Fprintf(&text, "\ninput   %s", in.Kind)
		if in.Request != "" {
			fmt.Fprintf(&text, " %.8s: %s of %s, from %s", in.Request, in.Method, nameOf(in.Canister), nameOf(in.Sender))
		}
	}
	if len(b.Inputs) == 0 {
		text.WriteString("\ninput   none in this round: it went on with earlier ones, or with a timer")
	}
	return text.String()
}
