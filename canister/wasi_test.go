package canister_test

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/internal/golden"
	"github.com/canisterd/canisterd/test/canistertest"
	"github.com/canisterd/canisterd/test/canistertest/wat"
)

func TestFunctionsOfWASIDoWhatTheirScriptsSay(t *testing.T) {
	golden.Scripts(t, "testdata/wasi", func(t testing.TB) golden.Performer { return newWASIPerformer(t) })
}

func TestEveryFunctionOfWASIHasAScript(t *testing.T) {
	for _, f := range canister.WASI() {
		if text := golden.Read(t, "testdata/wasi/"+f.Name+".txt"); !strings.Contains(text, "\ncall "+f.Name) {
			t.Errorf("the script of %s does not call it", f.Name)
		}
	}
}

// wasiPerformer calls functions of WASI. The memory of the canister begins with an image, and its first bytes come
// back.
//
//	put ADDRESS u8|u16|u32|u64 NUMBER...  writes numbers into the image
//	put ADDRESS "text"                    writes a text
//	variable NAME VALUE                   gives the canister an environment variable
//	time NANOSECONDS                      moves the time
//	as update|query|callback|timer        is the kind of the messages that follow
//	call NAME PARAMETER...                calls a function, and says what came back and what is new in memory
type wasiPerformer struct {
	place  *canistertest.Place
	c      *canister.Canister
	image  [imageBytes]byte
	caller string // kind of message
	logged uint64
	said   strings.Builder
}

const imageBytes = 512

func newWASIPerformer(t testing.TB) *wasiPerformer {
	p := &wasiPerformer{place: canistertest.NewPlace(t), caller: "update"}
	p.c = p.place.Canister(p.place.Wat(wasiCaller()), nil)
	return p
}

// wasiCaller is a module with a method for each function, as update and as query. The argument is eight parameters of
// 64 bits and the image; the reply is what the function returned and the image as it is then.
func wasiCaller() string {
	var imports, bodies strings.Builder
	for _, f := range canister.WASI() {
		var params, args strings.Builder
		for i, t := range f.Params {
			params.WriteString(" " + t)
			load := fmt.Sprintf("(i64.load (i32.const %d))", 60_000+8*i)
			if t == "i32" {
				load = "(i32.wrap_i64 " + load + ")"
			}
			args.WriteString(load)
		}
		call, result := fmt.Sprintf("(call $%s %s)", f.Name, args.String()), "(result i32)"
		if !f.Returns {
			call, result = call+"(i32.const 0)", ""
		}
		fmt.Fprintf(&imports, "(import \"wasi_snapshot_preview1\" %q (func $%[1]s (param%s) %s))\n", f.Name, params.String(), result)
		for _, kind := range []string{"update", "query"} {
			fmt.Fprintf(&bodies, `(func (export "canister_%s_%s%s")
(call $arg (i32.const 60000) (i32.const 0) (i32.const 64)) (call $arg (i32.const 0) (i32.const 64) (i32.const %d))
(i32.store (i32.const 61000) %s) (call $append (i32.const 61000) (i32.const 4)) (call $append (i32.const 0) (i32.const %[4]d)) (call $reply))
`, kind, map[string]string{"query": "q_"}[kind], f.Name, imageBytes, call)
		}
	}
	return `(module (import "ic0" "msg_arg_data_copy" (func $arg (param i32 i32 i32)))
(import "ic0" "msg_reply_data_append" (func $append (param i32 i32))) (import "ic0" "msg_reply" (func $reply))
` + imports.String() + `(memory 1)
` + bodies.String() + ")"
}

func (p *wasiPerformer) Perform(command string) error {
	words := strings.Fields(command)
	switch words[0] {
	case "put":
		return p.put(words[1], words[2], strings.TrimSpace(command), words[3:])
	case "variable":
		p.c.Settings.SetEnvironment(append(p.c.Settings.Environment, canister.Variable{Name: words[1], Value: words[2]}))
	case "time":
		more, err := strconv.ParseUint(words[1], 10, 64)
		p.place.Subnet.Time += more
		return err
	case "as":
		p.caller = words[1]
	case "call":
		return p.call(words[1], words[2:])
	default:
		return fmt.Errorf("no command %q", words[0])
	}
	return nil
}

