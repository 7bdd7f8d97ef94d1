package replicatest

import (
	"encoding/binary"
	"maps"
	"strings"
	"sync"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/intercanister/cycles"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/internal/state"
)

// Puppets is an executor whose canisters run small programs. It serves one network.
type Puppets struct {
	First uint64 // number of the canister that programs call 0

	mu        sync.Mutex // guards callbacks
	callbacks map[principal.Principal]*closures
}

// closures are the programs of the callbacks for which a puppet waits.
type closures struct {
	programs map[uint64]string
	last     uint64
}

var _ state.Executor = (*Puppets)(nil)

// NewPuppets returns the executor for a network whose first allocation range begins with canister number first.
func NewPuppets(first uint64) *Puppets {
	return &Puppets{First: first, callbacks: make(map[principal.Principal]*closures)}
}

// Empty reports whether no code is installed.
func (p *Puppets) Empty(c *canister.Canister) bool { return c.Installed == 0 }

// Memory64 reports whether the program of the installation began with the word wide.
func (p *Puppets) Memory64(c *canister.Canister) bool { return c.Installed&wideCode != 0 }

// Method knows run, look and both.
func (p *Puppets) Method(_ *canister.Canister, name string) canister.MethodKind {
	return map[string]canister.MethodKind{
		"run": canister.UpdateMethod, "look": canister.QueryMethod, "both": canister.CompositeQueryMethod,
	}[name]
}

// Has checks the environment variables.
func (p *Puppets) Has(c *canister.Canister, context canister.Context) bool {
	return c.Installed != 0 && program(c, context) != ""
}

func program(c *canister.Canister, context canister.Context) string {
	name := map[canister.Context]string{canister.Heartbeat: "heartbeat", canister.GlobalTimer: "timer", canister.LowMemory: "low"}[context]
	for _, v := range c.Settings.Environment {
		if v.Name == name {
			return v.Value
		}
	}
	return ""
}

// wideCode is the bit of the time of an installation that says that the code has a 64-bit memory: the clocks of tests
// count microseconds.
const wideCode = 1

// Install marks the canister as installed and runs its argument.
func (p *Puppets) Install(c *canister.Canister, sub *canister.Subnet, in *canister.Install) canister.Outcome {
	out := p.run(c, sub, &canister.Message{Context: canister.Init, Responded: true, Pause: in.Pause}, string(in.Arg), sub.Limits.Install)
	if out.Failure == nil {
		c.Installed = sub.Time &^ wideCode
		if strings.HasPrefix(string(in.Arg), "wide") {
			c.Installed |= wideCode
		}
		if c.Certified == nil {
			c.Certified = []byte{}
		}
	}
	return out
}

// Execute runs the program of a message.
func (p *Puppets) Execute(c *canister.Canister, sub *canister.Subnet, m *canister.Message) canister.Outcome {
	text := string(m.Payload)
	switch m.Context {
	case canister.Heartbeat, canister.LowMemory:
		text = program(c, m.Context)
	case canister.GlobalTimer:
		text, c.Timer = program(c, m.Context), 0
	case canister.ReplyCallback, canister.RejectCallback:
		text = p.closure(c.ID, m.Closure.Env)
		defer p.takeClosure(c.ID, m.Closure.Env) // at its end: a fork may restart it
	}
	if m.Cleanup == nil {
		return p.run(c, sub, m, text, sub.Limits.Message)
	}
	eventually := p.closure(c.ID, m.Cleanup.Env)
	defer p.takeClosure(c.ID, m.Cleanup.Env)
	out := p.run(c, sub, m, text, sub.Limits.Message)
	if out.Failure != nil {
		cleanup := p.run(c, sub, &canister.Message{Context: canister.Cleanup, Responded: true}, eventually, sub.Limits.Message)
		out.Instructions += cleanup.Instructions
		out.Cleaned = cleanup.Failure == nil
	}
	return out
}

