package wave

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/canisterd/canisterd/component"
)

// keywords are labels that need a % as cases of variants and enums.
var keywords = []string{"true", "false", "some", "none", "ok", "err", "inf", "nan"}

// Read reads a value of a type. The error is a [*Fault].
func Read(text string, t component.Type) (v any, err error) {
	defer caught(&err)
	s := &scanner{text: text}
	v = s.value(t)
	s.end()
	return v, nil
}

// Call is a call in text: the name of a function, and its arguments in parentheses.
type Call struct {
	Function string
	text     string
	at       int // where the arguments begin
}

// ReadCall reads the name of a call. Without parentheses it has no arguments.
func ReadCall(text string) Call {
	name, _, found := strings.Cut(text, "(")
	if !found {
		return Call{strings.TrimSpace(text), text + "()", len(text)}
	}
	return Call{strings.TrimSpace(name), text, len(name)}
}

// Arguments reads the arguments of a call. The last ones may be left out if they are none. The error is a [*Fault].
func (c Call) Arguments(params []component.Field) (args []any, err error) {
	defer caught(&err)
	s := &scanner{c.text, c.at}
	s.items('(', ')', "the arguments", func() {
		if len(args) == len(params) {
			s.faultf(s.at, "%s has %s", c.Function, parameters(params))
		}
		args = append(args, s.value(params[len(args)].Type))
	})
	for len(args) < len(params) {
		if params[len(args)].Type.Kind() != component.KindOption {
			s.faultf(s.at-1, "missing argument %s: %s has %s", params[len(args)].Name, c.Function, parameters(params))
		}
		args = append(args, component.Variant{})
	}
	s.end()
	return args, nil
}

func parameters(params []component.Field) string {
	names := make([]string, len(params))
	for i, p := range params {
		names[i] = p.Name
	}
	switch len(params) {
	case 0:
		return "no parameters"
	case 1:
		return "the parameter " + names[0]
	}
	return "the parameters " + strings.Join(names, ", ")
}

func (s *scanner) end() {
	if s.next() != 0 {
		s.faultf(s.at, "expected the end, found %s", s.found())
	}
}

// integers are the ranges of integer types.
var integers = map[component.Kind]struct {
	bits   int
	signed bool
}{
	component.KindS8: {8, true}, component.KindS16: {16, true}, component.KindS32: {32, true}, component.KindS64: {64, true},
	component.KindU8: {8, false}, component.KindU16: {16, false}, component.KindU32: {32, false}, component.KindU64: {64, false},
}

func (s *scanner) value(t component.Type) any {
	kind := t.Kind()
	if _, isInteger := integers[kind]; isInteger {
		return s.integer(kind)
	}
	switch kind {
	case component.KindBool:
		return s.boolean()
	case component.KindF32:
		return float32(s.float(32))
	case component.KindF64:
		return s.float(64)
	case component.KindChar:
		return s.char()
	case component.KindString:
		return s.str()
	case component.KindList, component.KindFixedList, component.KindMap:
		return s.list(t)
	case component.KindTuple:
		return s.tuple(t)
	case component.KindRecord:
		return s.record(t)
	case component.KindFlags:
		return s.flags(t)
	case component.KindEnum:
		return component.Enum(s.label(t, "a case of the enum"))
	case component.KindVariant:
		return s.variant(t)
	case component.KindOption:
		return s.flat(t, "none", "some", component.Variant{Case: 1})
	case component.KindResult:
		return s.flat(t, "ok", "err", component.Variant{Case: 0})
	}
	s.skip()
	s.faultf(s.at, "a value of type %s cannot be written as text", kind)
	return nil
}

func (s *scanner) boolean() bool {
	word, at := s.word("true or false")
	if word != "true" && word != "false" {
		s.faultf(at, "expected true or false, found %s", word)
	}
	return word == "true"
}

func (s *scanner) integer(kind component.Kind) any {
	of := integers[kind]
	word, at := s.word("a number of type " + kind.String())
	var signed int64
	var unsigned uint64
	var err error
	if of.signed {
		signed, err = strconv.ParseInt(word, 10, of.bits)
	} else {
		unsigned, err = strconv.ParseUint(word, 10, of.bits)
	}
	if err != nil || word[0] == '+' {
		s.faultf(at, "expected a number of type %s, found %s", kind, word)
	}
	switch kind {
	case component.KindS8:
		return int8(signed)
	case component.KindS16:
		return int16(signed)
	case component.KindS32:
		return int32(signed)
	case component.KindS64:
		return signed
	case component.KindU8:
		return uint8(unsigned)
	case component.KindU16:
		return uint16(unsigned)
	case component.KindU32:
		return uint32(unsigned)
	}
	return unsigned
}