func (p *wasiPerformer) put(at, form, command string, numbers []string) error {
	address, err := strconv.Atoi(at)
	if err != nil {
		return err
	}
	if strings.HasPrefix(form, `"`) {
		text, err := strconv.Unquote(command[strings.Index(command, `"`):])
		copy(p.image[address:], text)
		return err
	}
	for _, word := range numbers {
		n, err := strconv.ParseUint(word, 0, 64)
		if err != nil {
			return err
		}
		size := map[string]int{"u8": 1, "u16": 2, "u32": 4, "u64": 8}[form]
		copy(p.image[address:], binary.LittleEndian.AppendUint64(nil, n)[:size])
		address += size
	}
	return nil
}

func (p *wasiPerformer) call(name string, words []string) error {
	params := make([]byte, 0, 64)
	for _, word := range words {
		n, err := strconv.ParseUint(word, 0, 64)
		if err != nil {
			return err
		}
		params = binary.LittleEndian.AppendUint64(params, n)
	}
	m := &canister.Message{Context: canister.Update, Method: name, Caller: canistertest.Controller, Payload: append(params[:64:64], p.image[:]...)}
	begun := p.place.Subnet.Time
	m.Sleep = func(until, _ uint64) uint64 {
		fmt.Fprintf(&p.said, "waits %d ns\n", until-begun)
		return until
	}
	out := p.execute(m)
	p.logged = sayLog(&p.said, p.c, p.logged)
	switch {
	case out.Failure != nil:
		text, _, _ := strings.Cut(out.Failure.Text, "\n")
		fmt.Fprintf(&p.said, "%s: %s\n", out.Failure.Error, text)
	case out.Response == nil:
		fmt.Fprintf(&p.said, "ends without a reply, %d instructions\n", out.Instructions)
	default:
		p.show(out.Response.Reply)
	}
	return nil
}

// sayLog writes the records of the log that have come since the last time, and returns the number of the next one.
func sayLog(said *strings.Builder, c *canister.Canister, next uint64) uint64 {
	for i := range c.Logs.Len() {
		if r := c.Logs.At(i); r.Index >= next {
			fmt.Fprintf(said, "log: %q\n", r.Content)
		}
	}
	return c.Logs.Next()
}

func (p *wasiPerformer) execute(m *canister.Message) canister.Outcome {
	if p.caller == "update" {
		var out canister.Outcome
		if p.c.ExecuteShort(&p.place.Subnet, m, &out) {
			return out
		}
		return p.c.Execute(&p.place.Subnet, m)
	}
	m.Context, m.Method = canister.Query, "q_"+m.Method
	target, reject := p.c.PrepareQuery()
	if reject != nil {
		return canister.Outcome{Failure: reject}
	}
	defer target.Release()
	return target.Run(&p.place.Subnet, m)
}

// show says what a function returned, and the bytes that are new, from the first to the last.
func (p *wasiPerformer) show(reply []byte) {
	fmt.Fprintf(&p.said, "errno %d\n", binary.LittleEndian.Uint32(reply))
	image := reply[4:]
	for at := 0; at < imageBytes; at++ {
		if image[at] == p.image[at] {
			continue
		}
		end := at + 1
		for i := at; i < min(at+32, imageBytes); i++ {
			if image[i] != p.image[i] {
				end = i + 1
			}
		}
		fmt.Fprintf(&p.said, "at %d: % x\n", at, image[at:end])
		at = end
	}
}

func (p *wasiPerformer) Said() string {
	said := p.said.String()
	p.said.Reset()
	return said
}

// longLine writes 70,000 bytes of one line.
const longLine = `(module
  (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
  (import "ic0" "msg_reply" (func $reply))
  (memory 2)
  (func (export "canister_update_hi")
    (memory.fill (i32.const 16) (i32.const 97) (i32.const 70000))
    (i32.store (i32.const 0) (i32.const 16)) (i32.store (i32.const 4) (i32.const 70000))
    (drop (call $write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 8)))
    (call $reply)))`

func TestALongLineOfAStreamIsCutIntoRecords(t *testing.T) {
	for _, module := range [][]byte{wat.MustAssemble(longLine), polyfilled(t, longLine)} {
		place := canistertest.NewPlace(t)
		c := place.Canister(place.Module(module), nil)
		c.Settings.LogMemoryLimit = 1 << 20
		if out := c.Execute(&place.Subnet, &canister.Message{Context: canister.Update, Method: "hi", Caller: canistertest.User}); out.Failure != nil {
			t.Fatal(out.Failure)
		}
		var sizes []int
		for i := range c.Logs.Len() {
			sizes = append(sizes, len(c.Logs.At(i).Content))
		}
		if want := []int{32768, 32768, 70000 - 2*32768}; !slices.Equal(sizes, want) {
			t.Errorf("records of %v bytes, not %v", sizes, want)
		}
	}
}
