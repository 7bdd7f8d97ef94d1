package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/canisterd/canisterd/api/control/remote"
	"github.com/canisterd/canisterd/internal/control/request"
	"github.com/canisterd/canisterd/internal/project"
	"github.com/canisterd/canisterd/internal/quantity"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

func (c *cli) rules() *cobra.Command {
	cmd := group("rule", "Manage rules that hold, delay, drop or answer messages")
	cmd.AddCommand(c.ruleAdd(), c.ruleList(), c.ruleRemove())
	return cmd
}

type ruleFlags struct {
	kind, caller, callee, method, note string
	skip, times                        uint64
}

func (c *cli) ruleAdd() *cobra.Command {
	var f ruleFlags
	cmd := &cobra.Command{
		Use:   "add hold | drop | unknown | reply CANDID | reject [CODE] TEXT | delay DURATION",
		Short: "Add a rule that holds, delays, drops or answers matching messages",
		Long: `Add a rule that holds, delays, drops or answers matching messages. The callee of a
response is the canister that responds, and the caller is the one that receives it.

unknown answers a call with the reject SYS_UNKNOWN. drop and unknown apply only to
best-effort calls: a guaranteed response is never lost.`,
		Example: `  canisterd rule add hold --kind response --caller bank --callee vault
  canisterd rule add reject sys_transient "the network is busy" --callee vault
  canisterd rule add reply '()' --callee vault --method transfer --times 1
  canisterd rule add delay 30s --callee vault`,
		Args: cobra.RangeArgs(1, 3),
		RunE: func(cmd *cobra.Command, args []string) error {
			rule, err := f.rule(c)
			if err != nil {
				return err
			}
			if err := setAction(rule, args); err != nil {
				return err
			}
			return c.connected(cmd.Context(), func(ctx context.Context, d *remote.Daemon) error {
				added, err := d.Messages.AddRule(ctx, &controlv1.AddRuleRequest{Instance: c.instance, Rule: rule})
				if err != nil {
					return err
				}
				if rule.GetDrop() || rule.GetAnswer().GetUnknown() {
					c.note("note: %s", added.GetWarning())
				}
				if err := c.noteMatch(ctx, d, rule); err != nil {
					return err
				}
				return c.print(fmt.Sprint(added.GetRule().GetRuleId()), added)
			})
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.kind, "kind", "request", "kind of message: request, response or ingress")
	flags.StringVar(&f.caller, "caller", "", "match only this caller (default: all)")
	flags.StringVar(&f.callee, "callee", "", "match only this callee (default: all)")
	flags.StringVar(&f.method, "method", "", "match only this method; * matches any characters (default: all)")
	flags.Uint64Var(&f.skip, "skip", 0, "skip the first N matches")
	flags.Uint64Var(&f.times, "times", 0, "apply to at most N matches (default: all)")
	flags.StringVar(&f.note, "note", "", "note shown in listings")
	return cmd
}

func (f *ruleFlags) rule(c *cli) (*controlv1.Rule, error) {
	kind, ok := controlv1.MessageKind_value["MESSAGE_KIND_"+strings.ToUpper(f.kind)]
	if !ok {
		return nil, fmt.Errorf("invalid --kind %q: expected request, response or ingress", f.kind)
	}
	match := &controlv1.Match{Kind: controlv1.MessageKind(kind), Method: f.method, Skip: f.skip, Times: f.times}
	for _, side := range []struct {
		text string
		to   *string
	}{{f.caller, &match.Caller}, {f.callee, &match.Callee}} {
		if side.text == "" {
			continue
		}
		id, err := c.canisterOf(side.text)
		if err != nil {
			return nil, err
		}
		*side.to = id
	}
	return &controlv1.Rule{Match: match, Note: f.note}, nil
}

func setAction(rule *controlv1.Rule, args []string) error {
	want := 1
	switch args[0] {
	case "hold":
		rule.Action = &controlv1.Rule_Hold{Hold: true}
	case "drop":
		rule.Action = &controlv1.Rule_Drop{Drop: true}
	case "delay":
		if want = 2; len(args) == want {
			by, err := quantity.ParseDuration(args[1])
			if err != nil {
				return err
			}
			rule.Action = &controlv1.Rule_Delay{Delay: durationpb.New(by)}
		}
	case "unknown", "reply", "reject":
		answer, err := parseAnswer(args)
		rule.Action = &controlv1.Rule_Answer{Answer: answer}
		return err
	default:
		return fmt.Errorf("invalid action %q: expected hold, drop, unknown, reply CANDID, reject [CODE] TEXT or delay DURATION", strings.Join(args, " "))
	}
	if len(args) != want {
		return fmt.Errorf("%s takes %s, but got %d", args[0], count(uint64(want-1), "argument"), len(args)-1)
	}
	return nil
}

// parseAnswer parses an answer in place of a callee: unknown, reply CANDID, reject [CODE] TEXT.
func parseAnswer(args []string) (*controlv1.Answer, error) {
	switch {
	case args[0] == "unknown" && len(args) == 1:
		return &controlv1.Answer{Answer: &controlv1.Answer_Unknown{Unknown: true}}, nil
	case args[0] == "reply" && len(args) == 2:
		return &controlv1.Answer{Answer: &controlv1.Answer_Reply{Reply: &controlv1.Value{Form: &controlv1.Value_Text{Text: project.FromText(args[1]).Text}}}}, nil
	case args[0] == "reject" && (len(args) == 2 || len(args) == 3):
		reject := &controlv1.Reject{Code: controlv1.RejectCode_REJECT_CODE_CANISTER_REJECT, Text: args[len(args)-1]}
		if len(args) == 3 {
			code, ok := controlv1.RejectCode_value["REJECT_CODE_"+strings.ToUpper(args[1])]
			if !ok || code == 0 {
				return nil, fmt.Errorf("invalid reject code %q: expected one of %s", args[1], strings.Join(request.EnumNames(controlv1.RejectCode_name, "REJECT_CODE_"), ", "))
			}
			reject.Code = controlv1.RejectCode(code)
		}
		return &controlv1.Answer{Answer: &controlv1.Answer_Reject{Reject: reject}}, nil
	}
	return nil, fmt.Errorf("invalid answer %q: expected unknown, reply CANDID or reject [CODE] TEXT", strings.Join(args, " "))
}

func (c *cli) ruleList() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the rules",
		Example: `  canisterd rule list
  canisterd -i lab rule list`,
		Args: cobra.NoArgs,
		RunE: c.connecting(func(ctx context.Context, d *remote.Daemon, _ []string) error {
			all, err := allPages((*controlv1.ListRulesResponse).GetRules, func(token string) (*controlv1.ListRulesResponse, error) {
				return d.Messages.ListRules(ctx, &controlv1.ListRulesRequest{Instance: c.instance, Page: &controlv1.Page{Size: pageSize, Token: token}})
			})
			if err != nil {
				return err
			}
			t := c.table("RULE", "DOES", "TO", "CALLER", "CALLEE", "METHOD", "MATCHED", "NOTE")
			for _, r := range all {
				m := r.GetMatch()
				kind := word(m.GetKind(), "MESSAGE_KIND_")
				t.row(fmt.Sprint(r.GetRuleId()), action(r), kind, c.any(m.GetCaller()), c.any(m.GetCallee()), c.any(m.GetMethod()), fmt.Sprint(r.GetMatched()), r.GetNote())
			}
			return c.print(t.String(), &controlv1.ListRulesResponse{Rules: all})
		}),
	}
}

