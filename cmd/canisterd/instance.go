package main

import (
	"bufio"
	"context"
	"encoding/hex"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/canisterd/canisterd/api/control/remote"
	"github.com/canisterd/canisterd/internal/control/request"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

func (c *cli) instanceGroup() *cobra.Command {
	cmd := group("instance", "Create, fork, snapshot, compare and delete instances, each a network of its own")
	cmd.AddCommand(
		c.instanceList(), c.instanceCreate(), c.instanceShow(), c.instanceDelete(), c.instanceFork(), c.instanceHistory(), c.instanceMark(), c.instanceBisect(),
		c.instanceSnapshot(), c.instanceSnapshots(), c.instanceForget(), c.instanceRestore(), c.instanceDiff(),
		c.instanceExport(), c.instanceImport(),
	)
	return cmd
}

func (c *cli) instanceList() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the instances",
		Example: `  canisterd instance list
  canisterd instance list --jq '.instances[].name'`,
		Args: cobra.NoArgs,
		RunE: c.connecting(func(ctx context.Context, d *remote.Daemon, _ []string) error {
			all, err := allPages((*controlv1.ListInstancesResponse).GetInstances, func(token string) (*controlv1.ListInstancesResponse, error) {
				return d.Instances.ListInstances(ctx, &controlv1.ListInstancesRequest{PageToken: token})
			})
			if err != nil {
				return err
			}
			return c.print(c.instances(all), &controlv1.ListInstancesResponse{Instances: all})
		}),
	}
}

func (c *cli) instances(all []*controlv1.Instance) string {
	t := c.table("NAME", "STATE", "PACING", "ROUNDS", "TIME", "URL")
	for _, i := range all {
		state, as := "running", green
		if i.GetState() == controlv1.InstanceState_INSTANCE_STATE_FAILED {
			state, as = "failed", red
		}
		at := stamp(i.GetTime())
		if ahead := aheadText(i.GetOffset().AsDuration()); ahead != "" {
			at += ", " + ahead + " ahead"
		}
		t.row(i.GetName(), c.paint(as, state), pacingText(i.GetPacing()), fmt.Sprint(i.GetHeight()), at, first(i.GetUrls()))
	}
	return t.String()
}

// subnetUsage describes --subnet of all commands that make networks.
var subnetUsage = "subnets, by kind; repeatable or comma-separated: " + strings.Join(request.SubnetKinds(), ", ") + " (default: nns,application)"

// outcallsUsage describes --outcalls of all commands that make instances.
const outcallsUsage = "HTTP outcall mode: allow, hold, deny, replicated or strict (docs/outcalls.md; default: the daemon's)"

type instanceFlags struct {
	subnets, system                      []string
	seed, start, pacing, outcalls        string
	memoryDir, httpListen, reseed, lease string
	reach                                reachFlags
	rateLimits, ephemeral                bool
}

const (
	httpListenUsage = "serve the instance over HTTP at its own address, host:port; port 0 picks a free port"
	seedUsage       = "seed for keys, ids and randomness, up to 32 bytes in hex (default: random; instance show prints it)"
	rateLimitsUsage = "limit the rate of memory changes and installations, as mainnet does"
)

// parseSeed parses a seed; an empty text is none.
func parseSeed(text string) ([]byte, error) {
	seed, err := hex.DecodeString(strings.TrimPrefix(text, "0x"))
	if err != nil {
		return nil, fmt.Errorf("invalid --seed %q: expected bytes in hex, such as 07", text)
	}
	return seed, nil
}

func parseStartTime(text string) (time.Time, error) {
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return t, fmt.Errorf("invalid --start-time %q: expected a time such as 2030-01-01T00:00:00Z", text)
	}
	return t, nil
}

// reachFlags say which servers of this machine and its networks outcalls may reach.
type reachFlags struct {
	local   bool
	targets []string
}

