package component

// canonKind is the code of a canonical definition.
type canonKind byte

const (
	canonLift                 canonKind = 0x00
	canonLower                canonKind = 0x01
	canonResourceNew          canonKind = 0x02
	canonResourceDrop         canonKind = 0x03
	canonResourceRep          canonKind = 0x04
	canonTaskCancel           canonKind = 0x05
	canonSubtaskCancel        canonKind = 0x06
	canonTaskReturn           canonKind = 0x09
	canonContextGet           canonKind = 0x0a
	canonContextSet           canonKind = 0x0b
	canonThreadYield          canonKind = 0x0c
	canonSubtaskDrop          canonKind = 0x0d
	canonStreamNew            canonKind = 0x0e
	canonStreamRead           canonKind = 0x0f
	canonStreamWrite          canonKind = 0x10
	canonStreamCancelRead     canonKind = 0x11
	canonStreamCancelWrite    canonKind = 0x12
	canonStreamDropReadable   canonKind = 0x13
	canonStreamDropWritable   canonKind = 0x14
	canonFutureNew            canonKind = 0x15
	canonFutureRead           canonKind = 0x16
	canonFutureWrite          canonKind = 0x17
	canonFutureCancelRead     canonKind = 0x18
	canonFutureCancelWrite    canonKind = 0x19
	canonFutureDropReadable   canonKind = 0x1a
	canonFutureDropWritable   canonKind = 0x1b
	canonErrorContextNew      canonKind = 0x1c
	canonErrorContextMessage  canonKind = 0x1d
	canonErrorContextDrop     canonKind = 0x1e
	canonWaitableSetNew       canonKind = 0x1f
	canonWaitableSetWait      canonKind = 0x20
	canonWaitableSetPoll      canonKind = 0x21
	canonWaitableSetDrop      canonKind = 0x22
	canonWaitableJoin         canonKind = 0x23
	canonBackpressureInc      canonKind = 0x24
	canonBackpressureDec      canonKind = 0x25
	canonThreadIndex          canonKind = 0x26
	canonThreadNewIndirect    canonKind = 0x27
	canonThreadResumeLater    canonKind = 0x28
	canonThreadSuspend        canonKind = 0x29
	canonThreadSuspendResume  canonKind = 0x2a
	canonThreadYieldResume    canonKind = 0x2b
	canonThreadSuspendPromote canonKind = 0x2c
	canonThreadYieldPromote   canonKind = 0x2d
	canonThreadSpawnRef       canonKind = 0x40
	canonThreadSpawnIndirect  canonKind = 0x41
	canonAvailableParallelism canonKind = 0x42
)

// An immediate of a canonical definition, in the order of the binary format.
type immediate byte

const (
	immediateZero     immediate = iota // a byte that must be zero
	immediateIndex                     // of a function, for lift and lower
	immediateType                      // index of a type
	immediateResult                    // a result list
	immediateCoreType                  // the code of a core value type
	immediateSlot                      // a number
	immediateTable                     // index of a core table
	immediateMemory                    // index of a core memory
	immediateFlag                      // async, cancellable or shared
	immediateOptions
)

// canonical describes a canonical definition: its immediates, and the signature of the core function that it defines as
// names of parameters and results (i for i32, l for i64). Lift, lower and task.return have a signature of their types.
type canonical struct {
	name       string
	immediates []immediate
	signature  string
}

