package main

import (
	"context"
	"encoding/hex"
	"encoding/json"

	"github.com/spf13/cobra"

	"github.com/canisterd/canisterd/api/control/remote"
	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/did"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// ask calls a method, as an update or as a query.
type ask func(ctx context.Context, c *cli, d *remote.Daemon, call *controlv1.Call) (*controlv1.Outcome, error)

func (c *cli) canisterCall() *cobra.Command {
	var f callFlags
	var wait waitFlags
	cmd := c.invocation("call", "Call a method and print its reply", callExamples, &f, func(ctx context.Context, c *cli, d *remote.Daemon, call *controlv1.Call) (*controlv1.Outcome, error) {
		w, err := c.waitFor(d, wait, call.GetReplyForm(), true)
		if err != nil {
			return nil, err
		}
		return w.update(ctx, call)
	})
	cmd.Flags().BoolVar(&f.verbose, "verbose", false, "print the request id to standard error (--json always has it)")
	wait.add(cmd)
	return cmd
}

func (c *cli) canisterSubmit() *cobra.Command {
	var f callFlags
	cmd := &cobra.Command{
		Use:   "submit CANISTER METHOD [ARGUMENTS]",
		Short: "Submit an update call and print the request id without waiting for the reply",
		Long: `Submit an update call and print the request id without waiting for the reply. ARGUMENTS
are those of canisterd canister call.`,
		Example: `  request=$(canisterd canister submit bank withdraw 100)
  canisterd canister await $request`,
		Args: cobra.RangeArgs(2, 3),
		RunE: func(cmd *cobra.Command, args []string) error {
			call, _, err := f.call(c, args)
			if err != nil {
				return err
			}
			return c.connected(cmd.Context(), func(ctx context.Context, d *remote.Daemon) error {
				submitted, err := d.Calls.Submit(ctx, &controlv1.SubmitRequest{Instance: c.instance, Call: call})
				switch {
				case err != nil:
					return err
				case submitted.GetReject() != nil:
					return c.rejected(call.GetCanisterId(), call.GetMethod(), &remote.Reject{Reject: submitted.GetReject()})
				}
				id := hex.EncodeToString(submitted.GetRequestId())
				return c.print(id, map[string]string{"request_id": id})
			})
		},
	}
	f.add(cmd)
	return sending(cmd)
}

func (c *cli) canisterAwait() *cobra.Command {
	var f callFlags
	var wait waitFlags
	cmd := &cobra.Command{
		Use:   "await REQUEST",
		Short: "Wait for the reply to a submitted request and print it",
		Long: `Wait for the reply to a submitted request and print it. This runs no rounds: under
manual pacing, canisterd run REQUEST does. After a second, the command prints what
the request is waiting for.`,
		Example: `  canisterd canister await 039b45a8
  canisterd canister await 039b45a8 --timeout 5s`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			prefix, err := requestPrefix(args[0])
			if err != nil {
				return err
			}
			form, err := f.replyForm()
			if err != nil {
				return err
			}
			return c.connected(cmd.Context(), func(ctx context.Context, d *remote.Daemon) error {
				id, err := c.requestOf(ctx, d, prefix)
				if err != nil {
					return err
				}
				w, err := c.waitFor(d, wait, form, false)
				if err != nil {
					return err
				}
				outcome, err := w.await(ctx, id)
				if err != nil {
					return err
				}
				if _, err := remote.Reply(outcome); err != nil {
					return c.rejectedRequest(ctx, d, id, err)
				}
				return c.reply(outcome, form)
			})
		},
	}
	cmd.Flags().StringVar(&f.form, "form", "text", "format of the reply: text (Candid), json or hex")
	wait.add(cmd)
	return cmd
}

func (c *cli) canisterQuery() *cobra.Command {
	return c.invocation("query", "Query a method and print its reply", queryExamples, &callFlags{}, func(ctx context.Context, c *cli, d *remote.Daemon, call *controlv1.Call) (*controlv1.Outcome, error) {
		r, err := d.Calls.Query(ctx, &controlv1.QueryRequest{Instance: c.instance, Call: call})
		return r.GetOutcome(), err
	})
}

// callFlags are the flags of commands that call a method.
type callFlags struct {
	argumentFlags
	verbose bool // of an update, which has a request id
}

// Examples of the commands that call a method.
const (
	callExamples = `  canisterd canister call bank deposit 100
  canisterd canister call vault transfer '(principal "${bank}", 3)'
  canisterd canister call bank deposit '[100]' --form json
  canisterd canister call bank import --argument-file accounts.json`
	queryExamples = `  canisterd canister query bank balance
  canisterd canister query bank balance --form json`
)