// add adds the flags; otherwise describes their default.
func (f *reachFlags) add(cmd *cobra.Command, otherwise string) {
	flags := cmd.Flags()
	flags.BoolVar(&f.local, "outcalls-local", false, "allow HTTP outcalls to loopback, link-local and private addresses (default: "+otherwise+")")
	flags.StringSliceVar(&f.targets, "outcalls-target", nil, "allow HTTP outcalls to this local server; repeatable or comma-separated: host:port, host, or a CIDR block such as 10.0.0.0/8")
}

func (f *instanceFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringSliceVar(&f.subnets, "subnet", nil, subnetUsage)
	flags.StringSliceVar(&f.system, "system-canisters", nil, systemUsage)
	flags.StringVar(&f.seed, "seed", "", seedUsage)
	flags.BoolVar(&f.rateLimits, "rate-limits", false, rateLimitsUsage)
	flags.StringVar(&f.start, "start-time", "", "initial time of the network, such as 2030-01-01T00:00:00Z (default: now; under a pacing that does not follow the clock, 2021-05-06T19:17:10Z)")
	flags.StringVar(&f.pacing, "pacing", "", "when rounds run: "+pacingForms()+" (default: auto)")
	flags.StringVar(&f.outcalls, "outcalls", "", outcallsUsage)
	f.reach.add(cmd, "the daemon's")
	f.addMemoryDir(cmd)
	flags.StringVar(&f.httpListen, "http-listen", "", httpListenUsage)
}

// addMemoryDir adds --memory-dir. It was called --state-dir, which is taken still: elsewhere that is the state directory.
func (f *instanceFlags) addMemoryDir(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.memoryDir, "memory-dir", "", memoryDirUsage)
	flags.StringVar(&f.memoryDir, "state-dir", "", memoryDirUsage)
	_ = flags.MarkHidden("state-dir") // the flag is there
}

// addEphemeral adds --ephemeral to a command whose instances are kept by default.
func (f *instanceFlags) addEphemeral(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.ephemeral, "ephemeral", false, "keep the instance in memory only (default: on disk, unless the daemon is ephemeral)")
}

func (f *instanceFlags) request(name string) (*controlv1.CreateInstanceRequest, error) {
	r := &controlv1.CreateInstanceRequest{Instance: name, StateDir: f.memoryDir, HttpListen: f.httpListen, Lease: f.lease, OutcallsLocal: f.reach.local, OutcallTargets: f.reach.targets, RateLimits: f.rateLimits, Ephemeral: f.ephemeral, SystemCanisters: f.system}
	for _, kind := range f.subnets {
		k, ok := request.SubnetKind(kind)
		if !ok {
			return nil, fmt.Errorf("invalid --subnet %q: expected one of %s", kind, strings.Join(request.SubnetKinds(), ", "))
		}
		r.Subnets = append(r.Subnets, &controlv1.SubnetSpec{Kind: k})
	}
	var err error
	if r.Seed, err = parseSeed(f.seed); err != nil {
		return nil, err
	}
	if f.start != "" {
		t, err := parseStartTime(f.start)
		if err != nil {
			return nil, err
		}
		r.StartTime = timestamppb.New(t)
	}
	if r.Pacing, err = parsePacing(f.pacing); err != nil {
		return nil, err
	}
	r.Outcalls, err = parseOutcallMode(f.outcalls)
	return r, err
}

func parseOutcallMode(text string) (controlv1.OutcallMode, error) {
	mode := controlv1.OutcallMode_value["OUTCALL_MODE_"+strings.ToUpper(text)]
	if mode == 0 && text != "" {
		return 0, fmt.Errorf("invalid --outcalls %q: expected allow, hold, deny, strict or replicated", text)
	}
	return controlv1.OutcallMode(mode), nil
}