var canonicals = map[canonKind]canonical{
	canonLift:                 {"lift", []immediate{immediateZero, immediateIndex, immediateOptions, immediateType}, ""},
	canonLower:                {"lower", []immediate{immediateZero, immediateIndex, immediateOptions}, ""},
	canonResourceNew:          {"resource.new", []immediate{immediateType}, "i:i"},
	canonResourceDrop:         {"resource.drop", []immediate{immediateType}, "i:"},
	canonResourceRep:          {"resource.rep", []immediate{immediateType}, "i:i"},
	canonTaskCancel:           {"task.cancel", nil, ":"},
	canonSubtaskCancel:        {"subtask.cancel", []immediate{immediateFlag}, "i:i"},
	canonTaskReturn:           {"task.return", []immediate{immediateResult, immediateOptions}, ""},
	canonContextGet:           {"context.get", []immediate{immediateCoreType, immediateSlot}, ":i"},
	canonContextSet:           {"context.set", []immediate{immediateCoreType, immediateSlot}, "i:"},
	canonThreadYield:          {"thread.yield", []immediate{immediateFlag}, ":i"},
	canonSubtaskDrop:          {"subtask.drop", nil, "i:"},
	canonStreamNew:            {"stream.new", []immediate{immediateType}, ":l"},
	canonStreamRead:           {"stream.read", []immediate{immediateType, immediateOptions}, "iii:i"},
	canonStreamWrite:          {"stream.write", []immediate{immediateType, immediateOptions}, "iii:i"},
	canonStreamCancelRead:     {"stream.cancel-read", []immediate{immediateType, immediateFlag}, "i:i"},
	canonStreamCancelWrite:    {"stream.cancel-write", []immediate{immediateType, immediateFlag}, "i:i"},
	canonStreamDropReadable:   {"stream.drop-readable", []immediate{immediateType}, "i:"},
	canonStreamDropWritable:   {"stream.drop-writable", []immediate{immediateType}, "i:"},
	canonFutureNew:            {"future.new", []immediate{immediateType}, ":l"},
	canonFutureRead:           {"future.read", []immediate{immediateType, immediateOptions}, "ii:i"},
	canonFutureWrite:          {"future.write", []immediate{immediateType, immediateOptions}, "ii:i"},
	canonFutureCancelRead:     {"future.cancel-read", []immediate{immediateType, immediateFlag}, "i:i"},
	canonFutureCancelWrite:    {"future.cancel-write", []immediate{immediateType, immediateFlag}, "i:i"},
	canonFutureDropReadable:   {"future.drop-readable", []immediate{immediateType}, "i:"},
	canonFutureDropWritable:   {"future.drop-writable", []immediate{immediateType}, "i:"},
	canonErrorContextNew:      {"error-context.new", []immediate{immediateOptions}, "ii:i"},
	canonErrorContextMessage:  {"error-context.debug-message", []immediate{immediateOptions}, "ii:"},
	canonErrorContextDrop:     {"error-context.drop", nil, "i:"},
	canonWaitableSetNew:       {"waitable-set.new", nil, ":i"},
	canonWaitableSetWait:      {"waitable-set.wait", []immediate{immediateFlag, immediateMemory}, "ii:i"},
	canonWaitableSetPoll:      {"waitable-set.poll", []immediate{immediateFlag, immediateMemory}, "ii:i"},
	canonWaitableSetDrop:      {"waitable-set.drop", nil, "i:"},
	canonWaitableJoin:         {"waitable.join", nil, "ii:"},
	canonBackpressureInc:      {"backpressure.inc", nil, ":"},
	canonBackpressureDec:      {"backpressure.dec", nil, ":"},
	canonThreadIndex:          {"thread.index", nil, ":i"},
	canonThreadNewIndirect:    {"thread.new-indirect", []immediate{immediateType, immediateTable}, "ii:i"},
	canonThreadResumeLater:    {"thread.resume-later", nil, "i:"},
	canonThreadSuspend:        {"thread.suspend", []immediate{immediateFlag}, ":i"},
	canonThreadSuspendResume:  {"thread.suspend-then-resume", []immediate{immediateFlag}, "i:i"},
	canonThreadYieldResume:    {"thread.yield-then-resume", []immediate{immediateFlag}, "i:i"},
	canonThreadSuspendPromote: {"thread.suspend-then-promote", []immediate{immediateFlag}, "i:i"},
	canonThreadYieldPromote:   {"thread.yield-then-promote", []immediate{immediateFlag}, "i:i"},
	canonThreadSpawnRef:       {"thread.spawn-ref", []immediate{immediateFlag, immediateType}, "ii:i"},
	canonThreadSpawnIndirect:  {"thread.spawn-indirect", []immediate{immediateFlag, immediateType, immediateTable}, "ii:i"},
	canonAvailableParallelism: {"thread.available-parallelism", []immediate{immediateFlag}, ":i"},
}

// signatures are those of the table.
var signatures = func() map[canonKind]*coreFunc {
	all := map[canonKind]*coreFunc{}
	for kind, form := range canonicals { // in any order, into a map
		all[kind] = signature(form.signature)
	}
	return all
}()

// canonDef is a canonical definition with its immediates.
type canonDef struct {
	kind     canonKind
	function uint32 // of lift and lower
	typ      uint32
	result   *valueRef
	coreType byte
	slot     uint32
	table    uint32
	memory   uint32
	flag     bool
	options  []option
}

// option is an option of a canonical definition.
type option struct {
	code   byte // optionUTF8 …
	index  uint32
	offset int
}

const (
	optionUTF8       = 0x00
	optionUTF16      = 0x01
	optionLatin1     = 0x02
	optionMemory     = 0x03
	optionRealloc    = 0x04
	optionPostReturn = 0x05
	optionAsync      = 0x06
	optionCallback   = 0x07
)

func (r *reader) canon() canonDef {
	start := r.pos
	d := canonDef{kind: canonKind(r.byte())}
	form, ok := canonicals[d.kind]
	if !ok {
		badCode(start, byte(d.kind), "canonical function")
	}
	for _, immediate := range form.immediates {
		r.immediate(immediate, &d, form.name)
	}
	return d
}

func (r *reader) immediate(immediate immediate, d *canonDef, name string) {
	switch immediate {
	case immediateZero:
		r.code("canonical function "+name, 0)
	case immediateIndex:
		d.function = r.u32()
	case immediateType:
		d.typ = r.u32()
	case immediateResult:
		d.result = r.result()
	case immediateCoreType:
		d.coreType = r.byte()
	case immediateSlot:
		d.slot = r.u32()
	case immediateTable:
		d.table = r.u32()
	case immediateMemory:
		d.memory = r.u32()
	case immediateFlag:
		d.flag = r.flag()
	case immediateOptions:
		d.options = r.options()
	}
}

func (r *reader) options() []option {
	options := make([]option, r.count(maxOptions, "canonical options"))
	for i := range options {
		o := option{offset: r.pos}
		o.code = r.byte()
		switch o.code {
		case optionUTF8, optionUTF16, optionLatin1, optionAsync:
		case optionMemory, optionRealloc, optionPostReturn, optionCallback:
			o.index = r.u32()
		default:
			badCode(o.offset, o.code, "canonical option")
		}
		options[i] = o
	}
	return options
}
