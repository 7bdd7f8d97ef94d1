package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"google.golang.org/grpc/codes"

	"github.com/canisterd/canisterd/api/control/remote"
	"github.com/canisterd/canisterd/internal/candid/reference"
)

// refused is an error of the daemon with the command line's text.
type refused struct {
	text string
	err  error
}

// Error returns the text.
func (r *refused) Error() string { return r.text }

// Unwrap returns gRPC's error.
func (r *refused) Unwrap() error { return r.err }

// commandAdvice is the command line's advice for the refusals in which the control API advises to call RPCs or to set
// fields, by reason (docs/errors.md).
var commandAdvice = map[string]string{
	"CALL_UNANSWERED":       "canisterd canister await",
	"CANISTER_UNKNOWN":      "canisterd canister list",
	"INSTANCE_UNKNOWN":      "canisterd instance list",
	"LEASE_UNKNOWN":         "the command that held it has ended",
	"MODULE_NOT_INSTALLED":  "canisterd canister install installs it, with --map or --debug",
	"COVERAGE_NOT_RECORDED": "canisterd cover start begins a recording",
	"COVERAGE_RECORDED":     "canisterd cover stop ends that recording and shows the coverage",
	"INSTANCE_NOT_PROFILED": "canisterd profile start begins a profile",
	"INSTANCE_PROFILED":     "canisterd profile stop ends that profile and shows it",
	"NOT_EXPORTABLE_NOW":    "end the round first with canisterd run; for a snapshot within a round, fork it, end the round in the fork, and export that",
	"NOTHING_HELD":          "canisterd futures lists the open calls, and canisterd time advances the time",
	"NO_SUCH_MOVE":          "canisterd step --list",
	"PACING_NOT_MANUAL":     "canisterd pacing manual",
	"SNAPSHOT_EXISTS":       "--replace replaces it",
	"SNAPSHOT_UNKNOWN":      "canisterd instance snapshots",
	"TOKEN_MISSING":         "use --token-file",
	"TOKEN_WRONG":           "check --token-file",
}

// explained returns an error of the daemon with a text for the command line, and says what to do if no daemon answers.
func (c *cli) explained(ctx context.Context, err error) error {
	if _, done := errors.AsType[*refused](err); done {
		return err
	}
	switch reason, _ := remote.Reason(err); remote.Code(err) {
	case codes.OK, codes.Unknown:
		return err
	case codes.Unavailable:
		if reason == "" {
			return c.unreachable(ctx, err)
		}
	}
	return &refused{c.refusalText(ctx, err), err}
}

// unreachable returns the error of a request that did not reach a control API.
func (c *cli) unreachable(ctx context.Context, err error) error {
	if c.control == "" && c.httpAlone(ctx) {
		return &refused{fmt.Sprintf("the daemon at %s has its control API at another address, or none: --control says where, as canisterd start --control does", c.url), errNoControl}
	}
	text := remote.Text(err)
	return fmt.Errorf("no daemon answers at %s: %s (%s)", c.controlAddress(), withoutTransport(text), c.unreached(text))
}

// refusalText returns the text of a refusal with words for fields and with the command line's advice.
func (c *cli) refusalText(ctx context.Context, err error) string {
	reason, of := remote.Reason(err)
	text := remote.Stated(err)
	advice := commandAdvice[reason]
	switch reason {
	case "BAD_FIELD", "MISSING_FIELD":
		text = withoutField(text, of)
	case "CANISTER_UNKNOWN":
		advice += c.youngNetwork(ctx)
	case "INSTANCE_UNKNOWN":
		if of["instance"] == defaultInstance {
			advice = "canisterd instance create default creates it"
		} else {
			text += reference.Meant(of["instance"], instances(ctx, c, nil))
		}
	}
	if advice != "" {
		text += " (" + advice + ")"
	}
	return text
}

// withoutField replaces the path of a field by words. The problem may repeat the value, or name what is invalid itself;
// the text then does not.
func withoutField(text string, of map[string]string) string {
	field, value := of["field"], of["value"]
	if _, problem, found := strings.Cut(text, value+": "); found && strings.HasPrefix(of["problem"], "invalid ") {
		return problem
	}
	name := strings.ReplaceAll(field[strings.LastIndexByte(field, '.')+1:], "_", " ")
	text = strings.Replace(text, field, name, 1)
	return strings.Replace(text, value+": "+value+" is", value+": it is", 1)
}
