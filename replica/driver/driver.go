package driver

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/internal/budget"
	"github.com/canisterd/canisterd/internal/callbudget"
	"github.com/canisterd/canisterd/replica"
)

// Mode says when rounds happen.
type Mode uint8

const (
	Auto   Mode = iota // as soon as there is something to do
	Manual             // when Round is called
)

// Config configures a driver. The driver sets Runner, Compiler, Events, Signed and Printed of the network.
type Config struct {
	Network replica.Config
	Mode    Mode
	// AwaitModules makes each round wait for the modules that canisters installed before it: nothing in the network
	// depends on how long they take to compile. Otherwise rounds go on meanwhile.
	AwaitModules bool
	Workers      int // 0: as many as there are processors
	// Queries are the slots of queries, shared by the drivers of a process; nil: as many as Workers, for this driver
	// alone.
	Queries *QuerySlots
	// Processors bound how many messages of all drivers that share them run at once; nil: each driver runs as many as
	// it has workers.
	Processors *Processors
	// Active is called when something has happened, once until the next Tick; Called when canisters have made HTTP
	// outcalls; Restored with the time of the network that the driver continues with; Failed with the bug that has
	// stopped the driver. The owner of the network calls them: they must be fast and must not call the driver. Nil: no
	// listener.
	Active   func()
	Called   func()
	Restored func(time uint64)
	Failed   func(bug error)
	// Compiled is called on the goroutine of a compilation, when a module is ready and the network does not know it;
	// nil: no listener.
	Compiled func()

	// Printed receives the output of canisters; nil: no listener.
	Printed replica.PrintSink

	// Budgets count the instructions of calls; nil: they are not counted. Drivers may share them.
	Budgets *callbudget.Budgets

	// Memory is the budget of the instance; nil: without a limit.
	Memory *budget.Budget

	// Journal records the changes of the network; nil: no journal. Results are on disk before callers receive them.
	Journal Journal

	// Record makes the instance record events from its start, otherwise from the first request for them. Events and
	// EventBytes limit how many of the newest it keeps; 0: MaxEvents, MaxEventBytes. Generation is the number of the
	// first generation of the instance: tokens and outcalls of other generations are refused.
	Record             bool
	Events, EventBytes int
	Generation         uint64
	// EventMemory bounds the events of all drivers that share it; nil: no bound besides that of each.
	EventMemory *EventMemory
	// Stopwatch measures messages, in nanoseconds; nil: no measurement.
	Stopwatch func() int64
	// Clock returns the time for recorded events, in nanoseconds (Recorded.At); nil: they have none.
	Clock func() int64
}

// ErrClosed is the error of every call after the driver was closed, or stopped by a bug, which is then wrapped too.
var ErrClosed = errors.New("the instance is stopped")

// Driver is a running network. All methods are safe for concurrent use.
type Driver struct {
	inbox        atomic.Pointer[chan *request]
	wake         chan struct{} // the network is busy and has no owner at work
	outcallsMade chan struct{}
	closing      chan struct{}
	ended        chan struct{}
	closed       sync.Once
	views        atomic.Pointer[replica.Views]
	slots        *QuerySlots
	open         context.Context // ends when closing is closed
	shut         context.CancelFunc
	bug          atomic.Pointer[error]
	engine       *canister.Engine // safe for concurrent use
	sent         atomic.Uint64    // messages named by FreshID
	compiler     compiler
	changed      broadcast
	active       atomic.Bool // Config.Active was called since the last tick
	config       Config      // without the network's
	recorder     recorder
	recording    atomic.Bool
	budgets      atomic.Pointer[callbudget.Budgets] // nil: calls are not counted
	recycled     recycled

	// Positions of the journal: views show all records before shown, and callers know all records before told, except
	// answers, which the settled view shows. Both only grow.
	shown, told atomic.Uint64
	settled     atomic.Pointer[settledView] // the newest view that is known to be on disk

	owner      sync.Mutex // guards the fields below: its holder owns the network
	network    *replica.Network
	profiler   *profiler // nil: the network is not profiled
	coverage   *coverage // nil: it is not recorded which code runs
	generation *generation
	retiring   sync.WaitGroup // networks that were replaced
	pool       *Pool
	mode       Mode
	waiters    map[waitKey]*waiter
	outcalls   uint64 // made, when last announced
	accounted  accounting
	delivered  delivered
	readOnly   bool // the current request changes nothing
	pressing   bool // the previous owner left rounds to the driver's goroutine
	clockOnly  bool // the current request moves the clock, and no caller relies on that
	// turns counts the requests, and handOvers those of them that went through the inbox. Both only grow.
	turns, handOvers uint64
}

// generation is the time between two restores, and the data of one network. Outcalls and events with one number in two
// generations are different.
type generation struct {
	number  uint64 // Config.Generation, plus one for each Restore
	queries sync.WaitGroup
	counts  counter
}

// Start makes a network and runs it.
func Start(config Config) (*Driver, error) {
	d := prepare(config.Network.Engine, config)
	parts := d.parts()
	config.Network.Runner, config.Network.Compiler = parts.Runner, parts.Compiler
	config.Network.Events, config.Network.Signed, config.Network.Printed = parts.Events, parts.Signed, parts.Printed
	config.Network.Journal = parts.Journal
	network, err := replica.New(config.Network)
	if err != nil {
		d.recorder.free()
		d.pool.Close()
		return nil, fmt.Errorf("start a network: %w", err)
	}
	d.network = network
	d.meterCalls(network)
	d.views.Store(network.Views())
	go d.own()
	return d, nil
}

