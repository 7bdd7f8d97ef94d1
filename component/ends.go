package component

// copyState says what an end of a stream or future does.
type copyState uint8

const (
	copyIdle copyState = iota
	copyBusy
	copyCancelling
	copyDone // it copies no more
)

// copyEnd is an end of a stream or future in the handle table of an instance.
type copyEnd struct {
	waitable
	shared   *rendezvous
	element  *valueType // nil if it has none
	buffer   *copyBuffer
	readable bool
	state    copyState
	result   copyResult // of its event
	reclaim  bool       // its copy ends when it learns of its event
}

func (e *copyEnd) base() *waitable { return &e.waitable }

func (e *copyEnd) kindName() string {
	switch {
	case e == nil:
		return "stream or future"
	case e.readable:
		return "readable end of a " + e.shared.name()
	}
	return "writable end of a " + e.shared.name()
}

func (e *copyEnd) progress() { e.notify(copyCompleted, true) }

func (e *copyEnd) done(result copyResult) { e.notify(result, false) }

func (e *copyEnd) notify(result copyResult, reclaim bool) {
	e.result, e.reclaim = result, reclaim
	e.shared.host.notify(e)
}

// take gives the result of the copy, and for a stream the number of elements.
func (e *copyEnd) take() event {
	if e.reclaim {
		e.shared.reset()
		e.reclaim = false
	}
	e.state = copyIdle
	if e.result == copyDropped || e.shared.future && e.result == copyCompleted {
		e.state = copyDone
	}
	code := eventStreamRead
	if e.shared.future {
		code = eventFutureRead
	}
	if !e.readable {
		code++
	}
	ev := event{code, e.index, uint32(e.result)}
	if !e.shared.future {
		ev.payload |= e.buffer.progress << 4
	}
	e.buffer = nil
	return ev
}

// endFunction makes a built-in function of streams or futures.
func (s *instanceState) endFunction(d canonDef) asyncFunction {
	element := s.scope.types[d.typ].(*valueType).fields[0].typ
	future := d.kind >= canonFutureNew
	kind := d.kind
	if future {
		kind -= canonFutureNew - canonStreamNew
	}
	end := func(args []uint64, readable bool) *copyEnd {
		return s.endAt(uint32(args[0]), element, future, readable)
	}
	switch kind {
	case canonStreamNew:
		return func([]uint64) uint64 {
			shared := &rendezvous{host: s.host, future: future}
			r := s.addEnd(&copyEnd{shared: shared, element: element, readable: true})
			return uint64(r) | uint64(s.addEnd(&copyEnd{shared: shared, element: element}))<<32
		}
	case canonStreamRead, canonStreamWrite:
		options := s.options(d.options)
		return func(args []uint64) uint64 {
			length := uint32(1)
			if !future {
				length = uint32(args[2])
			}
			return uint64(s.copy(end(args, kind == canonStreamRead), &options, uint32(args[1]), length))
		}
	case canonStreamCancelRead, canonStreamCancelWrite:
		return func(args []uint64) uint64 {
			return uint64(s.cancelCopy(end(args, kind == canonStreamCancelRead), d.flag))
		}
	case canonStreamDropReadable, canonStreamDropWritable:
		return func(args []uint64) uint64 { s.dropEnd(end(args, kind == canonStreamDropReadable)); return 0 }
	}
	return nil
}

func (s *instanceState) addEnd(e *copyEnd) uint32 {
	e.index = s.handles.add(e)
	return e.index
}

// endAt gives the end of a kind and type at an index.
func (s *instanceState) endAt(index uint32, element *valueType, future, readable bool) *copyEnd {
	e := tableItem[*copyEnd](s, index)
	if e.shared.future != future || e.readable != readable || !sameType(e.element, element) {
		trap("handle index %d used with the wrong type, found the %s", index, e.kindName())
	}
	return e
}

