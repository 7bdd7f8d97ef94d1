package main

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/canisterd/canisterd/api/control/remote"
	"github.com/canisterd/canisterd/internal/candid/reference"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// markKind is the kind of marks in a history, and markPrefix the prefix of a moment that a mark names.
const (
	markKind   = "mark"
	markPrefix = markKind + ":"
)

// fork forks the present, or the moment that a text names. A decimal number is a round; if there is no such round, it may
// be the prefix of a request id: one id in 43 begins with eight decimal digits.
func fork(ctx context.Context, d *remote.Daemon, request *controlv1.ForkInstanceRequest, at string) (*controlv1.ForkInstanceResponse, error) {
	if err := forkAt(request, at); err != nil {
		return nil, err
	}
	made, err := d.Instances.ForkInstance(ctx, request)
	if mark, is := request.GetAt().(*controlv1.ForkInstanceRequest_Mark); is && isUnknownMoment(err) {
		return nil, withMarks(ctx, d, request.GetInstance(), mark.Mark, err)
	}
	_, isRound := request.GetAt().(*controlv1.ForkInstanceRequest_Height)
	if !isRound || len(at) < shortRequestDigits || !isUnknownMoment(err) {
		return made, err
	}
	request.At = &controlv1.ForkInstanceRequest_BeforeRequestPrefix{BeforeRequestPrefix: at}
	if made, failed := d.Instances.ForkInstance(ctx, request); !isUnknownMoment(failed) {
		return made, failed
	}
	return nil, err
}

// maxMarksListed limits the marks that an error lists, the newest ones.
const maxMarksListed = 20

// withMarks adds the marks of an instance to an error for a mark that it does not have.
func withMarks(ctx context.Context, d *remote.Daemon, instance, unknown string, err error) error {
	past, failed := history(ctx, d, instance)
	if failed != nil {
		return err
	}
	return withMarksOf(past, unknown, err)
}

// withMarksOf adds the marks of a history to an error for a mark that it does not have.
func withMarksOf(past *controlv1.GetHistoryResponse, unknown string, err error) error {
	var marks []string
	for _, in := range past.GetInputs() {
		if in.GetKind() == markKind && !slices.Contains(marks, in.GetText()) {
			marks = append(marks, in.GetText())
		}
	}
	if len(marks) == 0 {
		return fmt.Errorf("%w; it has no marks (canisterd instance mark creates one)", err)
	}
	listed := marks[max(0, len(marks)-maxMarksListed):]
	return fmt.Errorf("%w%s; its marks: %s", err, reference.Meant(unknown, marks), strings.Join(listed, ", "))
}

// isUnknownMoment reports whether an error says that the journal does not have the moment.
func isUnknownMoment(err error) bool {
	reason, _ := remote.Reason(err)
	return reason == "MOMENT_UNKNOWN"
}

// forkAt sets the moment of a request to fork the past. An empty text leaves the present.
func forkAt(request *controlv1.ForkInstanceRequest, text string) error {
	if text == "" {
		return nil
	}
	if request.Pacing == nil {
		request.Pacing = &controlv1.Pacing{Mode: controlv1.PacingMode_PACING_MODE_MANUAL}
	}
	if name, ok := strings.CutPrefix(text, markPrefix); ok {
		request.At = &controlv1.ForkInstanceRequest_Mark{Mark: name}
		return nil
	}
	if height, err := strconv.ParseUint(text, 10, 63); err == nil {
		request.At = &controlv1.ForkInstanceRequest_Height{Height: height}
		return nil
	}
	if at, err := time.Parse(time.RFC3339Nano, text); err == nil {
		request.At = &controlv1.ForkInstanceRequest_Time{Time: timestamppb.New(at)}
		return nil
	}
	prefix, err := requestPrefix(text)
	if err != nil {
		return fmt.Errorf("invalid --at %q: expected a round, such as 42, a time, such as 2030-01-01T00:00:00Z, the id of a request, or a mark, such as mark:before-upgrade", text)
	}
	request.At = &controlv1.ForkInstanceRequest_BeforeRequestPrefix{BeforeRequestPrefix: prefix}
	return nil
}

