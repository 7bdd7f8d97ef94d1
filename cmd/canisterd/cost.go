package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
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
	rate        usdRate
	during      bool
	exec        execFlags
}

// usdRate is how many US dollars an XDR costs, in millionths; 0: it was not given.
type usdRate uint64

// millionth is the unit of rates and of amounts of money.
const millionth = 1_000_000

// Set reads a decimal number with at most six places.
func (r *usdRate) Set(text string) error {
	whole, part, _ := strings.Cut(text, ".")
	digits := whole + (part + "000000")[:6]
	n, err := strconv.ParseUint(digits, 10, 64)
	if err != nil || whole == "" || len(part) > 6 || n == 0 || n > maxRate*millionth {
		return fmt.Errorf("invalid rate %q: expected US dollars for an XDR, such as 1.36", text)
	}
	*r = usdRate(n)
	return nil
}

// maxRate is the largest rate, in US dollars. Ours: with it, amounts of cycles stay below 128 bits.
const maxRate = 1_000_000

// String is the number without zeros at its end.
func (r *usdRate) String() string {
	if *r == 0 {
		return ""
	}
	return strconv.FormatFloat(float64(*r)/millionth, 'f', -1, 64)
}

// Type is what help shows.
func (r *usdRate) Type() string { return "USD" }

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
compute allocation. Prices are those of %s; 1 T cycles cost 1 XDR. The exchange rate
of --rate is yours: none is built in.

With --during, from the calls while a command runs: in an instance of its own, as with
canisterd exec, or with -i in that instance.`, cycles.AsOf),
		Example: `  canisterd cost
  canisterd cost bank.withdraw
  canisterd cost --calls-per-day 10000 --rate 1.36
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
	cmd.Flags().Var(&f.rate, "rate", "show a day in US dollars, at this price of an XDR, which is that of 1 T cycles")
	cmd.Flags().BoolVar(&f.during, "during", false, "price all calls while a command runs")
	cmd.Flags().StringVar(&f.exec.deploy, "deploy", "", "with --during, deploy the canisters of this directory first")
	cmd.Flags().StringVar(&f.exec.from, "fork", "", "with --during, fork this instance, NAME or NAME@SNAPSHOT, instead of creating an empty one")
	return cmd
}

func (c *cli) runCost(ctx context.Context, f *costFlags, args []string) error {
	switch {
	case f.during && len(args) == 0:
		return errors.New("expected a command: canisterd cost --during [flags] -- COMMAND [ARGUMENTS]")
	case f.during:
		return c.during(ctx, &f.exec, args, func(ctx context.Context, d *remote.Daemon, deployed map[string]string, run func() error) error {
			return c.pricedDuring(ctx, d, f, deployed, run)
		})
	case f.exec.deploy != "" || f.exec.from != "":
		return errors.New("--deploy and --fork are for --during")
	}
	return c.connected(ctx, func(ctx context.Context, d *remote.Daemon) error {
		return c.priced(ctx, d, f, first(args), "", c.known().names)
	})
}

// pricedDuring prices the calls of an instance while a command runs, even if that fails.
func (c *cli) pricedDuring(ctx context.Context, d *remote.Daemon, f *costFlags, names map[string]string, run func() error) error {
	before, err := c.newestToken(ctx, d)
	if err != nil {
		return err
	}
	failed := run()
	return errors.Join(failed, c.priced(context.WithoutCancel(ctx), d, f, "", before, names))
}

// priced reads what the instance remembers after a token, or all of it, and prints what it costs.
func (c *cli) priced(ctx context.Context, d *remote.Daemon, f *costFlags, only, after string, names map[string]string) error {
	described, err := d.Instances.GetInstance(ctx, &controlv1.GetInstanceRequest{Instance: c.instance})
	if err != nil {
		return err
	}
	nodes := map[string]uint64{}
	for _, s := range described.GetInstance().GetSubnets() {
		nodes[s.GetSubnetId()] = uint64(s.GetNodes())
	}
	b := newBill(nodes)
	if err := c.remembered(ctx, d, after, b.add); err != nil {
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
	result := costResult{PriceList: cycles.AsOf, Subnets: pricedSubnets[:], CallsPerDay: f.callsPerDay, Methods: []methodCost{}, Canisters: []canisterCost{}, rate: millionth}
	if f.rate > 0 {
		result.Rate, result.rate = json.Number(f.rate.String()), uint64(f.rate)
	}
	canisters := map[string]*controlv1.Canister{}
	for _, id := range b.executed() {
		if canister != "" && id.canister != canister || method != "" && id.method != method {
			continue
		}
		found, err := c.canisterPriced(ctx, d, canisters, id.canister)
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
	all, err := allCanisters(ctx, d, c.instance)
	if err != nil {
		return err
	}
	for _, s := range all {
		if canister != "" && s.GetCanisterId() != canister {
			continue
		}
		found, err := c.canisterPriced(ctx, d, canisters, s.GetCanisterId())
		if err != nil {
			return err
		}
		if found != nil {
			result.Canisters = append(result.Canisters, holdingCost(found, names[s.GetCanisterId()]))
		}
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

// newestToken returns the place of the newest event of the instance.
func (c *cli) newestToken(ctx context.Context, d *remote.Daemon) (string, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	now, err := d.Events.Watch(ctx, &controlv1.WatchRequest{Instance: c.instance})
	if err != nil {
		return "", err
	}
	newest, err := now.Recv() // a token
	return newest.GetResumeToken(), err
}

// eventsForgotten is the reason of the refusal to go on after an event that is not remembered.
const eventsForgotten = "EVENTS_FORGOTTEN"

// remembered passes the events that the instance remembers now, after a token; "": all. If some are forgotten, it says so
// and passes the others.
func (c *cli) remembered(ctx context.Context, d *remote.Daemon, after string, handle func(*controlv1.Event)) error {
	newest, err := c.newestToken(ctx, d)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stream, err := d.Events.Watch(ctx, &controlv1.WatchRequest{Instance: c.instance, ResumeToken: after, FromBeginning: after == ""})
	if err != nil {
		return err
	}
	for {
		r, err := stream.Recv()
		if reason, _ := remote.Reason(err); reason == eventsForgotten && after != "" {
			c.note("note: the instance has forgotten the first calls: prices are means over the others")
			return c.remembered(ctx, d, "", handle)
		}
		if err != nil {
			return err
		}
		if e := r.GetEvent(); e != nil {
			handle(e)
		}
		if r.GetResumeToken() == newest {
			return nil
		}
	}
}
