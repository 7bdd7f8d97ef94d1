package mcp

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/did"
	"github.com/canisterd/canisterd/internal/control/report"
	"github.com/canisterd/canisterd/internal/explore/schedule"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// injectInput is what inject takes.
type injectInput struct {
	Operations []string `json:"operations" jsonschema:"op1, op2 and so on, in the order of their arrival"`
	Before     []string `json:"before,omitempty" jsonschema:"calls made before, in order"`
	Faults     []string `json:"faults,omitempty" jsonschema:"KIND at MESSAGE, such as: trap_callback at op1/1.reply; kinds: reject_transient, reject_destination, reject_error, reject_canister, unknown, lost_answer, trap_callback, trap_cleanup, no_calls, silent, fire_timer, pass_time, stop"`
	Instance   string   `json:"instance,omitempty"`
	detailed
}

// injectedProperty is the property of the schedule that inject runs. It is checked for all canisters, and its result is not
// shown: the states are.
const injectedProperty = "open-at-rest"

// inject runs operations once with faults, and describes the run with what each message changed.
func (s *Server) inject(ctx context.Context, in injectInput) (string, error) {
	n := s.namesOf(s.instanceOf(in.Instance))
	file := &schedule.File{Property: injectedProperty, Seed: 1}
	var err error
	if file.Operations, err = s.scheduled(ctx, n, in.Operations, "op"); err != nil {
		return "", err
	}
	if len(file.Operations) == 0 {
		return "", errors.New("no operations: pass some, such as: bank withdraw 100")
	}
	if file.Before, err = s.scheduled(ctx, n, in.Before, ""); err != nil {
		return "", err
	}
	for _, text := range in.Faults {
		kind, at, found := strings.Cut(strings.TrimSpace(text), " at ")
		if !found {
			return "", fmt.Errorf("invalid fault %q: expected KIND at MESSAGE, such as: trap_callback at op1/1.reply", text)
		}
		file.Faults = append(file.Faults, schedule.Fault{At: strings.TrimSpace(at), Kind: strings.TrimSpace(kind)})
	}
	written, err := schedule.Write(file)
	if err != nil {
		return "", err
	}
	r, err := s.Daemon.Explorer.ReplaySchedule(ctx, &controlv1.ReplayScheduleRequest{
		Instance: n.instance, Schedule: string(written), Names: n.all(), IncludeMoments: true,
	})
	if err != nil {
		return "", err
	}
	sentence, run, _ := strings.Cut(r.GetExplanation(), "\n")
	if strings.HasPrefix(sentence, "diverged") || r.GetOutcome() == controlv1.ReplayOutcome_REPLAY_OUTCOME_STILL_FAILS {
		run = sentence + "\n" + run
	}
	return run + report.States(r, n.name, short), nil
}

// scheduled returns operations for a schedule, named by a prefix and their numbers, or without names.
func (s *Server) scheduled(ctx context.Context, n *names, texts []string, prefix string) (all []schedule.Operation, err error) {
	operations, err := operationsOf(texts, n)
	if err != nil {
		return nil, err
	}
	for i, o := range operations {
		call := o.GetCall()
		argument, err := s.encoded(ctx, n.instance, call)
		if err != nil {
			return nil, fmt.Errorf("%q: %w", o.GetTitle(), err)
		}
		one := schedule.Operation{
			Canister: n.name(call.GetCanisterId()), Method: call.GetMethod(), Argument: hex.EncodeToString(argument), Sender: call.GetSender(), Title: o.GetTitle(),
		}
		if prefix != "" {
			one.Name = fmt.Sprint(prefix, i+1)
		}
		all = append(all, one)
	}
	return all, nil
}

// encoded returns the argument of a call in bytes, with the types of the method, or without an interface at its own types.
func (s *Server) encoded(ctx context.Context, instance string, call *controlv1.Call) ([]byte, error) {
	got, err := s.Daemon.Canisters.GetInterface(ctx, &controlv1.GetInterfaceRequest{Instance: instance, CanisterId: call.GetCanisterId()})
	if err == nil {
		if file, err := did.Parse(got.GetCandid()); err == nil {
			if m, known := file.Method(call.GetMethod()); known {
				return m.EncodeArgs(call.GetArgument().GetText())
			}
		}
	}
	values, err := candid.ParseArgs(call.GetArgument().GetText())
	if err != nil {
		return nil, err
	}
	return candid.EncodeValues(values...)
}
