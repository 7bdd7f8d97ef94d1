package explore

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"time"

	"github.com/canisterd/canisterd"
	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/management"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/explore/campaign"
	"github.com/canisterd/canisterd/internal/explore/harness"
	"github.com/canisterd/canisterd/internal/explore/property"
	"github.com/canisterd/canisterd/internal/explore/search"
	"github.com/canisterd/canisterd/replica"
)

// Option says what to explore, or how: for example [Op].
type Option func(*config) error

// config is the configuration that the options of one exploration make.
type config struct {
	campaign.Config
	ctx     context.Context
	network *canisterd.Network
	lines   []func(*property.Names) error // invariants and goals, read when all canisters are known
	// drawn and restricted are the options about drawn arguments, read when the base is known.
	drawn, restricted []func() error
	drawnPrincipals   []principal.Principal
	principals        map[principal.Principal]bool // those of drawnPrincipals
	fresh             bool                         // cases begin in the present state
	seeded            bool                         // a seed was given
	corpus            corpusFolder
	suspicions        bool
	folder            string
	written           []string // paths of the schedules that this test has written
}

// Op is an operation: an update call that may begin at any time of a run. Arguments are as for
// [canisterd.Canister.Call].
func Op(c *canisterd.Canister, method string, args ...any) Option {
	return func(to *config) error {
		arg, err := c.Encode(to.ctx, method, args...)
		if err != nil {
			return err
		}
		effective := c.ID()
		if effective == principal.Management {
			running, err := instanceOf(to.network)
			if err != nil {
				return err
			}
			effective = management.EffectiveCanister(arg, running.Driver().View().DefaultCanister())
		}
		in := replica.Ingress{
			Sender: c.Caller(), Receiver: c.ID(), Effective: effective, Method: method, Arg: arg, Size: replica.EnvelopeBytes + len(method) + len(arg),
		}
		to.Setup.Operations = append(to.Setup.Operations, harness.Operation{Title: titleOf(to.network, c, &in), Message: in})
		return nil
	}
}

// titleOf returns a call for people.
func titleOf(n *canisterd.Network, c *canisterd.Canister, in *replica.Ingress) string {
	title := c.String() + "." + in.Method
	if values, _, err := candid.Decode(in.Arg); err == nil {
		title += candid.Brief(values, titleWidth, func(id principal.Principal) string { return n.CanisterAt(id).Name() })
	}
	return title
}

// Invariant is a line that must hold when no message is left, such as
//
//	vault paidOut <= 100
//	ledger icrc1_total_supply == 1000000
//	each message: vault paidOut <= bank deposited
//	eventually: bank locked == false
//
// A side is a query of a canister, by its name or id, with arguments in Candid text, or a value. Relations are == != <=
// >= < and >. With "each message:" the invariant must hold after each message. With "eventually:" it must hold when the
// run has gone on at the next timers: before, one of them may repair it.
func Invariant(line string) Option {
	return read(func(to *config, names *property.Names) error {
		p, err := names.ParseInvariant(line)
		if err == nil {
			to.Properties = append(to.Properties, p)
		}
		return err
	})
}

// Sometimes is a line as for [Invariant] that must hold at the end of some run: a state that the exploration must reach
// to be meaningful. If no run reaches it, that is a finding.
func Sometimes(line string) Option {
	return read(func(to *config, names *property.Names) error {
		p, err := names.ParseInvariant(line)
		if err == nil {
			to.Config.Sometimes = append(to.Config.Sometimes, property.Sometimes{Title: p.Title, Condition: *p})
		}
		return err
	})
}

// Maximize is a query with a numeric result, such as "vault paidOut". The report has the shortest run with the largest
// result.
func Maximize(query string) Option {
	return read(func(to *config, names *property.Names) error {
		q, err := names.ParseQuery(query)
		if err == nil {
			to.Config.Maximize = append(to.Config.Maximize, property.Maximize{Title: names.Title(query), Query: *q})
		}
		return err
	})
}

// Observe is a query whose reply users see, such as "bank balance": runs are compared with serial orders by the answers
// to operations and to these queries.
func Observe(query string) Option {
	return read(func(to *config, names *property.Names) error {
		q, err := names.ParseQuery(query)
		if err == nil {
			to.Config.Observe = append(to.Config.Observe, *q)
		}
		return err
	})
}

func read(line func(*config, *property.Names) error) Option {
	return func(to *config) error {
		to.lines = append(to.lines, func(names *property.Names) error { return line(to, names) })
		return nil
	}
}