// ExecuteShort executes nothing: puppets have no short messages.
func (*Puppets) ExecuteShort(*canister.Canister, *canister.Subnet, *canister.Message, *canister.Outcome) bool {
	return false
}

// performance is one run of a program. It applies its changes to the canister at its end.
type performance struct {
	puppets   *Puppets
	c         *canister.Canister
	sub       *canister.Subnet
	m         *canister.Message
	out       canister.Outcome
	balance   cycles.Amount
	sent      cycles.Amount // paid for transmitting requests
	timer     uint64
	certified []byte
	made      map[principal.Principal]int
	limit     uint64
	since     uint64
	closed    []string // programs of the closures of its calls; until commit, their index is their number
}

func (p *Puppets) run(c *canister.Canister, sub *canister.Subnet, m *canister.Message, text string, limit uint64) canister.Outcome {
	run := &performance{puppets: p, c: c, sub: sub, m: m, balance: c.Balance, timer: c.Timer, certified: c.Certified, limit: limit}
	run.out.Instructions = 1000
	ops, err := parse(text)
	if err != nil {
		run.fail(intercanister.CanisterTrapped, err.Error())
	}
	for i := range ops {
		if run.out.Failure != nil {
			break
		}
		run.perform(&ops[i])
	}
	if run.out.Failure == nil {
		run.commit()
	}
	return run.out
}

func (r *performance) commit() {
	c, paid := r.c, &r.c.Consumed
	c.Balance, c.Timer, c.Certified = r.balance, r.timer, r.certified
	paid.Transmission, paid.Burned = paid.Transmission.Add(r.sent), paid.Burned.Add(r.out.Burned)
	if r.m.Context != canister.ReplicatedQuery {
		c.Version++
	}
	base := r.puppets.keep(c.ID, r.closed)
	for i := range r.out.Calls {
		call := &r.out.Calls[i]
		call.Reply.Env += base
		call.Reject.Env += base
		if call.Cleanup != nil {
			call.Cleanup.Env += base
		}
	}
}

func (r *performance) perform(o *op) {
	switch o.word {
	case "reply":
		r.respond(&intercanister.Response{Reply: []byte(o.text)})
	case "echo":
		r.respond(&intercanister.Response{Reply: r.m.Payload})
	case "reject":
		r.respond(&intercanister.Response{Reject: &intercanister.Reject{Code: intercanister.CanisterReject, Error: intercanister.CanisterRejectedMessage, Text: o.text}})
	case "trap":
		r.fail(intercanister.CanisterCalledTrap, o.text)
	case "spend":
		r.spend(o.number)
	case "forever":
		for r.out.Failure == nil {
			r.spend(1_000_000)
		}
	case "count":
		next := make([]byte, 8)
		binary.BigEndian.PutUint64(next, counted(r.certified)+1)
		r.certified = next
	case "accept":
		taken := cycles.Of(o.number).Min(r.m.Available.Sub(r.out.Accepted))
		r.out.Accepted = r.out.Accepted.Add(taken)
		r.balance = r.balance.Add(taken)
	case "burn":
		burned := cycles.Of(o.number).Min(r.balance)
		r.out.Burned = r.out.Burned.Add(burned)
		r.balance = r.balance.Sub(burned)
	case "timer":
		r.timer = o.number
	case "call":
		r.call(o, principal.Canister(r.puppets.First+o.number), "run")
	case "manage":
		r.call(o, principal.Management, o.text)
	}
}

// Count returns the number of times count has run in a puppet.
func Count(c *canister.Canister) uint64 { return counted(c.Certified) }

func counted(certified []byte) uint64 {
	if len(certified) != 8 {
		return 0
	}
	return binary.BigEndian.Uint64(certified)
}

func (r *performance) respond(response *intercanister.Response) {
	if r.m.Responded || r.out.Response != nil {
		r.fail(intercanister.CanisterContractViolation, "answered-twice")
		return
	}
	r.out.Response = response
}

