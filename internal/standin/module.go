package standin

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/did"
)

// Module returns the module of a stand-in. It exports the methods of the interface, and those that have replies:
//
//   - a query replies what was recorded for its argument, and rejects other arguments,
//   - an update rejects.
//
// Without an interface, canister_inspect_message refuses messages to all other methods.
func Module(r *Recording) ([]byte, error) {
	methods, err := r.methods()
	if err != nil {
		return nil, err
	}
	b := &builder{recording: r}
	for _, m := range methods {
		b.method(m)
	}
	for i := range r.Replies {
		if name := r.Replies[i].Method; !b.has(name) {
			b.method(did.Method{Name: name, Annotation: candid.Query})
		}
	}
	if r.Interface == "" {
		b.inspect()
	}
	about, err := json.Marshal(r.about())
	if err != nil {
		return nil, fmt.Errorf("the section %s: %w", Section, err)
	}
	return b.module(about), nil
}

// builder collects the exports of a module, and the data that they read.
type builder struct {
	recording *Recording
	exports   []export
	data      []byte
	longest   int // bytes of the longest argument that is compared
}

// export is an exported function without parameters: it calls a function with constants.
type export struct {
	name      string // of the export
	method    string
	function  int // index of the called function
	constants []int
}

// row is a row of a table in memory, as words: the key, which is compared with an argument or a name, and the answer to it.
type row struct{ key, keyBytes, answer, answerBytes, rejects int }

// Offsets of the words of a row, and its size.
const (
	keyAt         = 0
	keyBytesAt    = 4
	answerAt      = 8
	answerBytesAt = 12
	rejectsAt     = 16
	rowBytes      = 20
)

func (b *builder) has(method string) bool {
	return slices.ContainsFunc(b.exports, func(e export) bool { return e.method == method })
}

// method adds a method of the stand-in.
func (b *builder) method(m did.Method) {
	kind := "canister_query "
	if m.Annotation&candid.CompositeQuery != 0 {
		kind = "canister_composite_query "
	}
	if !IsQuery(m) {
		text, size := b.put([]byte(b.refusal("the update " + m.Name)))
		b.exports = append(b.exports, export{"canister_update " + m.Name, m.Name, callReject, []int{text, size}})
		return
	}
	var rows []row
	for i := range b.recording.Replies {
		if r := &b.recording.Replies[i]; r.Method == m.Name {
			rows = append(rows, b.row(r))
		}
	}
	text, size := b.put([]byte(b.unrecorded(m.Name)))
	first, end := b.table(rows)
	b.exports = append(b.exports, export{kind + m.Name, m.Name, funcAnswer, []int{first, end, text, size}})
}

// inspect adds the inspection of messages of users, which accepts those to the methods of the module.
func (b *builder) inspect() {
	var rows []row
	for _, e := range b.exports {
		name, size := b.put([]byte(e.method))
		b.longest = max(b.longest, size)
		rows = append(rows, row{key: name, keyBytes: size})
	}
	text, size := b.put([]byte(b.refusal("all other methods")))
	first, end := b.table(rows)
	b.exports = append(b.exports, export{"canister_inspect_message", "", funcInspect, []int{first, end, text, size}})
}

// row adds a reply, and returns its row.
func (b *builder) row(r *Reply) row {
	b.longest = max(b.longest, len(r.Argument))
	var made row
	made.key, made.keyBytes = b.put(r.Argument)
	if r.Reply == nil {
		made.rejects = 1
		made.answer, made.answerBytes = b.put([]byte(r.Reject))
		return made
	}
	made.answer, made.answerBytes = b.put(r.Reply)
	return made
}

// put adds data, and returns its address and size.
func (b *builder) put(data []byte) (address, size int) {
	address = len(b.data)
	b.data = append(b.data, data...)
	return address, len(data)
}

// table adds a table, and returns the addresses of its first row and of its end.
func (b *builder) table(rows []row) (first, end int) {
	first = len(b.data)
	for _, r := range rows {
		for _, word := range []int{r.key, r.keyBytes, r.answer, r.answerBytes, r.rejects} {
			b.data = binary.LittleEndian.AppendUint32(b.data, uint32(word))
		}
	}
	return first, len(b.data)
}

// source names the canister in texts.
func (b *builder) source() string {
	return fmt.Sprintf("This is a stand-in for canister %s of %s, which answers queries with recorded replies", b.recording.Canister, b.recording.From)
}

// unrecorded is the text of a reject of an argument without a reply.
func (b *builder) unrecorded(method string) string {
	return b.source() + fmt.Sprintf(". No reply of %s was recorded for this argument: canisterd clone record %s '%s (ARGUMENTS)' --from %s records one.",
		method, b.recording.Canister, method, b.recording.From)
}

// refusal is the text of a reject of what is no query.
func (b *builder) refusal(refused string) string {
	return b.source() + fmt.Sprintf(" and refuses %s: clone the canister as one of its controllers, or install another module (canisterd canister install %s FILE --mode reinstall).",
		refused, b.recording.Canister)
}
