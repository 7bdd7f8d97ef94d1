//go:build wasip1

// Package ic lets a program in Go be a canister: it binds the System API (ic0), and makes a call of another canister an
// ordinary call that waits for its answer.
package ic

import (
	"errors"
	"unsafe"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/principal"
)

// message is a method that runs. Its entry points wait for pause: it has ended, or waits for an answer.
type message struct {
	pause, answered chan struct{}
}

var (
	current *message
	waiting = make(map[uint32]*message) // by the environment of their callback
	last    uint32
)

// Run is the body of an exported method. What it calls may use Call.
func Run(method func()) {
	m := &message{make(chan struct{}), make(chan struct{})}
	go func() {
		method()
		m.pause <- struct{}{}
	}()
	m.goOn()
}

// goOn lets the method run until it ends or waits for an answer.
func (m *message) goOn() {
	current = m
	<-m.pause
}

// callback goes on with the method that waits for a reply or a reject.
//
//go:wasmexport ic_callback
func callback(env uint32) {
	m := waiting[env]
	delete(waiting, env)
	m.answered <- struct{}{}
	m.goOn()
}

// Call calls a method of a canister and reads its results. The error is the reject.
func Call(canister principal.Principal, method string, args []any, results ...any) error {
	encoded, err := candid.Marshal(args...)
	if err != nil {
		return err
	}
	m, id, index := current, canister.Bytes(), uint32(callbackAddress()>>16)
	last++
	callNew(pointer(id), uint32(len(id)), unsafe.Pointer(unsafe.StringData(method)), uint32(len(method)), index, last, index, last)
	callAppend(pointer(encoded), uint32(len(encoded)))
	if callPerform() != 0 {
		return errors.New("the call was not accepted")
	}
	waiting[last] = m
	m.pause <- struct{}{}
	<-m.answered
	if rejectCode() != 0 {
		text := make([]byte, rejectSize())
		rejectCopy(pointer(text), 0, uint32(len(text)))
		return errors.New(string(text))
	}
	return candid.Unmarshal(argument(), results...)
}

// Argument reads the arguments of the message. It panics if they have other types.
func Argument(targets ...any) {
	if err := candid.Unmarshal(argument(), targets...); err != nil {
		panic(err)
	}
}

// Reply answers the message.
func Reply(results ...any) {
	encoded, err := candid.Marshal(results...)
	if err != nil {
		panic(err)
	}
	replyAppend(pointer(encoded), uint32(len(encoded)))
	reply()
}

// Save writes what Load reads after an upgrade to stable memory.
func Save(values ...any) {
	encoded, err := candid.Marshal(values...)
	if err != nil {
		panic(err)
	}
	size := uint64(len(encoded))
	if missing := int64((8+size+1<<16-1)>>16) - int64(stableSize()); missing > 0 && stableGrow(uint64(missing)) == 1<<64-1 {
		panic("stable memory is full")
	}
	stableWrite(0, uint64(uintptr(unsafe.Pointer(&size))), 8)
	stableWrite(8, uint64(uintptr(pointer(encoded))), size)
}

// Load reads what Save wrote.
func Load(targets ...any) {
	var size uint64
	stableRead(uint64(uintptr(unsafe.Pointer(&size))), 0, 8)
	encoded := make([]byte, size)
	stableRead(uint64(uintptr(pointer(encoded))), 8, size)
	if err := candid.Unmarshal(encoded, targets...); err != nil {
		panic(err)
	}
}