func (c *cli) instanceCreate() *cobra.Command {
	var f instanceFlags
	cmd := &cobra.Command{
		Use:   "create [NAME]",
		Short: "Create an instance",
		Long:  `Create an instance. NAME defaults to instance-1, instance-2 and so on.`,
		Example: `  canisterd instance create lab --pacing manual
  canisterd instance create lab --start-time 2030-01-01T00:00:00Z --seed 07
  canisterd instance create two --subnet nns,application,application`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			request, err := f.request(first(args))
			if err != nil {
				return err
			}
			return c.connected(cmd.Context(), func(ctx context.Context, d *remote.Daemon) error {
				made, err := d.Instances.CreateInstance(ctx, request)
				if err != nil {
					return err
				}
				return c.print(c.described(made.GetInstance()), made)
			})
		},
	}
	f.add(cmd)
	f.addEphemeral(cmd)
	return c.addVerbose(cmd)
}

// described describes an instance for people.
func (c *cli) described(i *controlv1.Instance) string {
	return fmt.Sprintf("%s is %s\n%s", i.GetName(), word(i.GetState(), "INSTANCE_STATE_"), c.particulars(i))
}

// particulars lists the properties of an instance, one per line.
func (c *cli) particulars(i *controlv1.Instance) string {
	var text strings.Builder
	if i.GetFailure() != "" {
		fmt.Fprintf(&text, "failure   %s\n", c.paint(red, i.GetFailure()))
	}
	for _, url := range i.GetUrls() {
		fmt.Fprintf(&text, "http      %s\n", url)
	}
	for _, s := range i.GetSubnets() {
		fmt.Fprintf(&text, "subnet    %s (%s, %s)\n", s.GetSubnetId(), word(s.GetKind(), "SUBNET_KIND_"), count(uint64(s.GetNodes()), "node"))
	}
	fmt.Fprintf(&text, "time      %s\n", timeText(i))
	if n := i.GetCensus(); n != nil {
		fmt.Fprintf(&text, "inside    %s, %s, %s, %d queued and %d held messages\n",
			count(n.GetCanisters(), "canister"), count(n.GetCallContexts(), "call context"), count(n.GetFutures(), "future"), n.GetQueuedMessages(), n.GetHeldMessages())
	}
	if from := i.GetForkedFrom(); from != "" {
		fmt.Fprintf(&text, "forked    from %s\n", from)
	}
	fmt.Fprintf(&text, "network   %s\n", i.GetNetworkId())
	if !i.GetEphemeral() {
		text.WriteString("state     kept for the next start of the daemon\n")
	}
	if c.verbose {
		fmt.Fprintf(&text, "seed      %x\nroot key  %x\n", i.GetSeed(), i.GetRootKey())
	}
	return strings.TrimSuffix(text.String(), "\n")
}

// addVerbose adds the flag for the seed and the root key to a command that describes an instance.
func (c *cli) addVerbose(cmd *cobra.Command) *cobra.Command {
	cmd.Flags().BoolVar(&c.verbose, "verbose", false, "also print the seed and the root key (--json always has them)")
	return cmd
}

func (c *cli) instanceShow() *cobra.Command {
	return &cobra.Command{
		Use:   "show [NAME]",
		Short: "Show an instance; with --json, also the limits of networks",
		Example: `  canisterd instance show
  canisterd instance show lab --jq .instance.root_key
  canisterd instance show --jq .limits`,
		Args: cobra.MaximumNArgs(1),
		RunE: c.connecting(func(ctx context.Context, d *remote.Daemon, args []string) error {
			got, err := d.Instances.GetInstance(ctx, &controlv1.GetInstanceRequest{Instance: c.named(args), Limits: c.json})
			if err != nil {
				return err
			}
			c.verbose = true
			return c.print(c.described(got.GetInstance()), got)
		}),
	}
}

// named returns the name of the instance that a command is about: its argument, or --instance.
func (c *cli) named(args []string) string {
	if len(args) > 0 {
		return args[0]
	}
	return c.instance
}

// deletedByDefault names what a deletion of the default instance deletes.
const deletedByDefault = "the instance default, which commands are about without --instance, and everything in it"