// State is the network of a run, for queries. It is only valid in the function that gets it.
type State struct {
	ctx context.Context
	run *harness.Run
}

// Query is [canisterd.Canister.Query] in the state of the run.
func (s *State) Query(c *canisterd.Canister, method string, args ...any) error {
	arg, err := c.Encode(s.ctx, method, args...)
	if err != nil {
		return err
	}
	reply, err := s.run.Query(&harness.Query{Canister: c.ID(), Sender: c.Caller(), Method: method, Arg: arg})
	if err != nil {
		return fmt.Errorf("%s.%s: %w", c, method, err)
	}
	return c.Decode(s.ctx, method, reply, args...)
}

// Query is [State.Query] for a query with one result.
func Query[R any](s *State, c *canisterd.Canister, method string, args ...any) (result R, err error) {
	err = s.Query(c, method, append(args, canisterd.Into(&result))...)
	return result, err
}

// Answers returns the answers to the operations that take part in the run, in the order of the options.
func (s *State) Answers() []harness.Answer { return s.run.Answers() }

// Holds is an invariant in Go. Check returns why it does not hold when no message is left, nil if it does. It is called
// on several goroutines.
func Holds(title string, check func(*State) error) Option {
	return holds(title, check, property.AtRest)
}

// HoldsAfterEachMessage is [Holds] for the state after each message.
func HoldsAfterEachMessage(title string, check func(*State) error) Option {
	return holds(title, check, property.EachMessage)
}

// HoldsEventually is [Holds] for the state after the timers that a run waits for: before, one of them may repair it.
func HoldsEventually(title string, check func(*State) error) Option {
	return holds(title, check, property.Eventually)
}

func holds(title string, check func(*State) error, when property.When) Option {
	return func(to *config) error {
		to.Properties = append(to.Properties, &property.Func{Title: title, When: when, Holds: func(r *harness.Run) error {
			return check(&State{to.ctx, r})
		}})
		return nil
	}
}

// Faults is how many faults a run has at most, and of which kinds; without kinds, all. The default is one fault of any
// kind.
func Faults(most int, kinds ...Fault) Option {
	return func(to *config) error {
		if most < 0 || most > maxFaults {
			return fmt.Errorf("invalid number of faults %d: expected 0 to %d", most, maxFaults)
		}
		to.Config.Faults, to.Kinds = most, kinds
		return nil
	}
}

// Waits is how often a run continues at the next global timer when no message is left. The default is four times.
func Waits(times int) Option {
	return func(to *config) error {
		if times < 0 || times > maxWaits {
			return fmt.Errorf("invalid number of waits %d: expected 0 to %d", times, maxWaits)
		}
		to.Setup.Waits = times
		return nil
	}
}

// Retried is an operation whose message the user may send twice, for example after a timeout. Both messages are
// executed.
func Retried(operation Option) Option {
	return func(to *config) error {
		before := len(to.Setup.Operations)
		if err := operation(to); err != nil {
			return err
		}
		for i := before; i < len(to.Setup.Operations); i++ {
			to.Setup.Operations[i].Retried = true
		}
		return nil
	}
}

// Upgrade lets the controller of a canister upgrade it in the middle of a run, between a call and its answer. The
// module is as uploaded. The argument has the bytes that canister_post_upgrade reads; nil: no arguments.
func Upgrade(c *canisterd.Canister, module, arg []byte) Option {
	return func(to *config) error {
		if to.Setup.Upgrades == nil {
			to.Setup.Upgrades = make(map[principal.Principal]harness.NextModule)
		}
		to.Setup.Upgrades[c.ID()] = harness.NextModule{Module: module, Arg: arg}
		return nil
	}
}

// Outcalls are the possible answers to HTTP outcalls: the first without a fault, each of the others as a fault. By
// default no outcall is answered.
func Outcalls(answers ...OutcallAnswer) Option {
	return func(to *config) error { to.Setup.Outcalls = answers; return nil }
}

// OutcallAnswer is an answer to an HTTP outcall.
type OutcallAnswer = replica.OutcallAnswer

// Fault is a kind of fault.
type Fault = harness.FaultKind

