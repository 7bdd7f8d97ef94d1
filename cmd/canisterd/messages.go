package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"google.golang.org/protobuf/proto"

	"github.com/canisterd/canisterd/api/control/remote"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// listing makes a command that lists what is in flight, of one canister or of all. get requests a page, adds its rows
// to the table and returns the token of the next page.
func (c *cli) listing(name, short string, heads []string, get func(ctx context.Context, d *remote.Daemon, canister string, page *controlv1.Page, t *table) (proto.Message, string, error)) *cobra.Command {
	var limit uint32
	cmd := &cobra.Command{
		Use:     name + " [CANISTER]",
		Short:   short,
		Example: fmt.Sprintf("  canisterd %[1]s\n  canisterd -i lab %[1]s bank", name),
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			canister := ""
			if len(args) > 0 {
				var err error
				if canister, err = c.canisterOf(args[0]); err != nil {
					return err
				}
			}
			return c.connected(cmd.Context(), func(ctx context.Context, d *remote.Daemon) error {
				t := c.table(heads...)
				var all proto.Message
				page := &controlv1.Page{}
				for {
					page.Size = pageSize
					if limit > 0 {
						page.Size = min(pageSize, limit-t.count())
					}
					message, next, err := get(ctx, d, canister, page, t)
					if err != nil {
						return err
					}
					all = withPage(all, message)
					if page.Token = next; next == "" || limit > 0 && t.count() >= limit {
						break
					}
				}
				if t.cut(limit) || page.GetToken() != "" {
					c.note("more rows exist: raise --limit")
				}
				return c.print(t.String(), all)
			})
		},
	}
	cmd.Flags().Uint32Var(&limit, "limit", pageSize, "maximum number of rows; 0 for no limit")
	return cmd
}

// withPage appends a page to the pages before, nil for none. Its token replaces theirs.
func withPage(all, page proto.Message) proto.Message {
	if all == nil {
		return page
	}
	all.ProtoReflect().Clear(all.ProtoReflect().Descriptor().Fields().ByName("next_page_token"))
	proto.Merge(all, page)
	return all
}

// pageSize is how many lines a list requests at a time.
const pageSize = 1000

// allPages requests the pages of a list, the first with an empty token, and returns the entries of all.
func allPages[T any, P interface{ GetNextPageToken() string }](entries func(P) []T, request func(token string) (P, error)) (all []T, err error) {
	for token := ""; ; {
		page, err := request(token)
		if err != nil {
			return nil, err
		}
		all = append(all, entries(page)...)
		if token = page.GetNextPageToken(); token == "" {
			return all, nil
		}
	}
}

func (c *cli) futures() *cobra.Command {
	return c.listing("futures", "List the open calls, and what each is waiting for",
		[]string{"CALL", "CALLER", "CALLEE", "METHOD", "DEADLINE", "WAITS FOR"},
		func(ctx context.Context, d *remote.Daemon, canister string, page *controlv1.Page, t *table) (proto.Message, string, error) {
			r, err := d.Messages.ListFutures(ctx, &controlv1.ListFuturesRequest{Instance: c.instance, CanisterId: canister, Page: page})
			for _, f := range r.GetFutures() {
				t.row(fmt.Sprint(f.GetCall().GetCallId()), c.nameOf(f.GetCaller()), c.nameOf(f.GetCallee()), f.GetMethod(), stamp(f.GetDeadline()), waits(f.GetWaiting()))
			}
			return r, r.GetNextPageToken(), err
		})
}

// waits says for people why something waits.
func waits(w *controlv1.Waiting) string {
	if w.GetRuleId() != 0 {
		return fmt.Sprintf("%s by rule %d (held %d)", w.GetText(), w.GetRuleId(), w.GetHeldId())
	}
	if w.GetText() != "" {
		return w.GetText()
	}
	return strings.ReplaceAll(word(w.GetReason(), "WAIT_REASON_"), "_", " ")
}

func (c *cli) contexts() *cobra.Command {
	return c.listing("contexts", "List the open call contexts",
		[]string{"CONTEXT", "CANISTER", "METHOD", "OPENED", "CALLS OUT", "ANSWERED", "FOR"},
		func(ctx context.Context, d *remote.Daemon, canister string, page *controlv1.Page, t *table) (proto.Message, string, error) {
			r, err := d.Messages.ListContexts(ctx, &controlv1.ListContextsRequest{Instance: c.instance, CanisterId: canister, Page: page})
			for _, x := range r.GetContexts() {
				outstanding := fmt.Sprint(x.GetOutstanding())
				if x.GetDeadlocked() {
					outstanding += " " + c.paint(red, "deadlock")
				}
				t.row(fmt.Sprint(x.GetContextId()), c.nameOf(x.GetCanisterId()), x.GetMethod(), stamp(x.GetOpened()), outstanding, yes(x.GetResponded()), c.origin(x.GetOrigin()))
			}
			return r, r.GetNextPageToken(), err
		})
}

