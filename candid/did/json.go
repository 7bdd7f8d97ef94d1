package did

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/canisterd/canisterd/candid"
)

// The JSON form of Candid values. It is read and written at a type: the type in the interface or, without an interface,
// the type in the message. So no text is ambiguous, and writing and reading a value at the same type returns the same
// value, except for the payload of a NaN.
//
// An argument or result list is an array with one element each: [] for none, [5] for one. One argument is an array too,
// because otherwise [5] would be both the nat 5 and the vec of it. Optional arguments at the end may be omitted.
//
//	null, reserved     null; at reserved anything is read and dropped
//	bool               true, false
//	nat, int, nat8 …   a number, where every JavaScript number is exact, that
//	                   is to ±(2^53−1); a string of decimal digits beyond. Both
//	                   are read at any size, numbers by their digits: 1e3 and
//	                   2.0 are not integers
//	float32, float64   a number, or "NaN", "Infinity", "-Infinity"
//	text               a string
//	blob (vec nat8)    a string of hexadecimal digits, as people write hashes,
//	                   keys and subaccounts; an array of numbers and
//	                   {"base64": "…"} are read too
//	vec t              an array
//	opt t              null or the value; if the value could be null itself,
//	                   because t is null, reserved or an option, [] or [value]
//	record             an object. A field without a name has the key "_7_", its
//	                   id; so has a field whose name looks like that. Absent
//	                   fields that are optional are filled in; a key the type
//	                   does not have is an error: a typing error would be lost
//	record { t; u }    an array, if the ids are 0, 1, … and have no names; an
//	                   object {"_0_": …} is read too
//	variant            an object of one key, {"ok": value}; a case of type null
//	                   is {"stopped": null}, and "stopped" is read too
//	principal, service the textual form, a string
//	func               {"canister": "…", "method": "…"}
//	empty              has no values
//
// Keys are in the order of their ids, as in the message.

// JSONError is the error of every function that reads or writes JSON.
type JSONError struct {
	Path   string // where in the arguments, "$[0].owner.subaccount[3]"
	Reason string // what is wrong there: the value, and the expected type
	Limit  bool   // too long, too deep or too costly, regardless of content
}

func (e *JSONError) Error() string { return e.Path + ": " + e.Reason }

// ParseJSON reads an argument list in the JSON form as values of the types. The
// error is a *[JSONError].
func ParseJSON(text []byte, types []*candid.Type) ([]candid.Value, error) {
	if len(text) > MaxJSONBytes {
		return nil, (&jsonFault{limit: true, reason: "the text has " + strconv.Itoa(len(text)) +
			" bytes, at most " + strconv.Itoa(MaxJSONBytes) + " are read"}).public()
	}
	r := newJSONReader(text)
	values, fault := r.args(types)
	if fault = cmp.Or(r.malformed(), fault); fault != nil {
		return nil, fault.public()
	}
	return values, nil
}

// FormatJSON returns an argument list of the types in the JSON form. The error is a *[JSONError]: a value does not have
// its type, or the text would be too long.
func FormatJSON(values []candid.Value, types []*candid.Type) ([]byte, error) {
	p := jsonPrinter{}
	if fault := p.args(values, types); fault != nil {
		return nil, fault.public()
	}
	return p.out, nil
}

// MessageJSON returns a message in the JSON form, at the types it was written with. The error is a
// *[candid.DecodeError] or a *[JSONError].
func MessageJSON(message []byte) ([]byte, error) {
	values, types, err := candid.Decode(message)
	if err != nil {
		return nil, err
	}
	return FormatJSON(values, types)
}

// ArgsFromJSON encodes an argument list in the JSON form as the message that the method takes.
func (m Method) ArgsFromJSON(text []byte) ([]byte, error) { return fromJSON(text, m.Args) }

// ArgsToJSON returns a message of the method's arguments in the JSON form.
func (m Method) ArgsToJSON(message []byte) ([]byte, error) { return toJSON(message, m.Args) }