// The kinds of faults.
const (
	RejectTransient   = harness.RejectTransient   // a call is rejected with SYS_TRANSIENT
	RejectDestination = harness.RejectDestination // with DESTINATION_INVALID
	RejectError       = harness.RejectError       // with CANISTER_ERROR
	RejectCanister    = harness.RejectCanister    // with CANISTER_REJECT
	Unknown           = harness.Unknown           // a best-effort call is lost: SYS_UNKNOWN
	LostAnswer        = harness.LostAnswer        // its answer is lost: SYS_UNKNOWN, and the callee has run
	TrapCallback      = harness.TrapCallback      // a callback exceeds the instruction limit
	TrapCleanup       = harness.TrapCleanup       // and its cleanup closure, too
	NoCalls           = harness.NoCalls           // a message cannot make calls: ic0.call_perform is not 0
	Silent            = harness.Silent            // an untrusted callee never answers
	FireTimer         = harness.FireTimer         // the global timer of a canister fires after a message, before it is due
	PassTime          = harness.PassTime          // time passes after a message, until the next timer or deadline
	Stop              = harness.Stop              // a canister is stopped between a call and its answer, and started later
	UpgradeInCall     = harness.Upgrade           // a canister is upgraded between a call and its answer ([Upgrade])
	SendTwice         = harness.SendTwice         // the message of an operation comes twice ([Retried])
	OtherAnswer       = harness.OtherAnswer       // an HTTP outcall has another answer ([Outcalls])
)

// Untrusted are canisters that may leave calls unanswered.
func Untrusted(canisters ...*canisterd.Canister) Option {
	return func(to *config) error {
		ids := map[principal.Principal]bool{}
		for _, c := range canisters {
			ids[c.ID()] = true
		}
		to.Config.Untrusted = func(id principal.Principal) bool { return ids[id] }
		return nil
	}
}

// Budget is the maximum number of runs. The default is 10,000.
func Budget(runs int) Option {
	return func(to *config) error {
		if runs < 1 {
			return fmt.Errorf("invalid number of runs %d: expected at least 1", runs)
		}
		to.Runs = runs
		return nil
	}
}

// Within ends the exploration after some real time. The report then depends on the speed of the computer.
func Within(limit time.Duration) Option {
	return func(to *config) error {
		end := time.Now().Add(limit)
		to.Expired = func() bool { return time.Now().After(end) }
		return nil
	}
}

// Seed is the seed of the drawn orders. The default is 1.
func Seed(seed uint64) Option {
	return func(to *config) error { to.Config.Seed, to.seeded = seed, true; return nil }
}

// Workers is how many runs are made concurrently. The report does not depend on it. The default is one for each
// processor.
func Workers(count int) Option {
	return func(to *config) error { to.Config.Workers = count; return nil }
}

// KeepGoing continues after the first violation, until the budget is spent.
func KeepGoing() Option {
	return func(to *config) error { to.Config.Stop = 0; return nil }
}

// FailOnSuspicion makes suspicions fail a test, too.
func FailOnSuspicion() Option {
	return func(to *config) error { to.suspicions = true; return nil }
}

// OnlyStated checks the properties of the options alone, without the built-in ones.
func OnlyStated() Option {
	return func(to *config) error { to.NoBuiltin = true; return nil }
}

// Blocks guides drawn runs by blocks of code, too: some begin like earlier runs in which a block ran for the first time. The
// report says how many blocks ran. Runs take longer.
func Blocks() Option {
	return func(to *config) error { to.Setup.Blocks = true; return nil }
}

// strategies are the strategies by name.
var strategies = []search.Strategy{
	search.InOrder(), search.Random(), search.POS(), search.PCT(1), search.PCT(2), search.PCT(3), search.SURW(), search.Delays(1), search.Delays(2), search.Delays(3), search.Mixed(), search.Default(),
}

// Only spends the whole budget on orders that one strategy draws: fifo, random, pos, pct-1 to pct-3, surw, delays-1 to
// delays-3, portfolio, or guided, which is the default of explorations. It is for comparing strategies.
func Only(strategy string) Option {
	return func(to *config) error {
		for i := range strategies {
			if strategies[i].Name == strategy {
				to.Config.Only = &strategies[i]
				return nil
			}
		}
		var names []string
		for i := range strategies {
			names = append(names, strategies[i].Name)
		}
		return fmt.Errorf("invalid strategy %q: expected one of %s", strategy, strings.Join(names, ", "))
	}
}

func defaults(ctx context.Context, n *canisterd.Network) *config {
	c := &config{ctx: ctx, network: n, principals: make(map[principal.Principal]bool)}
	c.Config.Seed, c.Config.Workers, c.Config.Faults, c.Config.Stop = 1, runtime.GOMAXPROCS(0), 1, 1
	c.Setup.Waits = campaign.DefaultWaits
	return c
}