// confirmed asks on a terminal before something is deleted. Elsewhere it requires --yes.
func (c *cli) confirmed(what string, yes bool) error { return c.agreed("delete", what, yes) }

// agreed asks on a terminal before something is done. Elsewhere it requires --yes.
func (c *cli) agreed(verb, what string, yes bool) error {
	if yes {
		return nil
	}
	if !terminal(c.err) || !term.IsTerminal(int(os.Stdin.Fd())) {
		return fmt.Errorf("there is no terminal to confirm on: pass --yes to %s %s", verb, what)
	}
	fmt.Fprintf(c.err, "%s %s? [y/N] ", verb, what)
	answer, err := bufio.NewReader(os.Stdin).ReadString('\n')
	if answer = strings.ToLower(strings.TrimSpace(answer)); err != nil || answer != "y" && answer != "yes" {
		return fmt.Errorf("not confirmed: did not %s %s", verb, what)
	}
	return nil
}

func (c *cli) instanceDelete() *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use:   "delete NAME...",
		Short: "Delete instances with everything in them",
		Example: `  canisterd instance delete lab
  canisterd instance delete lab branch`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := c.confirmed(deletedByDefault, yes || !slices.Contains(args, defaultInstance)); err != nil {
				return err
			}
			return c.connected(cmd.Context(), func(ctx context.Context, d *remote.Daemon) error {
				for _, name := range args {
					if _, err := d.Instances.DeleteInstance(ctx, &controlv1.DeleteInstanceRequest{Instance: name}); err != nil {
						return err
					}
					if err := c.done(map[string]string{"instance": name, "done": "deleted"}, "%s: deleted", name); err != nil {
						return err
					}
				}
				return nil
			})
		},
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask for confirmation before the default instance is deleted")
	return cmd
}

func (c *cli) instanceFork() *cobra.Command {
	var f instanceFlags
	var snapshot, at string
	cmd := &cobra.Command{
		Use:   "fork [NAME]",
		Short: "Fork an instance from its current state, a snapshot or a past round",
		Long: `Fork an instance (--instance) from its current state, from a snapshot, or from a past
round; canisterd instance history lists the rounds. A fork of a past round has manual
pacing by default, so that it stays there. NAME defaults to instance-1, instance-2 and
so on.`,
		Example: `  canisterd -i lab instance fork branch
  canisterd -i lab instance fork branch --snapshot before --reseed again
  canisterd instance fork then --at 42
  canisterd instance fork then --at mark:before-upgrade`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			pacing, err := parsePacing(f.pacing)
			if err != nil {
				return err
			}
			request := &controlv1.ForkInstanceRequest{
				Instance: c.instance, Snapshot: snapshot, Name: first(args), Pacing: pacing, HttpListen: f.httpListen, Reseed: []byte(f.reseed), Ephemeral: f.ephemeral,
			}
			return c.connected(cmd.Context(), func(ctx context.Context, d *remote.Daemon) error {
				made, err := fork(ctx, d, request, at)
				if err != nil {
					return err
				}
				return c.print(c.described(made.GetInstance()), made)
			})
		},
	}
	cmd.Flags().StringVar(&snapshot, "snapshot", "", "fork this snapshot instead of the current state")
	cmd.Flags().StringVar(&at, "at", "", "fork a past state: after a round, at a time, before a request id was accepted, or at a mark (mark:NAME)")
	cmd.MarkFlagsMutuallyExclusive("snapshot", "at")
	cmd.Flags().StringVar(&f.pacing, "pacing", "", "when rounds run: "+pacingForms()+" (default: that of the forked instance; manual with --at)")
	cmd.Flags().StringVar(&f.httpListen, "http-listen", "", httpListenUsage)
	cmd.Flags().StringVar(&f.reseed, "reseed", "", "any text: the fork gets other randomness than its source")
	f.addEphemeral(cmd)
	return c.addVerbose(cmd)
}
