package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"google.golang.org/grpc/codes"

	"github.com/canisterd/canisterd/api/control/remote"
	"github.com/canisterd/canisterd/intercanister/cycles"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// costFlags say what is priced.
type costFlags struct {
	callsPerDay uint64
	during      bool
	exec        execFlags
}

// pricedSubnets are the sizes of subnets whose prices are shown: most of mainnet's subnets have 13 nodes, the fiduciary
// one has 34.
var pricedSubnets = [2]uint64{13, 34}

func (c *cli) cost() *cobra.Command {
	var f costFlags
	cmd := &cobra.Command{
		Use:   "cost [CANISTER[.METHOD]]",
		Short: "Show what canisters would cost on mainnet",
		Long: fmt.Sprintf(`Show what canisters would cost on mainnet, on subnets with 13 and with 34 nodes: their
methods, from the calls that the instance remembers, and what they pay a day for memory and
compute allocation. Prices are those of %s; 1 T cycles cost 1 XDR.

With --during, from everything that canisters do while a command runs: in an instance of
its own (canisterd exec), or in that of -i.`, cycles.AsOf),
		Example: `  canisterd cost
  canisterd cost bank.withdraw
  canisterd cost --calls-per-day 10000
  canisterd cost --during --deploy . -- npm test`,
		Args: func(_ *cobra.Command, args []string) error {
			if !f.during && len(args) > 1 {
				return fmt.Errorf("expected at most one CANISTER or CANISTER.METHOD, but got %d arguments", len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return c.runCost(cmd.Context(), &f, args) },
	}
	cmd.Flags().Uint64Var(&f.callsPerDay, "calls-per-day", 0, "price a day with `N` calls: of METHOD, or of users, in the proportion in which they called methods")
	cmd.Flags().BoolVar(&f.during, "during", false, "price all calls while a command runs")
	cmd.Flags().StringVar(&f.exec.deploy, "deploy", "", "with --during, deploy the canisters of this directory first")
	cmd.Flags().StringVar(&f.exec.from, "fork", "", "with --during, fork this instance, NAME or NAME@SNAPSHOT, instead of creating an empty one")
	return cmd
}

func (c *cli) runCost(ctx context.Context, f *costFlags, args []string) error {
	switch {
	case f.during && len(args) == 0:
		return errors.New("expected a command: canisterd cost --during [flags] -- COMMAND [ARGUMENTS]")
	case f.during && c.instance == "":
		f.exec.around = func(ctx context.Context, d *remote.Daemon, deployed map[string]string, run func() error) error {
			failed := run()
			return errors.Join(failed, c.priced(ctx, d, f, "", deployed))
		}
		return c.execute(ctx, &f.exec, args)
	case f.during:
		return fmt.Errorf("--during has an instance of its own, and -i names instance %q: leave out one of them", c.instance)
	case f.exec.deploy != "" || f.exec.from != "":
		return errors.New("--deploy and --fork are for --during")
	}
	return c.connected(ctx, func(ctx context.Context, d *remote.Daemon) error {
		return c.priced(ctx, d, f, first(args), c.known().names)
	})
}

// priced reads what the instance remembers and prints what it costs.
func (c *cli) priced(ctx context.Context, d *remote.Daemon, f *costFlags, only string, names map[string]string) error {
	b := newBill()
	if err := c.remembered(ctx, d, b.add); err != nil {
		return err
	}
	canister, method, _ := strings.Cut(only, ".")
	if canister != "" {
		id, err := c.canisterOf(canister)
		if err != nil {
			return err
		}
		canister = id
	}
	result := costResult{PriceList: cycles.AsOf, Subnets: pricedSubnets[:], CallsPerDay: f.callsPerDay, Methods: []methodCost{}, Canisters: []canisterCost{}}
	described := map[string]*controlv1.Canister{}
	for _, id := range b.executed() {
		if canister != "" && id.canister != canister || method != "" && id.method != method {
			continue
		}
		found, err := c.canisterPriced(ctx, d, described, id.canister)
		if err != nil {
			return err
		}
		if found != nil {
			m, of := b.methods[id], b.users
			if method != "" {
				of = m.calls
			}
			result.Methods = append(result.Methods, costOf(id, m, names[id.canister], found.GetMemory64(), f.callsPerDay, of))
		}
	}
	if method != "" && len(result.Methods) == 0 {
		return fmt.Errorf("the instance remembers no call of %s: call it first, or run tests with canisterd cost --during", only)
	}
	if err := c.eachCanister(ctx, d, func(s *controlv1.CanisterSummary) error {
		if canister != "" && s.GetCanisterId() != canister {
			return nil
		}
		found, err := c.canisterPriced(ctx, d, described, s.GetCanisterId())
		if err != nil || found == nil {
			return err
		}
		result.Canisters = append(result.Canisters, holdingCost(found, names[s.GetCanisterId()]))
		return nil
	}); err != nil {
		return err
	}
	return c.print(result.text(c), &result)
}

// canisterPriced asks for a canister once. The result is nil if it was deleted.
func (c *cli) canisterPriced(ctx context.Context, d *remote.Daemon, known map[string]*controlv1.Canister, id string) (*controlv1.Canister, error) {
	if found, ok := known[id]; ok {
		return found, nil
	}
	got, err := d.Canisters.GetCanister(ctx, &controlv1.GetCanisterRequest{Instance: c.instance, CanisterId: id})
	if code := remote.Code(err); err != nil && code != codes.NotFound && code != codes.InvalidArgument {
		return nil, err
	}
	known[id] = got.GetCanister()
	return known[id], nil
}

// remembered passes all events that the instance remembers now.
func (c *cli) remembered(ctx context.Context, d *remote.Daemon, handle func(*controlv1.Event)) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	now, err := d.Events.Watch(ctx, &controlv1.WatchRequest{Instance: c.instance})
	if err != nil {
		return err
	}
	newest, err := now.Recv() // a token
	if err != nil {
		return err
	}
	stream, err := d.Events.Watch(ctx, &controlv1.WatchRequest{Instance: c.instance, FromBeginning: true})
	if err != nil {
		return err
	}
	for {
		r, err := stream.Recv()
		if err != nil {
			return err
		}
		if e := r.GetEvent(); e != nil {
			handle(e)
		}
		if r.GetResumeToken() == newest.GetResumeToken() {
			return nil
		}
	}
}

// eachCanister passes the canisters of the instance in the order of their ids.
func (c *cli) eachCanister(ctx context.Context, d *remote.Daemon, do func(*controlv1.CanisterSummary) error) error {
	for token := ""; ; {
		page, err := d.Canisters.ListCanisters(ctx, &controlv1.ListCanistersRequest{Instance: c.instance, PageSize: pageSize, PageToken: token})
		if err != nil {
			return err
		}
		for _, s := range page.GetCanisters() {
			if err := do(s); err != nil {
				return err
			}
		}
		if token = page.GetNextPageToken(); token == "" {
			return nil
		}
	}
}
