package real

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/did"
)

// interfaceFile is the interface of the management canister, relative to the folder of package replica, where the
// scripts run.
const interfaceFile = "internal/management/testdata/ic.did"

// vocabulary is the management canister's interface for scripts: its methods, and the names of fields by their hashes.
type vocabulary struct {
	file  *did.File
	names map[uint32]string
}

func readVocabulary(t testing.TB) *vocabulary {
	t.Helper()
	text, err := os.ReadFile(interfaceFile)
	if err != nil {
		t.Fatal(err)
	}
	file, err := did.Parse(string(text))
	if err != nil {
		t.Fatal(err)
	}
	v := &vocabulary{file: file, names: make(map[uint32]string)}
	for _, word := range regexp.MustCompile(`\w+`).FindAllString(string(text), -1) {
		v.names[candid.Hash(word)] = word
	}
	return v
}

// arguments encodes Candid text: with the method's types if the text matches them, so that numbers need no types.
func (n *vocabulary) arguments(s *Stage, method, text string) []byte {
	if declared, ok := n.file.Method(method); ok {
		types := make([]*candid.Type, len(declared.Args))
		for i := range types {
			types[i] = declared.Args[i].Type
		}
		if values, err := candid.ParseArgsAt(text, types); err == nil {
			if raw, err := candid.Encode(values, types); err == nil {
				return raw
			}
		}
	}
	return s.Args(text)
}

// chosen returns some fields of the record in a message, wherever they are in it.
func (n *vocabulary) chosen(message []byte, fields []string) string {
	values, _, err := candid.Decode(message)
	if err != nil || len(values) != 1 {
		return readable(message)
	}
	whole := n.named(values[0])
	found := make([]string, len(fields))
	for i, name := range fields {
		found[i] = name + " = nothing"
		if v := find(whole, name); v != nil {
			found[i] = name + " = " + candid.Format(v)
		}
	}
	return strings.Join(found, "; ")
}

func find(v candid.Value, name string) candid.Value {
	record, ok := v.(candid.Record)
	if !ok {
		return nil
	}
	if found := record.Get(name); found != nil {
		return found
	}
	for _, field := range record {
		if found := find(field.Value, name); found != nil {
			return found
		}
	}
	return nil
}

// text returns a message as Candid text, with the known names of fields.
func (n *vocabulary) text(message []byte) string {
	values, _, err := candid.Decode(message)
	if err != nil {
		return readable(message)
	}
	for i := range values {
		values[i] = n.named(values[i])
	}
	return candid.FormatArgs(values)
}

func (n *vocabulary) named(v candid.Value) candid.Value {
	switch v := v.(type) {
	case candid.Opt:
		if v.Value == nil {
			return v
		}
		return candid.Opt{Value: n.named(v.Value)}
	case candid.Vec:
		out := make(candid.Vec, len(v))
		for i := range v {
			out[i] = n.named(v[i])
		}
		return out
	case candid.Record:
		out := make(candid.Record, len(v))
		for i := range v {
			out[i] = candid.FieldValue{Label: n.label(v[i].Label), Value: n.named(v[i].Value)}
		}
		return out
	case candid.Variant:
		return candid.Variant{Label: n.label(v.Label), Value: n.named(v.Value)}
	}
	return v
}

func (n *vocabulary) label(l candid.Label) candid.Label {
	if name, ok := n.names[l.ID]; ok {
		return candid.Named(name)
	}
	return l
}
