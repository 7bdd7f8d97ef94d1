package main

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/canisterd/canisterd/api/control/remote"
	"github.com/canisterd/canisterd/internal/quantity"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// unansweredReason is the daemon's reason for calls that continue without their caller.
const unansweredReason = "CALL_UNANSWERED"

// sayAfter is how long a command waits before it says what it waits for, and how often it asks.
const sayAfter = time.Second

// waitFlags say how long a command waits for the answer of a request.
type waitFlags struct {
	timeout string
	noWait  bool
}

func (f *waitFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.timeout, "timeout", "", "exit with code 4 if there is no reply within this time, such as 5s (default: no limit)")
	cmd.Flags().BoolVar(&f.noWait, "no-wait", false, "exit with code 4 immediately if the reply depends on time passing or on a client")
	cmd.MarkFlagsMutuallyExclusive("timeout", "no-wait")
}

// answerWait is a command that waits for the answer of a request.
type answerWait struct {
	*cli
	waitFlags
	d       *remote.Daemon
	form    controlv1.Form // of the reply
	rounds  bool           // run rounds where pacing is manual
	ends    time.Time      // zero: never
	request []byte
	said    string
}

func (c *cli) waitFor(d *remote.Daemon, f waitFlags, form controlv1.Form, rounds bool) (*answerWait, error) {
	w := &answerWait{cli: c, waitFlags: f, d: d, form: form, rounds: rounds}
	if f.timeout == "" {
		return w, nil
	}
	limit, err := quantity.ParseDuration(f.timeout)
	switch {
	case err != nil:
		return nil, fmt.Errorf("--timeout: %w", err)
	case limit <= 0:
		return nil, fmt.Errorf("invalid --timeout %q: expected a duration above 0, such as 5s; to not wait, use --no-wait", f.timeout)
	}
	w.ends = time.Now().Add(limit)
	return w, nil
}

// patience returns how long the daemon may wait before it tells what the request waits for; nil for no limit. A caller
// with a deadline of its own, as a test on a busy machine, is told nothing before that.
func (w *answerWait) patience(ctx context.Context) *durationpb.Duration {
	_, set := ctx.Deadline()
	switch {
	case w.ends.IsZero() && set:
		return nil
	case w.ends.IsZero():
		return durationpb.New(sayAfter)
	}
	return durationpb.New(max(min(sayAfter, time.Until(w.ends)), 1))
}

// update makes an update call and waits for its answer.
func (w *answerWait) update(ctx context.Context, call *controlv1.Call) (*controlv1.Outcome, error) {
	r, err := w.d.Calls.Update(ctx, &controlv1.UpdateRequest{Instance: w.instance, Call: call, Patience: w.patience(ctx), NoWait: w.noWait})
	return w.rest(ctx, r.GetOutcome(), err)
}

// await waits for the answer of a submitted request.
func (w *answerWait) await(ctx context.Context, request []byte) (*controlv1.Outcome, error) {
	w.request = request
	outcome, err := w.awaitOnce(ctx)
	return w.rest(ctx, outcome, err)
}

func (w *answerWait) awaitOnce(ctx context.Context) (*controlv1.Outcome, error) {
	r, err := w.d.Calls.Await(ctx, &controlv1.AwaitRequest{
		Instance: w.instance, RequestId: w.request, ReplyForm: w.form, Patience: w.patience(ctx), NoWait: w.noWait, RunRounds: w.rounds,
	})
	return r.GetOutcome(), err
}

// rest waits for the answer after the first request to the daemon, and says what it waits for.
func (w *answerWait) rest(ctx context.Context, outcome *controlv1.Outcome, err error) (*controlv1.Outcome, error) {
	for {
		reason, of := remote.Reason(err)
		if reason != unansweredReason || ctx.Err() != nil {
			return outcome, err
		}
		if w.request, _ = hex.DecodeString(of["request_id"]); len(w.request) == 0 {
			return nil, err
		}
		w.cli.request = of["request_id"]
		why := w.why(ctx, of)
		if w.noWait || !w.ends.IsZero() && !time.Now().Before(w.ends) {
			return nil, w.unanswered(why, err)
		}
		if why != w.said {
			w.said = why
			w.note("waiting for request %s: %s", w.short(), why)
		}
		outcome, err = w.awaitOnce(ctx)
	}
}

func (w *answerWait) short() string { return fmt.Sprintf("%.4x", w.request) }

// unanswered returns the error of a command that does not wait longer.
func (w *answerWait) unanswered(why string, err error) error {
	after := ""
	if !w.noWait {
		after = " after " + w.timeout
	}
	return &refused{fmt.Sprintf("request %s is still open%s: %s; canisterd canister await %[1]s waits for it", w.short(), after, why), err}
}

// why says what the request waits for, with the names of canisters, and the command that ends it.
func (w *answerWait) why(ctx context.Context, of map[string]string) string {
	text := w.withNames(of["waits_for"])
	if command := w.remedy(ctx, of); command != "" {
		text += " (canisterd " + command + ")"
	}
	return text
}

// remedy returns the command that ends the wait; "" if it ends by itself.
func (w *answerWait) remedy(ctx context.Context, of map[string]string) string {
	switch of["wait_reason"] {
	case controlv1.WaitReason_WAIT_REASON_HELD.String():
		return "release " + of["held_id"]
	case controlv1.WaitReason_WAIT_REASON_OUTCALL.String():
		return "outcalls list"
	}
	now, err := w.d.Clock.GetTime(ctx, &controlv1.GetTimeRequest{Instance: w.instance})
	if err == nil && now.GetPacing().GetMode() == controlv1.PacingMode_PACING_MODE_MANUAL {
		return "run " + w.short()
	}
	return ""
}

// whileWaiting says what a command waits for if it takes longer than a second. done ends that.
func (c *cli) whileWaiting(ctx context.Context, what string) (done func()) {
	ctx, cancel := patient(ctx, sayAfter)
	said := make(chan struct{})
	go func() {
		defer close(said)
		if <-ctx.Done(); errors.Is(ctx.Err(), context.DeadlineExceeded) {
			c.note("waiting: %s", what)
		}
	}()
	return func() {
		cancel()
		<-said
	}
}