// fail reduces the outcome to the failure.
func (r *performance) fail(code intercanister.ErrorCode, text string) {
	r.out = canister.Outcome{Instructions: r.out.Instructions, Failure: intercanister.Rejectf(code, "Error from Canister %s: %s", r.c.ID, text)}
}

func (r *performance) spend(n uint64) {
	for n > 0 && r.out.Failure == nil {
		part := min(n, r.sub.Limits.PauseAfter-r.since)
		n -= part
		r.since += part
		r.out.Instructions += part
		if r.out.Instructions > r.limit {
			r.out.Instructions = r.limit
			r.fail(intercanister.CanisterInstructionLimitExceeded, "limit")
			return
		}
		if r.since == r.sub.Limits.PauseAfter {
			r.since = 0
			if r.m.Pause != nil {
				r.m.Pause()
			}
		}
	}
}

func (r *performance) call(o *op, callee principal.Principal, method string) {
	if r.made == nil {
		r.made = make(map[principal.Principal]int)
	}
	if r.m.Room == nil || r.m.Room(callee) <= r.made[callee] {
		return
	}
	r.made[callee]++
	fees := &r.sub.Fees
	c := canister.Call{
		Request:      intercanister.Request{Receiver: callee, Method: method, Payload: []byte(o.body), Cycles: cycles.Of(o.cycles)},
		Execution:    fees.Execution(r.sub.Limits.Message, r.puppets.Memory64(r.c)),
		Transmission: fees.ResponseTransmission(cycles.MaxResponseBytes),
		Reply:        r.close(o.then), Reject: r.close(o.otherwise),
	}
	if o.eventually != "" {
		cleanup := r.close(o.eventually)
		c.Cleanup = &cleanup
	}
	if o.bounded {
		c.Request.Deadline = r.sub.Time + uint64(o.within)*1_000_000_000
	}
	sent := fees.CallTransmission(uint64(len(o.body) + len(method)))
	left, ok := r.balance.Take(sent.Add(c.Execution).Add(c.Transmission).Add(c.Request.Cycles))
	if !ok {
		r.fail(intercanister.CanisterOutOfCycles, "no-cycles")
		return
	}
	r.balance, r.sent = left, r.sent.Add(sent)
	r.out.Calls = append(r.out.Calls, c)
}

func (r *performance) close(program string) intercanister.Closure {
	r.closed = append(r.closed, program)
	return intercanister.Closure{Fn: 1, Env: uint64(len(r.closed))}
}

// keep stores the programs of a message that has ended and returns the number before the first. A message that a fork
// restarts has taken no number before.
func (p *Puppets) keep(id principal.Principal, programs []string) (base uint64) {
	if len(programs) == 0 {
		return 0
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	own := p.callbacks[id]
	if own == nil {
		own = &closures{programs: make(map[uint64]string)}
		p.callbacks[id] = own
	}
	base = own.last
	for _, program := range programs {
		own.last++
		own.programs[own.last] = program
	}
	return base
}

// closure returns the program of a closure.
func (p *Puppets) closure(id principal.Principal, env uint64) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if own := p.callbacks[id]; own != nil {
		return own.programs[env]
	}
	return ""
}

// takeClosure removes a program.
func (p *Puppets) takeClosure(id principal.Principal, env uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if own := p.callbacks[id]; own != nil {
		delete(own.programs, env)
	}
}

// Config returns the configuration of a network of these puppets and a Manager.
func (p *Puppets) Config() replica.Config {
	return WithKeys(replica.Config{}).Override(state.Overrides{Executor: p, Management: Manager{First: p.First}})
}

// Fork returns the executor for a fork of the network.
func (p *Puppets) Fork() *Puppets {
	p.mu.Lock()
	defer p.mu.Unlock()
	f := NewPuppets(p.First)
	for id, own := range p.callbacks {
		f.callbacks[id] = &closures{maps.Clone(own.programs), own.last}
	}
	return f
}
