package ic0

import (
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/intercanister/cycles"
)

const (
	second       = 1_000_000_000 // ns
	notPerformed = 2             // ic0.call_perform: SYS_TRANSIENT
)

// callFunctions make calls to other canisters.
func callFunctions() []function {
	return []function{
		// call_new(callee, callee size, method, method size, reply function, reply env, reject function, reject env)
		// begins a call and drops one that was begun. It traps if the method has more than maxMethodName bytes, and if
		// the callee is not a principal ("Canister provided invalid principal id"). The indexes of functions are
		// checked when the callback runs.
		{name: "call_new", params: "pppppppp", where: calling, cost: cost{computed: callNewCost}, body: callNew},
		// call_on_cleanup(function, env) sets the closure that runs if a callback traps. It traps without a call under
		// construction, and on the second call.
		{name: "call_on_cleanup", params: "pp", tables: true, where: calling, cost: flat(plain), body: func(x *Execution, s []uint64) {
			p := x.begun("ic0.call_on_cleanup")
			if p.Cleanup != nil {
				x.misuse("ic0.call_on_cleanup can be called at most once between `ic0.call_new` and `ic0.call_perform`")
			}
			c := closure(s[0], s[1])
			p.Cleanup = &c
		}},
		// call_data_append(src, size) appends bytes to the argument. It traps without a call under construction, and
		// if method and argument exceed maxRequest ("Request to … has a payload size of …").
		{name: "call_data_append", params: "pp", where: calling, cost: sendingBytesOf(1), body: func(x *Execution, s []uint64) {
			p := x.begun("ic0.call_data_append")
			have := uint64(len(p.Method) + len(p.Payload))
			if s[1] > maxRequest-have {
				x.refuse(Advice("Check the canister for errors or redesign the target API to allow shorter messages", "canister-made-a-call-with-too-large-payload"),
					"Request to %s:%s has a payload size of %d, which exceeds the allowed limit of %d.", p.Receiver, p.Method, have+s[1], maxRequest)
			}
			p.Payload = append(p.Payload, x.heap("ic0.call_data_append", s[0], s[1])...)
		}},
		// call_with_best_effort_response(seconds) gives the call a deadline, at most maxTimeout from now. It traps
		// without a call under construction, and on the second call ("a timeout is already set.").
		{name: "call_with_best_effort_response", params: "i", where: calling, cost: flat(plain), body: func(x *Execution, s []uint64) {
			p := x.begun("ic0.call_with_best_effort_response")
			if p.timeout {
				x.misuse("ic0_call_with_best_effort_response failed because a timeout is already set.")
			}
			p.timeout, p.seconds = true, uint32(min(s[0], maxTimeout))
		}},
		// call_cycles_add(amount) moves cycles from the balance to the call. It traps without a call under
		// construction, and below the freezing limit ("Canister … is out of cycles").
		{name: "call_cycles_add", params: "l", where: paying, cost: flat(plain), memory32Only: true, body: func(x *Execution, s []uint64) {
			x.attach("ic0_call_cycles_add", cycles.Of(s[0]))
		}},
		// call_cycles_add128(high, low) is call_cycles_add of 128 bits.
		{name: "call_cycles_add128", params: "ll", where: paying, cost: flat(plain), body: func(x *Execution, s []uint64) {
			x.attach("ic0_call_cycles_add128", cycles.Amount{Hi: s[0], Lo: s[1]})
		}},
		// call_perform() enqueues the call: 0; or drops it: 2, if a queue is full, message memory is short or the
		// canister would freeze. Then no callback runs. It traps without a call under construction.
		{name: "call_perform", results: "i", where: calling, cost: flat(5000), body: func(x *Execution, s []uint64) {
			p := x.begun("ic0.call_perform")
			s[0] = 0
			if !x.perform(p) {
				x.Drop()
				s[0] = notPerformed
			}
			x.pending = nil
		}},
	}
}

// begun returns the call under construction, or ends the message if there is none.
func (x *Execution) begun(function string) *pending {
	if x.pending == nil {
		x.misuse("%s called when no call is under construction.", function)
	}
	return x.pending
}

func callNewCost(_ *Execution, s []uint64) uint64 {
	return saturate(saturate(1500, 1, s[1]), 1, s[3])
}