// copy is stream.read, stream.write, future.read or future.write.
func (s *instanceState) copy(e *copyEnd, options *runOptions, pointer, length uint32) uint32 {
	switch {
	case e.state == copyDone:
		trapDone(e)
	case e.state != copyIdle:
		trap("cannot have concurrent operations active on a future/stream")
	case e.set != nil && !options.async:
		trapSynchronous()
	}
	a := options.abi
	e.buffer = a.guestBuffer(e.element, pointer, length)
	e.state = copyBusy
	e.shared.copy(e, e.buffer, e.readable)
	return s.awaitCopy(e, options.async)
}

func trapDone(e *copyEnd) {
	switch {
	case e.shared.future && e.readable:
		trap("cannot read from future after previous read succeeded")
	case e.shared.future:
		trap("cannot write to future after previous write succeeded or readable end dropped")
	case e.readable:
		trap("cannot read from stream after being notified that the writable end dropped")
	}
	trap("cannot write to stream after being notified that the readable end dropped")
}

// awaitCopy takes the event of an end. An asynchronous function does not wait for it.
func (s *instanceState) awaitCopy(e *copyEnd, async bool) uint32 {
	if !e.pending {
		if async {
			return blocked
		}
		s.host.await(&e.waitable)
	}
	return s.host.take(e).payload
}

// cancelCopy is the cancellation of a read or write.
func (s *instanceState) cancelCopy(e *copyEnd, async bool) uint32 {
	switch {
	case e.state != copyBusy || e.waiter != nil:
		trap("cannot cancel an operation that is not active on a %s", e.shared.name())
	case e.set != nil && !async:
		trapSynchronous()
	}
	e.state = copyCancelling
	switch {
	case !e.pending:
		e.shared.finish(copyCancelled)
	case e.reclaim:
		// The specification's test async/cancel-stream.wast wants this; its definitions say that the copy completed.
		e.result = copyCancelled
	}
	return s.awaitCopy(e, async)
}

// dropEnd removes an end that does not copy. A writable end of a future must have written.
func (s *instanceState) dropEnd(e *copyEnd) {
	switch {
	case e.state == copyBusy || e.state == copyCancelling:
		verb := "drop"
		if e.readable {
			verb = "remove"
		}
		trap("cannot %s busy %s", verb, e.shared.name())
	case e.shared.future && !e.readable && e.state != copyDone:
		trap("cannot drop future write end without first writing a value")
	}
	e.shared.drop()
	s.host.join(e, nil)
	s.handles.remove(e.index)
}

// liftEnd takes the readable end of a stream or future out of the instance.
func (a *abi) liftEnd(t *valueType, index uint32) any {
	s := a.instance
	e := s.endAt(index, t.fields[0].typ, t.kind == kindFuture, true)
	switch {
	case e.state == copyDone && e.shared.future:
		trap("cannot lift future after previous read succeeded")
	case e.state == copyDone:
		trap("cannot lift stream after being notified that the writable end dropped")
	case e.state != copyIdle:
		trap("cannot remove busy %s", e.shared.name())
	case e.set != nil:
		trap("cannot lift %s while it's in a waitable set", e.shared.name())
	}
	s.handles.remove(index)
	end := hostEnd{shared: e.shared, readable: true}
	e.shared.element = e.element
	if a.outside {
		end.count()
	}
	if e.shared.future {
		return &Future{end}
	}
	return &Stream{hostEnd: end}
}

// lowerEnd gives an instance the readable end of a stream or future.
func (a *abi) lowerEnd(t *valueType, v any) uint32 {
	end := v.(interface{ end() *hostEnd }).end()
	r := end.shared
	if r.host != nil && r.host != a.instance.host {
		trap("the %s is one of another instance", r.name())
	}
	end.leave()
	r.host, r.element = a.instance.host, t.fields[0].typ
	if r.writer != nil {
		r.writer.count()
	}
	return a.instance.addEnd(&copyEnd{shared: r, element: r.element, readable: true})
}
