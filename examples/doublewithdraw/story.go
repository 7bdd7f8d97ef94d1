package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/canisterd/canisterd/api/control/remote"
	"github.com/canisterd/canisterd/candid/principal"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// alice has the account. Calls are made as any principal, without a key.
var alice = principal.SelfAuthenticating([]byte("alice")).String()

// story is what happens in an instance of its own.
type story struct {
	daemon   *remote.Daemon
	instance string
	bank     string
	vault    string
	out      io.Writer
}

// tell lets Alice withdraw twice from a bank, in a network where nothing happens unless
// it is asked for, and gives what was paid to her.
func tell(ctx context.Context, d *remote.Daemon, code []byte, out io.Writer) (paid int, err error) {
	made, err := d.Instances.CreateInstance(ctx, &controlv1.CreateInstanceRequest{
		Pacing: &controlv1.Pacing{Mode: controlv1.PacingMode_PACING_MODE_MANUAL}, Seed: []byte("double withdraw"),
	})
	if err != nil {
		return 0, err
	}
	s := &story{daemon: d, instance: made.GetInstance().GetName(), out: out}
	defer func() {
		_, gone := d.Instances.DeleteInstance(context.WithoutCancel(ctx), &controlv1.DeleteInstanceRequest{Instance: s.instance})
		if err == nil {
			err = gone
		}
	}()
	if err := s.begin(ctx, code); err != nil {
		return 0, err
	}
	first, err := s.interleave(ctx)
	if err != nil {
		return 0, err
	}
	if err := s.show(ctx, first); err != nil {
		return 0, err
	}
	answer, err := s.call(ctx, s.vault, "paidOut", "[]")
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(strings.Trim(answer, "[]"))
}

// begin installs the bank and the vault, and Alice brings her money.
func (s *story) begin(ctx context.Context, code []byte) (err error) {
	if s.bank, err = s.install(ctx, code); err != nil {
		return err
	}
	if s.vault, err = s.install(ctx, vault); err != nil {
		return err
	}
	where, err := json.Marshal([]string{s.vault})
	if err != nil {
		return err
	}
	if _, err := s.call(ctx, s.bank, "open", string(where)); err != nil {
		return err
	}
	if _, err := s.call(ctx, s.bank, "deposit", "[100]"); err != nil {
		return err
	}
	s.say("Alice has 100 in the bank.")
	return nil
}

// interleave holds what the vault answers to the first withdrawal until the second one
// has come in.
func (s *story) interleave(ctx context.Context) (first []byte, err error) {
	rule, err := s.daemon.Flights.AddRule(ctx, &controlv1.AddRuleRequest{Instance: s.instance, Rule: &controlv1.Rule{
		Match:  &controlv1.Match{Kind: controlv1.MessageKind_MESSAGE_KIND_RESPONSE, Caller: s.bank, Callee: s.vault, Method: "transfer"},
		Action: &controlv1.Rule_Hold{Hold: true},
	}})
	if err != nil {
		return nil, err
	}
	if first, err = s.submit(ctx, "[100]"); err != nil {
		return nil, err
	}
	held, err := s.daemon.Flights.AwaitHeld(ctx, &controlv1.AwaitHeldRequest{Instance: s.instance, RuleId: rule.GetRule().GetRuleId()})
	if err != nil {
		return nil, err
	}
	s.say("She withdraws 100. The bank asks the vault to pay; its answer to %s is held.", held.GetHeld().GetMethod())
	second, err := s.submit(ctx, "[100]")
	if err != nil {
		return nil, err
	}
	idle := &controlv1.RunUntilRequest{Instance: s.instance, Condition: &controlv1.RunUntilRequest_Idle{Idle: true}}
	stopped, err := s.daemon.Clock.RunUntil(ctx, idle)
	if err != nil {
		return nil, err
	}
	s.say("She withdraws 100 again. Answers of the vault that are held now: %d.", stopped.GetHeldMessages())
	release := &controlv1.RemoveRuleRequest{Instance: s.instance, RuleId: rule.GetRule().GetRuleId(), Release: true}
	if _, err := s.daemon.Flights.RemoveRule(ctx, release); err != nil {
		return nil, err
	}
	if _, err := s.daemon.Clock.RunUntil(ctx, idle); err != nil {
		return nil, err
	}
	for i, id := range [][]byte{first, second} {
		answer, err := s.await(ctx, id)
		if err != nil {
			return nil, err
		}
		s.say("Withdrawal %d is answered %s", i+1, answer)
	}
	return first, nil
}

// show prints what followed from a message as a tree of calls.
func (s *story) show(ctx context.Context, id []byte) error {
	trace, err := s.daemon.Events.GetTrace(ctx, &controlv1.GetTraceRequest{
		Instance: s.instance, Of: &controlv1.GetTraceRequest_RequestId{RequestId: id}, Form: controlv1.TraceForm_TRACE_FORM_TEXT,
		Names: map[string]string{s.bank: "bank", s.vault: "vault", alice: "Alice"},
	})
	if err != nil {
		return err
	}
	s.say("What the first withdrawal did:\n%s", strings.TrimRight(trace.GetRendered(), "\n"))
	return nil
}

func (s *story) say(format string, args ...any) { fmt.Fprintf(s.out, format+"\n", args...) }

// install makes a canister and gives it code.
func (s *story) install(ctx context.Context, code []byte) (string, error) {
	made, err := s.daemon.Canisters.CreateCanister(ctx, &controlv1.CreateCanisterRequest{Instance: s.instance})
	if err != nil {
		return "", err
	}
	head := &controlv1.InstallHead{Instance: s.instance, CanisterId: made.GetCanisterId()}
	_, err = s.daemon.Install(ctx, head, bytes.NewReader(code), nil)
	return made.GetCanisterId(), err
}

// asAlice is a call with its argument and its reply in JSON.
func (s *story) asAlice(id, method, argument string) *controlv1.Call {
	return &controlv1.Call{
		CanisterId: id, Method: method, Sender: alice, Argument: &controlv1.Value{Form: &controlv1.Value_Json{Json: argument}},
		ReplyForm: controlv1.Form_FORM_JSON,
	}
}

// call makes an update call and waits for its answer: rounds are run until then.
func (s *story) call(ctx context.Context, id, method, argument string) (string, error) {
	out, err := s.daemon.Calls.Update(ctx, &controlv1.UpdateRequest{Instance: s.instance, Call: s.asAlice(id, method, argument)})
	if err != nil {
		return "", err
	}
	reply, err := remote.Reply(out.GetOutcome())
	return reply.GetJson(), err
}

// submit makes a withdrawal and does not wait.
func (s *story) submit(ctx context.Context, argument string) ([]byte, error) {
	out, err := s.daemon.Calls.Submit(ctx, &controlv1.SubmitRequest{Instance: s.instance, Call: s.asAlice(s.bank, "withdraw", argument)})
	switch {
	case err != nil:
		return nil, err
	case out.GetReject() != nil:
		return nil, &remote.Reject{Reject: out.GetReject()}
	}
	return out.GetRequestId(), nil
}

func (s *story) await(ctx context.Context, id []byte) (string, error) {
	out, err := s.daemon.Calls.Await(ctx, &controlv1.AwaitRequest{Instance: s.instance, RequestId: id, ReplyForm: controlv1.Form_FORM_JSON})
	if err != nil {
		return "", err
	}
	reply, err := remote.Reply(out.GetOutcome())
	return reply.GetJson(), err
}