func callNew(x *Execution, s []uint64) {
	x.Drop()
	if s[3] > maxMethodName {
		x.refuse(Advice("Size of method_name {} exceeds the allowed limit of {}.", "canister-made-a-call-with-too-large-method-name"),
			"Size of method_name %d exceeds the allowed limit of %d.", s[3], maxMethodName)
	}
	method := x.methodName(x.heap("ic0.call_new method_name", s[2], s[3]))
	callee, err := principal.FromBytes(x.heap("ic0.call_new callee_src", s[0], s[1]))
	if err != nil {
		x.fail(invalidPrincipal())
	}
	c := &x.building
	*c = pending{}
	c.Request.Sender, c.Request.Receiver, c.Request.Method = x.ID, callee, method
	c.Reply, c.Reject = closure(s[4], s[5]), closure(s[6], s[7])
	x.pending = c
}

// methodName returns the text of a method's name. Most canisters call the same few methods: the last short name is kept.
func (x *Execution) methodName(raw []byte) string {
	if string(raw) == x.recycled.method {
		return x.recycled.method
	}
	name := lossy(raw)
	if len(name) <= maxRecycledName {
		x.recycled.method = name
	}
	return name
}

// closure returns a closure as the code specified it. No table has a function 2^32-1, so it stands for every index that
// is too large for a table.
func closure(fn, env uint64) intercanister.Closure {
	return intercanister.Closure{Fn: uint32(min(fn, 1<<32-1)), Env: env}
}

func invalidPrincipal() *Failure {
	return &Failure{Code: intercanister.CanisterContractViolation, Text: "Canister provided invalid principal id", Help: ToolchainHelp}
}

// attach moves cycles from the balance to the call under construction. The error does not tell a controller how many
// are missing, unlike for memory growth.
func (x *Execution) attach(function string, amount cycles.Amount) {
	p := x.begun(function)
	if x.Balance.Less(x.freezingLimit(x.InUse, x.Messages).Add(amount)) {
		x.fail(&Failure{Code: intercanister.CanisterContractViolation, Text: "Canister " + x.ID.String() + " is out of cycles"})
	}
	x.Balance = x.Balance.Sub(amount)
	p.Cycles = p.Cycles.Add(amount)
}

// perform enqueues the call, unless the canister would freeze or the queue is full.
func (x *Execution) perform(p *pending) bool {
	if p.timeout {
		p.Deadline = (x.Time + uint64(p.seconds)*second) / second * second
	}
	if !x.hasRoom(p.Receiver) || !x.prepay(p) {
		return false
	}
	x.made.add(p.Receiver)
	if len(x.Calls) == 0 {
		x.Calls, x.recycled.calls = x.recycled.calls, nil
	}
	x.Calls = append(x.Calls, p.Call)
	if r := x.Guest.Recorder(); r != nil {
		r.Await()
	}
	return true
}

func (x *Execution) hasRoom(callee principal.Principal) bool {
	return x.Message.Room == nil || len(x.Calls) < x.Message.Callbacks && x.made.to(callee) < x.Message.Room(callee)
}

// prepay takes the price of the call from the balance. The freezing limit includes the request's memory as well. A
// query must have the cycles too, but does not lose them, because its changes are discarded.
func (x *Execution) prepay(p *pending) bool {
	bytes := len(p.Method) + len(p.Payload)
	messages := x.Messages
	guaranteed := uint64(0)
	if !x.Subnet.System {
		size := uint64(intercanister.RequestOverhead + bytes)
		if !p.timeout {
			size = max(size, intercanister.ResponseReservation)
			guaranteed = size
		}
		if x.Message.Room != nil && guaranteed > x.Message.MessageRoom-min(x.guaranteed, x.Message.MessageRoom) {
			return false
		}
		messages += size
		if thrifty.has(x.Context) && x.Balance.Less(x.freezingLimit(x.InUse, messages)) {
			return false
		}
	}
	p.Execution = x.Subnet.Fees.Execution(x.Subnet.Limits.Message, x.Guest.Memory64())
	p.Transmission = x.Subnet.Fees.ResponseTransmission(cycles.MaxResponseBytes)
	sent := x.Subnet.Fees.CallTransmission(uint64(bytes))
	price := p.Execution.Add(p.Transmission).Add(sent)
	if x.Balance.Less(x.freezingLimit(x.InUse, messages).Add(price)) {
		return false
	}
	x.Messages = messages
	x.guaranteed += guaranteed
	x.Balance, x.Sent = x.Balance.Sub(price), x.Sent.Add(sent)
	return true
}
