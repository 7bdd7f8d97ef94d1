package canistertest

import (
	_ "embed"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/canisterd/canisterd/test/canistertest/wat"
)

// Addresses in the scriptable canister's heap, and sizes.
const (
	stackEnd    = 0x8000 // the stack is below
	scratch     = 0x8000 // 16 bytes for amounts
	report      = 0x8010 // where the text of a trap is put together
	reportEnd   = 0x8100
	messages    = 0x8100  // the texts of traps
	hooksBase   = 0x9000  // hookCount hooks of slotBytes
	heapBase    = 0x10000 // what HeapWrite and HeapRead see
	slotsBase   = 0x20000
	slotBytes   = 1024
	slotCount   = 512
	kept        = 1000 // bytes of the programs of a hook or a call
	arenaBase   = slotsBase + slotCount*slotBytes
	arenaEnd    = 1<<32 - 1<<16 // blobs of one message end here
	memoryPages = arenaBase>>16 + 1
	mostBytes   = 1 << 28 // of a blob
	deepest     = 32      // programs within programs that run at a time

	// HeapBytes is the size of the heap that HeapWrite and HeapRead see.
	HeapBytes = 0x10000
)

// Entries of the table beyond the operations.
const (
	onReply   = 256
	onReject  = 257
	onCleanup = 258
	tableSize = 259
)

// Variant says which scriptable canister to make. They differ in nothing else.
type Variant struct {
	Memory64   bool // a 64-bit memory
	Heartbeat  bool // exports canister_heartbeat; without, a machine with the canister comes to rest
	Persistent bool // keeps its heap over upgrades that ask for it (enhanced orthogonal persistence)
	Named      bool // names its functions, so that traps have backtraces
}

// Module is the variant's module, assembled once. The caller must not change it.
func (v Variant) Module() []byte { return assembledVariants.of(v, v.assemble) }

// assembledVariants are the modules of the variants that tests of this process have used.
var assembledVariants assembled[Variant]

// assembled are modules that are assembled once in the process, by what they are made of. The zero value is empty.
type assembled[K comparable] struct {
	mu      sync.Mutex // guards modules
	modules map[K][]byte
}

// of is the module of a key.
func (a *assembled[K]) of(key K, assemble func() []byte) []byte {
	a.mu.Lock()
	defer a.mu.Unlock()
	module, found := a.modules[key]
	if !found {
		if a.modules == nil {
			a.modules = make(map[K][]byte)
		}
		module = assemble()
		a.modules[key] = module
	}
	return module
}

func (v Variant) assemble() []byte {
	binary, err := wat.Options{OmitNames: !v.Named}.Assemble(v.text())
	if err != nil {
		panic(fmt.Errorf("canistertest: %w", err))
	}
	return binary
}

// Scriptable is the scriptable canister's module with a 32-bit memory and without a heartbeat.
func Scriptable() []byte { return Variant{}.Module() }

// ScriptableHeartbeat is the scriptable canister with canister_heartbeat.
func ScriptableHeartbeat() []byte { return Variant{Heartbeat: true}.Module() }

// ScriptablePersistent is the scriptable canister that keeps its heap over upgrades that
// ask for it.
func ScriptablePersistent() []byte { return Variant{Persistent: true}.Module() }

//go:embed interpreter.wat
var interpreterText string

//go:embed operations.wat
var operationsText string

// What depends on the width of the memory.
const (
	narrowText = `
(func $short (param i64) (result i32) (i32.wrap_i64 (local.get 0)))
(func $long (param i32) (result i64) (i64.extend_i32_u (local.get 0)))
(func $grown (param i32) (result i64) (i64.extend_i32_s (local.get 0)))
`
	wideText = `
(func $short (param i64) (result i64) (local.get 0))
(func $long (param i64) (result i64) (local.get 0))
(func $grown (param i64) (result i64) (local.get 0))
`
	heartbeatText  = `(func (export "canister_heartbeat") (call $hook (i64.const HEARTBEATHOOK)))` + "\n"
	persistentText = `(@custom "icp:private enhanced-orthogonal-persistence" "")` + "\n"
)

func (v Variant) text() string {
	width, body := "i32", interpreterText+operationsText+elements()
	if v.Memory64 {
		width, body = "i64", body+wideText
	} else {
		body += narrowText
	}
	if v.Heartbeat {
		body += heartbeatText
	}
	if v.Persistent {
		body += persistentText
	}
	body = numbers.ReplaceAllStringFunc(body, func(word string) string {
		if n, ok := sizes[word]; ok {
			return strconv.Itoa(n)
		}
		return word
	})
	return "(module\n" + pointers.ReplaceAllString(withTexts(body), width) + ")"
}

var (
	pointers = regexp.MustCompile(`\bptr\b`)
	numbers  = regexp.MustCompile(`\b[A-Z]{4,}\b`)
	failures = regexp.MustCompile(`\(fail "([^"]*)"\)`)
)

// sizes are the words in capitals of the texts.
var sizes = map[string]int{
	"STACKEND": stackEnd, "SCRATCH": scratch, "REPORT": report, "REPORTEND": reportEnd, "MESSAGES": messages,
	"HOOKS": hooksBase, "HOOKCOUNT": int(hookCount), "HEAPBASE": heapBase, "HEAPBYTES": HeapBytes,
	"SLOTS": slotsBase, "SLOTBYTES": slotBytes, "SLOTCOUNT": slotCount, "KEPT": kept,
	"ARENA": arenaBase, "ARENAEND": arenaEnd, "PAGES": memoryPages, "MOST": mostBytes, "MOSTPAGES": mostBytes >> 12,
	"DEEPEST": deepest, "TABLE": tableSize, "ONREPLY": onReply, "ONREJECT": onReject, "ONCLEANUP": onCleanup,
	"PREHOOK": int(HookPreUpgrade), "TIMERHOOK": int(HookTimer), "LOWHOOK": int(HookLowMemory),
	"INSPECTHOOK": int(HookInspect), "HEARTBEATHOOK": int(HookHeartbeat),
}

// elements is the part of the table that operations are found in.
func elements() string {
	var all strings.Builder
	all.WriteString("(elem (i32.const 0)")
	for code := range 256 {
		name := " $unknown"
		if op := operationOf(byte(code)); op != nil {
			name = " $op." + op.name
		}
		all.WriteString(name)
	}
	return all.String() + ")\n"
}

// withTexts puts the texts of all failures into the memory.
func withTexts(body string) string {
	texts := " at byte "
	places := make(map[string]int)
	body = failures.ReplaceAllStringFunc(body, func(call string) string {
		text := failures.FindStringSubmatch(call)[1]
		if _, ok := places[text]; !ok {
			places[text] = messages + len(texts)
			texts += text
		}
		return fmt.Sprintf("(call $fail (ptr.const %d) (ptr.const %d)) (unreachable)", places[text], len(text))
	})
	return body + fmt.Sprintf("(data (ptr.const %d) %q)\n", messages, texts)
}