func (s *scanner) float(bits int) float64 {
	word, at := s.word("a floating-point number")
	switch word {
	case "nan":
		return math.NaN()
	case "inf":
		return math.Inf(1)
	case "-inf":
		return math.Inf(-1)
	}
	f, err := strconv.ParseFloat(word, bits)
	if err != nil || strings.Trim(word, "0123456789.eE+-") != "" || word[0] == '+' {
		s.faultf(at, "expected a floating-point number, found %s", word)
	}
	return f
}

func (s *scanner) list(t component.Type) any {
	element := t.Element()
	if t.Kind() == component.KindList && element.Kind() == component.KindU8 {
		bytes := []byte{}
		s.items('[', ']', "a list", func() { bytes = append(bytes, s.integer(component.KindU8).(uint8)) })
		return bytes
	}
	all := []any{}
	at := s.at
	s.items('[', ']', "a list", func() {
		if t.Kind() == component.KindMap {
			all = append(all, s.tuple(t))
		} else {
			all = append(all, s.value(element))
		}
	})
	if t.Kind() == component.KindFixedList && len(all) != int(t.Length()) {
		s.faultf(at, "expected %d elements, found %d", t.Length(), len(all))
	}
	return all
}

func (s *scanner) tuple(t component.Type) any {
	fields := t.Fields()
	all := []any{}
	s.items('(', ')', "a tuple", func() {
		if len(all) == len(fields) {
			s.faultf(s.at, "a tuple has more than %d elements", len(fields))
		}
		all = append(all, s.value(fields[len(all)].Type))
	})
	if len(all) < len(fields) {
		s.faultf(s.at-1, "a tuple has %d elements, expected %d", len(all), len(fields))
	}
	return all
}

// record reads fields in any order. Those that are none may be left out; without any field it is {:}.
func (s *scanner) record(t component.Type) any {
	fields := t.Fields()
	all := make([]any, len(fields))
	s.skip()
	start := s.at
	if s.takeEmptyRecord() {
		return s.withNone(all, fields, start)
	}
	s.items('{', '}', "a record", func() {
		at := s.at
		n := s.label(t, "a field of the record")
		if all[n] != nil {
			s.faultf(at, "the field %s is there twice", fields[n].Name)
		}
		s.expect(':', "the field "+fields[n].Name)
		all[n] = s.value(fields[n].Type)
	})
	return s.withNone(all, fields, start)
}

func (s *scanner) takeEmptyRecord() bool {
	start := s.at
	if s.take('{') && s.take(':') && s.take('}') {
		return true
	}
	s.at = start
	return false
}

// withNone adds the fields that were left out.
func (s *scanner) withNone(all []any, fields []component.Field, start int) any {
	for i, f := range fields {
		switch {
		case all[i] != nil:
		case f.Type.Kind() == component.KindOption:
			all[i] = component.Variant{}
		default:
			s.faultf(start, "the record misses the field %s", f.Name)
		}
	}
	return all
}

func (s *scanner) flags(t component.Type) any {
	var all component.Flags
	s.items('{', '}', "flags", func() { all |= 1 << s.label(t, "a flag") })
	return all
}

// label reads a label of a type, and gives its place.
func (s *scanner) label(t component.Type, expected string) uint32 {
	word, at := s.word(expected)
	fields := t.Fields()
	named := func(f component.Field) bool { return f.Name == strings.TrimPrefix(word, "%") }
	n := slices.IndexFunc(fields, named)
	if n < 0 {
		names := make([]string, len(fields))
		for i, f := range fields {
			names[i] = f.Name
		}
		s.faultf(at, "expected %s (%s), found %s", expected, strings.Join(names, ", "), word)
	}
	return uint32(n)
}

func (s *scanner) variant(t component.Type) any {
	n := s.label(t, "a case of the variant")
	return component.Variant{Case: n, Payload: s.payload(t.Fields()[n].Type)}
}

// payload reads the payload of a case in parentheses.
func (s *scanner) payload(t component.Type) any {
	if t == (component.Type{}) {
		return nil
	}
	s.expect('(', "a case with a payload")
	v := s.value(t)
	s.expect(')', "a case with a payload")
	return v
}

// flat reads an option or a result: one of its cases, or the payload of the usual one without its name.
func (s *scanner) flat(t component.Type, first, second string, usual component.Variant) any {
	fields := t.Fields()
	cases := []component.Field{{Name: first}, {Name: second}}
	for i, f := range fields {
		cases[i+2-len(fields)].Type = f.Type
	}
	word := s.peekWord()
	for i, c := range cases {
		if word == c.Name {
			s.at += len(word)
			return component.Variant{Case: uint32(i), Payload: s.payload(c.Type)}
		}
	}
	payload := cases[usual.Case].Type
	if kind := payload.Kind(); kind == 0 || kind == component.KindOption || kind == component.KindResult {
		s.faultf(s.at, "expected %s or %s, found %s", first, second, s.found())
	}
	usual.Payload = s.value(payload)
	return usual
}