// prepare makes a driver without a network.
func prepare(engine *canister.Engine, config Config) *Driver {
	workers := config.Workers
	if workers == 0 {
		workers = runtime.NumCPU()
	}
	slots := config.Queries
	if slots == nil {
		slots = NewQuerySlots(workers)
	}
	d := &Driver{
		wake: make(chan struct{}, 1), outcallsMade: make(chan struct{}, 1), closing: make(chan struct{}), ended: make(chan struct{}),
		slots: slots, pool: NewPool(workers, config.Stopwatch), mode: config.Mode,
		waiters: make(map[waitKey]*waiter), engine: engine, generation: &generation{number: config.Generation}, config: config,
	}
	d.open, d.shut = context.WithCancel(context.Background())
	d.config.Network = replica.Config{}
	d.pool.processors = config.Processors
	d.compiler.driver, d.compiler.awaited = d, config.AwaitModules
	d.recorder.init(&d.config)
	d.recording.Store(config.Record)
	d.budgets.Store(config.Budgets)
	return d
}

// parts returns the driver's parts for its network.
func (d *Driver) parts() replica.Parts {
	parts := replica.Parts{Runner: d.pool, Signed: d.signed, Printed: d.config.Printed}
	if d.config.Journal != nil {
		parts.Journal = d.config.Journal
	}
	if d.recording.Load() {
		parts.Events = &d.recorder
	}
	if d.engine != nil {
		parts.Compiler = &d.compiler
	}
	return parts
}

// Close stops the driver and frees everything: goroutines, Wasm memories. Waiting calls get ErrClosed.
func (d *Driver) Close() error {
	d.close()
	<-d.ended
	d.recorder.free()
	return d.failure()
}

// close informs everything that runs that the driver closes.
func (d *Driver) close() {
	d.closed.Do(func() {
		close(d.closing)
		d.shut()
	})
}

// Bug returns the bug that stopped the driver, nil if it runs or was closed.
func (d *Driver) Bug() error { return d.failure() }

func (d *Driver) failure() error {
	if bug := d.bug.Load(); bug != nil {
		return *bug
	}
	return nil
}

// round runs a round, or the rest of one that steps have begun, shows its view and wakes callers whose answers it has.
func (d *Driver) round() {
	d.deliverModules()
	d.count()
	report := d.network.Round()
	d.show(report.Answered)
}

// count passes the statistics of queries to the network, between two rounds.
func (d *Driver) count() {
	if d.generation.counts.counted.Load() && !d.network.Activity().RoundOpen {
		d.countNow()
	}
}

func (d *Driver) countNow() {
	if counts := d.generation.counts.drain(); len(counts) > 0 {
		d.network.Apply(counts)
	}
}

// show publishes the results of a round, with the messages that it answered.
func (d *Driver) show(ids []replica.RequestID) {
	d.showRecorded()
	d.account()
	d.announce()
	if len(d.waiters) > 0 {
		for _, id := range ids {
			d.wakeAll(id)
		}
	}
	d.changed.send()
	d.reportActivity()
	d.recorder.wake()
}

// View returns the network at the end of its last round.
func (d *Driver) View() *replica.View { return d.views.Load().Latest() }

// Time returns the network's time at the end of its last round, in ns. It makes no view.
func (d *Driver) Time() uint64 { return d.views.Load().Time() }

// Module returns the code that a canister has at the end of the last round, nil if it has none. It makes no view.
func (d *Driver) Module(id principal.Principal) *canister.Module { return d.views.Load().Module(id) }

// Height returns the height of the last round. It makes no view.
func (d *Driver) Height() uint64 { return d.views.Load().Height() }

// AdvanceTo sets the time of the next round, in nanoseconds; the time never goes back. In mode Auto a round follows if
// something is due or a canister has a heartbeat.
func (d *Driver) AdvanceTo(ctx context.Context, time uint64) error {
	return d.ask(ctx, func(d *Driver) {
		d.network.Apply(replica.AdvanceTo(time))
		if d.mode == Auto && d.network.Activity().Heartbeat && d.ready() {
			d.round()
		}
	})
}

// Apply applies any input.
func (d *Driver) Apply(ctx context.Context, in replica.Input) (result replica.Result, err error) {
	done := make(chan replica.Result, 1)
	err = d.ask(ctx, func(d *Driver) {
		result := d.network.Apply(in)
		if _, deleted := in.(replica.DeleteSubnet); deleted && result.Refusal == nil {
			d.releaseUnknown()
		}
		done <- result
	})
	if err != nil {
		return replica.Result{}, err
	}
	return <-done, nil
}

// Round runs one round now, in any mode; it may have to wait for modules (Config.AwaitModules).
func (d *Driver) Round(ctx context.Context) (replica.RoundReport, error) {
	done := make(chan replica.RoundReport, 1)
	err := d.whenReady(ctx, func(d *Driver) {
		d.round()
		report := d.network.LastReport()
		report.Answered = append([]replica.RequestID(nil), report.Answered...)
		done <- report
	})
	if err != nil {
		return replica.RoundReport{}, err
	}
	return <-done, nil
}

// SetMode changes when rounds happen, and whether they wait for modules (Config.AwaitModules).
func (d *Driver) SetMode(ctx context.Context, mode Mode, awaitModules bool) error {
	return d.ask(ctx, func(d *Driver) {
		d.mode = mode
		d.compiler.await(awaitModules)
	})
}

// ErrUnknown means that the subnet does not know a message.
var ErrUnknown = errors.New("the subnet does not know this request: it was never accepted, or its answer is forgotten")
