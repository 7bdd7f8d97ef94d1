package candid

import (
	"fmt"
	"reflect"
	"strconv"
	"unsafe"
)

// Marshal writes a message of Go values, one for each argument:
//
//	bool, string                     bool, text (must be UTF-8)
//	uint8 … uint64, int8 … int64     nat8 … nat64, int8 … int64
//	uint, int                        nat, int (must fit when read)
//	Nat, Int, big.Int                nat, int, int
//	float32, float64                 float32, float64
//	[]byte, []T                      blob, vec T
//	*T                               opt T; nil is null
//	principal.Principal              principal
//	Func, Service                    func () -> (), service {}; types made of
//	                                 them choose their type by [Typed]
//	Null, Reserved                   null, reserved
//	struct                           record; exported fields have their tag's
//	                                 name, `ic:"name"`, or their own beginning
//	                                 in lower case; `ic:"0"` and `ic:"0,tuple"`
//	                                 is the id 0; `ic:"-"` is left out
//	struct of pointers, every tag    variant; the one pointer that is not nil
//	`ic:"name,variant"`              is the case: *Null for a case without value
//
// The tag options nat and int make integers and big.Int a nat or an int:
// `ic:"amount,nat"`. They reach through pointers and slices.
func Marshal(args ...any) ([]byte, error) {
	plans := make([]*plan, len(args))
	for i, arg := range args {
		if arg == nil {
			return nil, fmt.Errorf("argument %d is nil: use Null{} or a nil pointer of a type", i)
		}
		p, err := planFor(reflect.TypeOf(arg))
		if err != nil {
			return nil, err
		}
		plans[i] = p
	}
	e := &encoder{}
	if len(plans) == 1 {
		e.buf = append(make([]byte, 0, len(plans[0].header)+64), plans[0].header...)
	} else {
		types := make([]*Type, len(plans))
		for i, p := range plans {
			types[i] = p.typ
		}
		e.buf = appendHeader(nil, types)
	}
	for i, p := range plans {
		if err := p.write(e, addressOf(args[i])); err != nil {
			return nil, inside(err, "argument "+strconv.Itoa(i))
		}
	}
	return e.buf, nil
}

// addressOf returns the address of a copy of the value.
func addressOf(arg any) unsafe.Pointer {
	v := reflect.ValueOf(arg)
	held := reflect.New(v.Type())
	held.Elem().Set(v)
	return held.UnsafePointer()
}

// Unmarshal reads a message into what the targets point to, as [DecodeTypes] does at the types that [Marshal] would
// write, including subtyping and filled-in options. Message errors are *[DecodeError].
func Unmarshal(message []byte, targets ...any) error {
	return Quota{}.Unmarshal(message, targets...)
}

// UnmarshalInPlace is [Unmarshal] without a copy of blobs: those in the targets are parts of the message.
func UnmarshalInPlace(message []byte, targets ...any) error {
	d := &decoder{in: message, inPlace: true}
	return d.unmarshal(Quota{}, targets)
}

// Unmarshal is [Unmarshal] under the quota.
func (q Quota) Unmarshal(message []byte, targets ...any) error {
	d := &decoder{in: message}
	return d.unmarshal(q, targets)
}

func (d *decoder) unmarshal(q Quota, targets []any) error {
	if err := d.start(q); err != nil {
		return err
	}
	for i, target := range targets {
		v := reflect.ValueOf(target)
		if v.Kind() != reflect.Pointer || v.IsNil() {
			return fmt.Errorf("target %d is a %T: give a pointer to read into", i, target)
		}
		p, err := planFor(v.Type().Elem())
		if err != nil {
			return err
		}
		if i < len(d.args) {
			err = p.readFrom(d, d.args[i], v.UnsafePointer())
		} else {
			err = p.absent(d, v.UnsafePointer())
		}
		if err != nil {
			return d.explain(err, i)
		}
	}
	return d.rest(len(targets))
}

// TypeFor returns the Candid type of a Go type.
func TypeFor[T any]() (*Type, error) {
	p, err := planFor(reflect.TypeFor[T]())
	if err != nil {
		return nil, err
	}
	return p.typ, nil
}

// Typed is implemented by Go types made of [Func] or [Service] to declare their Candid type: only references whose type
// is a subtype of it are read.
type Typed interface{ CandidType() *Type }
