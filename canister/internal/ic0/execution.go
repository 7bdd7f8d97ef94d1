package ic0

import (
	"fmt"
	"io"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister/internal/stable"
	"github.com/canisterd/canisterd/canister/internal/wasm"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/intercanister/cycles"
)

// Execution is one run of a canister's code: what the functions of the System API may read, and what they have changed
// so far. Package canister fills it in, runs the guest with it as its host, and commits or discards its changes.
type Execution struct {
	Guest   *wasm.Guest
	Stable  *stable.Memory
	Context Context
	Subnet  *Subnet
	Message *Message
	Time    uint64 // ns: the batch time, or the time at which a message resumed that waited for a time
	// Sleep is Message.Sleep if code may wait in this context.
	Sleep func(until, executed uint64) (now uint64)
	// Short is set if the message may begin again. What it prints is kept until PrintKept.
	Short bool

	Canister
	Memory
	Changes
	Performed

	// Failure is set if a function ended the message.
	Failure *Failure

	building pending
	ended    wasm.Trap // the error with which a failing function ends the guest; the engine adds the backtrace
	recycled recycled
}

// recycled is memory of earlier results, for the next ones.
type recycled struct {
	response *intercanister.Response
	calls    []Call
	method   string // of the last call
}

// Canister has the properties of the canister that the functions read.
type Canister struct {
	ID          principal.Principal
	Status      uint32
	Version     uint64
	Controllers []principal.Principal
	Variables   []Variable // sorted by name
	LogRoom     uint64     // bytes of the canister's log
	NextLog     uint64     // number of its next record
}

// Variable is one environment variable.
type Variable struct{ Name, Value string }

// Stream is the state of WASI's streams. Line is the unfinished line of File, a descriptor. Random returns random
// bytes; it is nil before the first use.
type Stream struct {
	Line   []byte
	File   uint32
	Random io.Reader
}

// Changes are the parts of the canister's state that functions change.
type Changes struct {
	Balance, Reserved cycles.Amount
	Offered           cycles.Amount // cycles of the call context not yet accepted
	Accepted, Burned  cycles.Amount
	Minted            cycles.Amount // made by the cycles minting canister; the balance includes them
	Sent              cycles.Amount // paid for sending requests
	Timer             uint64
	TimerSet          bool
	Certified         []byte
	CertifiedSet      bool
}

// Performed has the effects of the message outside the canister's state.
type Performed struct {
	Response  *intercanister.Response
	Responded bool // the call context is answered or needs no answer
	Calls     []Call
	Admitted  bool // accept_message was called
	log       delta

	// Exited is set if the code ended the message with success before its function returned (WASI's proc_exit).
	Exited bool
	Stream Stream

	reply   []byte   // what msg_reply_data_append appended
	pending *pending // the call under construction: building, or nil
	made    callees

	newCertificate []byte // of Message.Certify

	kept [][]byte // texts that a short message has printed

	guaranteed uint64 // bytes of memory that its calls with guaranteed response take

	accessed, written uint64 // 4 KiB pages of stable memory that may still be touched
}

// Begin clears the state of an earlier execution, and sets the budget of stable memory pages.
func (x *Execution) Begin(pages uint64) {
	x.Failure = nil
	x.Performed, x.allocated = Performed{}, 0
	x.Responded, x.accessed, x.written = x.Message.Responded, pages, pages
	x.log.next, x.log.room = x.NextLog, x.LogRoom
	x.Stable.NewExecution()
}

// Forget releases the inputs and results of a message.
func (x *Execution) Forget() {
	x.Subnet, x.Message, x.Sleep = nil, nil, nil
	x.Performed, x.Certified, x.building = Performed{}, nil, pending{}
}

// Recycle takes back the memory of results, which are no longer used.
func (x *Execution) Recycle(response *intercanister.Response, calls []Call) {
	if response != nil {
		*response = intercanister.Response{}
		x.recycled.response = response
	}
	if 0 < cap(calls) && cap(calls) <= maxRecycledCalls {
		clear(calls)
		x.recycled.calls = calls[:0]
	}
}

// Logs returns the records that the execution logged.
func (x *Execution) Logs() []LogRecord { return x.log.records }

// Log adds a record to the execution's log.
func (x *Execution) Log(text string) { x.log.add([]byte(text), x.Time) }

// EndLine logs the unfinished line of a stream, if there is one.
func (x *Execution) EndLine() {
	if line := x.Stream.Line; len(line) > 0 {
		x.Stream.Line = line[:0]
		x.WriteLog(line)
	}
}

// Exit ends the message: with success if the code is 0. It does not return.
func (x *Execution) Exit(code uint32) {
	if code != 0 {
		x.fail(Trapped(fmt.Sprintf("exited with code %d", code)))
	}
	x.Exited = true
	x.ended = wasm.Trap{Kind: wasm.Unreachable}
	x.Guest.End(&x.ended)
}

// Drop returns the cycles of a call that was begun and not performed to the balance.
func (x *Execution) Drop() {
	if x.pending != nil {
		x.Balance = x.Balance.Add(x.pending.Cycles)
		x.pending = nil
	}
}