func (c *cli) instanceHistory() *cobra.Command {
	return &cobra.Command{
		Use:   "history [NAME]",
		Short: "List the inputs, traps, marks and available rounds of an instance",
		Long: `List the inputs from clients, the traps, the marks, and the rounds at which an instance
with a state directory can be forked (instance fork --at), as far back as its journal
goes. A fork at the round of an input or a trap has the state before it.`,
		Example: `  canisterd instance history
  canisterd instance history lab`,
		Args: cobra.MaximumNArgs(1),
		RunE: c.connecting(func(ctx context.Context, d *remote.Daemon, args []string) error {
			all, err := history(ctx, d, c.named(args))
			if err != nil {
				return err
			}
			return c.print(c.shownHistory(all), all)
		}),
	}
}

func (c *cli) instanceMark() *cobra.Command {
	return &cobra.Command{
		Use:   "mark NAME",
		Short: "Mark the current state in the history of an instance",
		Long: `Mark the current state in the history of an instance with a state directory. instance
history lists marks, and instance fork --at mark:NAME restores the state in a fork. If
a name is used twice, the newest mark counts.`,
		Example: `  canisterd instance mark before-upgrade
  canisterd instance fork then --at mark:before-upgrade`,
		Args: cobra.ExactArgs(1),
		RunE: c.connecting(func(ctx context.Context, d *remote.Daemon, args []string) error {
			made, err := d.Instances.MarkHistory(ctx, &controlv1.MarkHistoryRequest{Instance: c.instance, Mark: args[0]})
			if err != nil {
				return err
			}
			return c.print(fmt.Sprintf("%s: marked after round %d", args[0], made.GetInput().GetHeight()), made)
		}),
	}
}

// history reads all pages of the history of an instance.
func history(ctx context.Context, d *remote.Daemon, name string) (*controlv1.GetHistoryResponse, error) {
	all := &controlv1.GetHistoryResponse{}
	for token := ""; ; {
		page, err := d.Instances.GetHistory(ctx, &controlv1.GetHistoryRequest{Instance: name, PageSize: 1000, PageToken: token})
		if err != nil {
			return nil, err
		}
		page.Inputs = append(all.GetInputs(), page.GetInputs()...)
		all = page
		if token = page.GetNextPageToken(); token == "" {
			return all, nil
		}
	}
}

// shownHistory formats a history as a table of inputs and checkpoints.
func (c *cli) shownHistory(h *controlv1.GetHistoryResponse) string {
	t := c.table("ROUND", "TIME", "INPUT", "REQUEST", "CANISTER", "METHOD", "SENDER OR TRAP")
	checkpoints := h.GetCheckpoints()
	upTo := func(height uint64) {
		for len(checkpoints) > 0 && checkpoints[0].GetHeight() <= height {
			k := checkpoints[0]
			checkpoints = checkpoints[1:]
			t.row(fmt.Sprint(k.GetHeight()), stamp(k.GetTime()), "checkpoint, "+bytesOf(k.GetBytes()), "", "", "", "")
		}
	}
	for _, in := range h.GetInputs() {
		upTo(in.GetHeight())
		t.row(fmt.Sprint(in.GetHeight()), stamp(in.GetTime()), kindText(in), shortRequest(in.GetRequestId()), c.nameOf(in.GetCanisterId()), in.GetMethod(), c.senderOrTrap(in))
	}
	upTo(h.GetLastHeight())
	return t.String() + fmt.Sprintf("\nforks: round %d (%s) to %d (%s)", h.GetFirstHeight(), stamp(h.GetFirstTime()), h.GetLastHeight(), stamp(h.GetLastTime()))
}

// kindText returns the kind of an input, with the name of a mark.
func kindText(in *controlv1.AcceptedInput) string {
	if in.GetKind() == markKind {
		return "mark " + in.GetText()
	}
	return in.GetKind()
}

// senderOrTrap returns the sender of an update call, or the error of a trap.
func (c *cli) senderOrTrap(in *controlv1.AcceptedInput) string {
	if in.GetErrorCode() == "" {
		return c.nameOf(in.GetSender())
	}
	return fmt.Sprintf("%s: %s", in.GetErrorCode(), in.GetText())
}

// shortRequestDigits is the number of digits that identify a request in practice; bisect and the examples show as many.
const shortRequestDigits = 8

// shortRequest returns a prefix of a request id that commands accept.
func shortRequest(id []byte) string { return fmt.Sprintf("%.8x", id) }