func (c *cli) any(text string) string {
	if text == "" {
		return "*"
	}
	return c.nameOf(text)
}

// action describes what a rule does in a word or two.
func action(r *controlv1.Rule) string {
	switch {
	case r.GetHold():
		return "hold"
	case r.GetDrop():
		return "drop"
	case r.GetDelay() != nil:
		return "delay " + r.GetDelay().AsDuration().String()
	case r.GetAnswer().GetReject() != nil:
		return "reject"
	case r.GetAnswer().GetUnknown():
		return "unknown"
	case r.GetAnswer() != nil:
		return "reply"
	}
	return "mock"
}

func (c *cli) ruleRemove() *cobra.Command {
	var release bool
	cmd := &cobra.Command{
		Use:   "remove RULE",
		Short: "Remove a rule",
		Example: `  canisterd rule remove 1
  canisterd rule remove 1 --release`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := number("rule", "canisterd rule list", args[0])
			if err != nil {
				return err
			}
			return c.connected(cmd.Context(), func(ctx context.Context, d *remote.Daemon) error {
				removed, err := d.Messages.RemoveRule(ctx, &controlv1.RemoveRuleRequest{Instance: c.instance, RuleId: id, Release: release})
				if err != nil {
					return err
				}
				return c.done(removed, "rule %d removed, %s released", id, count(removed.GetReleased(), "message"))
			})
		},
	}
	cmd.Flags().BoolVar(&release, "release", false, "release the messages that the rule holds")
	return cmd
}

// number parses the number of a thing that a command lists.
func number(of, list, text string) (uint64, error) {
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("invalid %s %q: expected a number from %s", of, text, list)
	}
	return n, nil
}