// ResultsFromJSON encodes a result list in the JSON form as the message that the method answers.
func (m Method) ResultsFromJSON(text []byte) ([]byte, error) { return fromJSON(text, m.Results) }

// ResultsToJSON returns a message of the method's results in the JSON form.
func (m Method) ResultsToJSON(message []byte) ([]byte, error) { return toJSON(message, m.Results) }

// InitFromJSON encodes an argument list in the JSON form as the message with which the service is installed.
func (f *File) InitFromJSON(text []byte) ([]byte, error) { return fromJSON(text, f.init) }

func fromJSON(text []byte, args []Arg) ([]byte, error) {
	types := Types(args)
	values, err := ParseJSON(text, types)
	if err != nil {
		return nil, err
	}
	return candid.Encode(values, types)
}

func toJSON(message []byte, args []Arg) ([]byte, error) {
	types := Types(args)
	values, err := candid.DecodeTypes(message, types)
	if err != nil {
		return nil, err
	}
	return FormatJSON(values, types)
}

// jsonFault is a fault that is passed up: the steps to it are added from the inside out, and limited in number, because
// values may nest deep.
type jsonFault struct {
	steps  []string
	reason string
	limit  bool
}

// in adds a step, ".owner" or "[3]".
func (f *jsonFault) in(step string) *jsonFault {
	const most = 32
	if len(f.steps) == most {
		step = "…"
	}
	if len(f.steps) <= most {
		f.steps = append(f.steps, step)
	}
	return f
}

func (f *jsonFault) at(index int) *jsonFault { return f.in("[" + strconv.Itoa(index) + "]") }

// under adds a key to a fault, if there is one.
func (f *jsonFault) under(key string) *jsonFault {
	if f == nil {
		return nil
	}
	plain := key != ""
	for i := range len(key) {
		c := key[i]
		plain = plain && (c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z' || i > 0 && c >= '0' && c <= '9')
	}
	if plain {
		return f.in("." + cut(key))
	}
	return f.in("[" + strconv.Quote(cut(key)) + "]")
}

func (f *jsonFault) public() *JSONError {
	slices.Reverse(f.steps)
	return &JSONError{Path: "$" + strings.Join(f.steps, ""), Reason: f.reason, Limit: f.limit}
}

// cut keeps error messages short.
func cut(s string) string {
	const most = 80
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}

// tuple reports whether the fields belong to a record without names, with the ids 0, 1, ….
func tuple(fields []candid.Field) bool {
	for i, f := range fields {
		if f.ID != uint32(i) || f.Name != "" {
			return false
		}
	}
	return len(fields) > 0
}

// canBeNull reports whether the JSON form of a value of the type can be null.
func canBeNull(t *candid.Type) bool {
	switch t.Kind() {
	case candid.KindNull, candid.KindReserved, candid.KindFuture, candid.KindOpt:
		return true
	}
	return false
}

// idKey returns the id in a key like "_7_", and false for every other key.
func idKey(key string) (uint32, bool) {
	if len(key) < 3 || key[0] != '_' || key[len(key)-1] != '_' || key[1] == '+' || key[1] == '0' && len(key) > 3 {
		return 0, false
	}
	id, err := strconv.ParseUint(key[1:len(key)-1], 10, 32)
	return uint32(id), err == nil
}

// byID returns the index of the field with this id, −1 if there is none.
func byID(fields []candid.Field, id uint32) int {
	i, ok := slices.BinarySearchFunc(fields, id, func(f candid.Field, id uint32) int { return cmp.Compare(f.ID, id) })
	if !ok {
		return -1
	}
	return i
}

// byKey returns the index of the field with this key, −1 if there is none.
func byKey(fields []candid.Field, key string) int {
	if id, ok := idKey(key); ok {
		if i := byID(fields, id); i >= 0 {
			return i
		}
	}
	i := byID(fields, candid.Hash(key))
	if i >= 0 && fields[i].Name != "" && fields[i].Name != key {
		return -1
	}
	return i
}