func yes(is bool) string {
	if is {
		return "yes"
	}
	return "no"
}

func (c *cli) origin(o *controlv1.Origin) string {
	switch {
	case o.GetCall() != nil:
		return fmt.Sprintf("call %d of %s", o.GetCall().GetCallId(), c.nameOf(o.GetSender()))
	case len(o.GetRequestId()) > 0:
		return fmt.Sprintf("request %x of %s", o.GetRequestId(), c.nameOf(o.GetSender()))
	}
	return o.GetTask()
}

func (c *cli) queues() *cobra.Command {
	return c.listing("queues", "List the queued messages, and what each is waiting for",
		[]string{"CANISTER", "", "KIND", "FROM", "METHOD", "BYTES", "WAITS FOR"},
		func(ctx context.Context, d *remote.Daemon, canister string, page *controlv1.Page, t *table) (proto.Message, string, error) {
			r, err := d.Messages.ListMessages(ctx, &controlv1.ListMessagesRequest{Instance: c.instance, CanisterId: canister, Page: page})
			for _, m := range r.GetMessages() {
				t.row(c.nameOf(m.GetCanisterId()), fmt.Sprint(m.GetPosition()), m.GetKind(), c.nameOf(m.GetSender()), m.GetMethod(), fmt.Sprint(m.GetPayloadBytes()), waits(m.GetWaiting()))
			}
			return r, r.GetNextPageToken(), err
		})
}

// canisterTimers are the kinds of timers that canisters set.
var canisterTimers = []string{"global timer", "heartbeat"}

func (c *cli) timers() *cobra.Command {
	var all bool
	others := uint64(0)
	cmd := c.listing("timers", "List, fire and cancel the timers of canisters",
		[]string{"DUE", "KIND", "CANISTER", "NUMBER"},
		func(ctx context.Context, d *remote.Daemon, canister string, page *controlv1.Page, t *table) (proto.Message, string, error) {
			if !c.json { // not each timer is a row, and those of canisters come first: the table is cut at the end
				page.Size = pageSize
			}
			r, err := d.Messages.ListTimers(ctx, &controlv1.ListTimersRequest{Instance: c.instance, CanisterId: canister, Page: page})
			for _, timer := range r.GetTimers() {
				if !all && !c.json && !slices.Contains(canisterTimers, timer.GetKind()) {
					others++
					continue
				}
				t.row(c.timerRow(timer)...)
			}
			t.promote(func(row []string) bool { return slices.Contains(canisterTimers, row[1]) })
			if others > 0 && r.GetNextPageToken() == "" {
				c.note("%s of the network not shown: use --all", count(others, "deadline"))
			}
			return r, r.GetNextPageToken(), err
		})
	cmd.Long = `List the timers that canisters have set, and their heartbeats, the earliest first.
With --all, what else comes due follows: expirations of messages and calls, timeouts, and
charges for resources. --json always has everything.`
	cmd.Flags().BoolVar(&all, "all", false, "include what comes due in the network itself")
	cmd.AddCommand(
		c.forCanister("timers fire", "Fire the global timer of a canister now", "its timer fires in the next round", func(ctx context.Context, d *remote.Daemon, id string) (proto.Message, error) {
			return d.Messages.FireTimer(ctx, &controlv1.FireTimerRequest{Instance: c.instance, CanisterId: id})
		}),
		c.forCanister("timers cancel", "Cancel the global timer of a canister", "its timer is inactive", func(ctx context.Context, d *remote.Daemon, id string) (proto.Message, error) {
			return d.Messages.CancelTimer(ctx, &controlv1.CancelTimerRequest{Instance: c.instance, CanisterId: id})
		}),
	)
	return cmd
}

func (c *cli) timerRow(timer *controlv1.Timer) []string {
	due, number := stamp(timer.GetDue()), ""
	if due == "" {
		due = "every round"
	}
	if timer.GetNumber() != 0 {
		number = fmt.Sprint(timer.GetNumber())
	}
	return []string{due, timer.GetKind(), c.nameOf(timer.GetCanisterId()), number}
}
