package project

import (
	"cmp"
	"errors"
	"io"
	"reflect"
	"regexp"
	"strings"

	"github.com/canisterd/canisterd/internal/candid/reference"
)

// otherKind is the message of the YAML library for a value of another kind.
var otherKind = regexp.MustCompile("cannot unmarshal !!(\\w+)(?: (`[^`]*`))? into (\\S+)")

// kinds are the kinds of YAML whose values are not shown.
var kinds = map[string]string{"seq": "a list", "map": "keys with values"}

// wantedKind is the kind of a Go type.
func wantedKind(goType string) string {
	switch {
	case strings.HasPrefix(goType, "[]"):
		return "a list"
	case strings.HasPrefix(goType, "map["), strings.HasPrefix(goType, "project."):
		return "keys with values"
	case strings.HasPrefix(goType, "uint"):
		return "a whole number"
	case goType == "bool":
		return "true or false"
	}
	return "a text"
}

// unknownKey is its message for an unknown key.
var unknownKey = regexp.MustCompile(`field (\S+) not found in type project\.(\w+)`)

// specs are the types of the parts of canisterd.yaml by their names.
var specs = map[string]reflect.Type{
	"Explore": reflect.TypeFor[Explore](), "Network": reflect.TypeFor[Network](),
	"Project": reflect.TypeFor[Project](), "Canister": reflect.TypeFor[Canister](), "Settings": reflect.TypeFor[Settings](),
	"Motoko": reflect.TypeFor[Motoko](), "Rust": reflect.TypeFor[Rust](), "Clone": reflect.TypeFor[Clone](),
}

// inYAML is why a text is not a project, without the details that only the authors of the parser understand.
func inYAML(err error) string {
	if errors.Is(err, io.EOF) {
		return "it is empty: list canisters under canisters:, each with its wasm: file"
	}
	text := unknownKey.ReplaceAllStringFunc(err.Error(), func(found string) string {
		parts := unknownKey.FindStringSubmatch(found)
		keys := keysOf(specs[parts[2]])
		return "there is no key " + parts[1] + reference.Meant(parts[1], keys) + " (there are " + strings.Join(keys, ", ") + ")"
	})
	text = otherKind.ReplaceAllStringFunc(text, func(found string) string {
		parts := otherKind.FindStringSubmatch(found)
		return "expected " + wantedKind(parts[3]) + ", not " + cmp.Or(kinds[parts[1]], parts[2])
	})
	return strings.TrimPrefix(strings.ReplaceAll(text, "unmarshal errors:\n  ", ""), "yaml: ")
}

// keysOf are the keys of a part, in their order.
func keysOf(part reflect.Type) (keys []string) {
	for f := range fieldsOf(part) {
		keys = append(keys, f.Tag.Get("yaml"))
	}
	return keys
}

// fieldsOf are the fields of a part that have keys.
func fieldsOf(part reflect.Type) func(yield func(reflect.StructField) bool) {
	return func(yield func(reflect.StructField) bool) {
		for i := range part.NumField() {
			if f := part.Field(i); f.Tag.Get("yaml") != "" && !yield(f) {
				return
			}
		}
	}
}