func (c *cli) invocation(name, short, examples string, f *callFlags, ask ask) *cobra.Command {
	cmd := &cobra.Command{
		Use:   name + " CANISTER METHOD [ARGUMENTS]",
		Short: short,
		Long: short + `.

ARGUMENTS is a list of Candid values such as '("Ada", 3)'. A single argument needs no
parentheses. ${NAME} stands for the id of a canister that was deployed from this
directory, or for the principal of an identity. A negative number is an argument, not a
flag; nothing after -- is a flag. Types, and names in the reply, come from the
canister's interface if it has one, or from --candid. With --form json, arguments and
reply are JSON. With -, the arguments are read from standard input.`,
		Example: examples,
		Args:    cobra.RangeArgs(2, 3),
		RunE: func(cmd *cobra.Command, args []string) error {
			call, method, err := f.call(c, args)
			if err != nil {
				return err
			}
			form := call.GetReplyForm()
			if method != nil {
				call.ReplyForm = controlv1.Form_FORM_BYTES
			}
			return c.connected(cmd.Context(), func(ctx context.Context, d *remote.Daemon) error {
				outcome, err := ask(ctx, c, d, call)
				if err != nil {
					return err
				}
				f.tellRequest(c, outcome)
				if _, err := remote.Reply(outcome); err != nil {
					c.hintReject(ctx, d, call.GetCanisterId(), call.GetMethod(), err)
					return c.rejected(call.GetCanisterId(), call.GetMethod(), err)
				}
				outcome.Answer = &controlv1.Outcome_Reply{Reply: c.withTypes(outcome.GetReply(), method, form)}
				return c.reply(outcome, form)
			})
		},
	}
	f.add(cmd)
	return sending(cmd)
}

// tellRequest prints the id of an update for users who want it, whatever its outcome.
func (f *callFlags) tellRequest(c *cli, outcome *controlv1.Outcome) {
	c.request = hex.EncodeToString(outcome.GetRequestId())
	if f.verbose && c.request != "" {
		c.note("request %s (canisterd trace %.8[1]s)", c.request)
	}
}

func (f *callFlags) add(cmd *cobra.Command) {
	f.argumentFlags.add(cmd, "ARGUMENTS")
	cmd.Flags().StringVar(&f.form, "form", "text", "format of arguments and reply: text (Candid), json or hex")
}

// call returns the call in the words of a command, and its method in the interface of --candid.
func (f *callFlags) call(c *cli, args []string) (*controlv1.Call, *did.Method, error) {
	id, err := c.canisterOf(args[0])
	if err != nil {
		return nil, nil, err
	}
	sender, err := c.sender()
	if err != nil {
		return nil, nil, err
	}
	method, err := f.method(c, args[0], args[1])
	if err != nil {
		return nil, nil, err
	}
	given, err := f.argument(c, args[2:])
	if err != nil {
		return nil, nil, err
	}
	argument, err := ofMethod(given, method)
	if err != nil {
		return nil, nil, err
	}
	form, err := f.replyForm()
	return &controlv1.Call{CanisterId: id, Method: args[1], Argument: argument, Sender: sender, ReplyForm: form}, method, err
}

// replyResult is a reply for --json, in the requested form.
type replyResult struct {
	Request string          `json:"request_id,omitempty"` // for an update
	Candid  string          `json:"candid,omitempty"`
	JSON    json.RawMessage `json:"json,omitempty"`
	Hex     string          `json:"hex,omitempty"`
}

// reply prints a reply: long Candid text is broken over several lines. What cannot be shown in the requested form is shown
// as bytes, and the reason on standard error.
func (c *cli) reply(outcome *controlv1.Outcome, requested controlv1.Form) error {
	request := hex.EncodeToString(outcome.GetRequestId())
	switch form := outcome.GetReply().GetForm().(type) {
	case *controlv1.Value_Text:
		return c.print(candid.Pretty(form.Text), replyResult{Request: request, Candid: form.Text})
	case *controlv1.Value_Json:
		return c.print(form.Json, replyResult{Request: request, JSON: json.RawMessage(form.Json)})
	}
	raw := outcome.GetReply().GetBytes()
	if err := undecodable(raw, requested); err != nil {
		c.note("note: the reply is shown as bytes in hex: %v", err)
	}
	text := hex.EncodeToString(raw)
	return c.print(text, replyResult{Request: request, Hex: text})
}

// undecodable returns why a reply cannot be shown in a form, nil if bytes were requested.
func undecodable(raw []byte, requested controlv1.Form) error {
	if requested == controlv1.Form_FORM_BYTES {
		return nil
	}
	values, types, err := candid.Decode(raw)
	if err == nil && requested == controlv1.Form_FORM_JSON {
		_, err = did.FormatJSON(values, types)
	}
	return err
}
