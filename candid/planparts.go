package candid

import (
	"fmt"
	"reflect"
	"strconv"
	"unsafe"

	"github.com/canisterd/canisterd/candid/principal"
)

func (p *plan) text() {
	p.typ, p.form = primitives[KindText], formText
	p.write = func(e *encoder, at unsafe.Pointer) error { return e.text(*(*string)(at)) }
	p.read = func(d *decoder, got *Type, at unsafe.Pointer) error {
		if got.kind != KindText {
			return d.mismatch(got, p.typ, "")
		}
		text, err := d.string()
		*(*string)(at) = text
		return err
	}
}

// nothing plans the types whose values have no bytes.
func (p *plan) nothing(kind Kind) {
	p.typ = primitives[kind]
	p.write = func(*encoder, unsafe.Pointer) error { return nil }
	p.read = func(d *decoder, got *Type, _ unsafe.Pointer) error {
		if kind == KindReserved {
			return d.skip(got)
		}
		if got.kind != KindNull {
			return d.mismatch(got, p.typ, "")
		}
		return d.charge(costOfNothing)
	}
}

func (p *plan) principal() {
	p.typ = primitives[KindPrincipal]
	p.write = func(e *encoder, at unsafe.Pointer) error {
		e.principal(*(*principal.Principal)(at))
		return nil
	}
	p.read = func(d *decoder, got *Type, at unsafe.Pointer) error {
		if got.kind != KindPrincipal && got.kind != KindService {
			return d.mismatch(got, p.typ, "")
		}
		id, err := d.principal()
		*(*principal.Principal)(at) = id
		return err
	}
}

func (p *plan) service(t *Type) {
	p.typ = t
	p.write = func(e *encoder, at unsafe.Pointer) error {
		e.principal(*(*principal.Principal)(at))
		return nil
	}
	p.read = func(d *decoder, got *Type, at unsafe.Pointer) error {
		ref, err := d.referenceAt(got, p.typ)
		if err == nil {
			*(*principal.Principal)(at) = principal.Principal(ref.(Service))
		}
		return err
	}
}

func (p *plan) fn(t *Type) {
	p.typ = t
	p.write = func(e *encoder, at unsafe.Pointer) error {
		f := (*Func)(at)
		e.buf = append(e.buf, 1)
		e.principal(f.Service)
		return e.text(f.Method)
	}
	p.read = func(d *decoder, got *Type, at unsafe.Pointer) error {
		ref, err := d.referenceAt(got, p.typ)
		if err == nil {
			*(*Func)(at) = ref.(Func)
		}
		return err
	}
}

func (p *plan) blob() {
	p.typ = blobType
	p.write = func(e *encoder, at unsafe.Pointer) error {
		e.bytes(*(*[]byte)(at))
		return nil
	}
	p.read = func(d *decoder, got *Type, at unsafe.Pointer) error {
		if got.kind != KindVec {
			return d.mismatch(got, p.typ, "")
		}
		n, err := d.length()
		if err != nil {
			return err
		}
		if got.elem.kind != KindNat8 && n > 0 {
			return d.mismatch(got, p.typ, "")
		}
		b, err := d.blob(n)
		*(*[]byte)(at) = b
		return err
	}
}

func (p *plan) opt(t reflect.Type, elem *plan) {
	*p.typ = Type{kind: KindOpt, elem: elem.typ}
	p.form = formOpt
	p.write = func(e *encoder, at unsafe.Pointer) error {
		content := *(*unsafe.Pointer)(at)
		if content == nil {
			e.buf = append(e.buf, 0)
			return nil
		}
		if e.depth++; e.depth > MaxDepth {
			return errTooDeep
		}
		e.buf = append(e.buf, 1)
		err := elem.write(e, content)
		e.depth--
		return err
	}
	p.read = func(d *decoder, got *Type, at unsafe.Pointer) error {
		*(*unsafe.Pointer)(at) = nil
		inner, err := d.optional(got)
		if err != nil || inner == nil {
			return err
		}
		pos, depth := d.pos, d.depth
		content := reflect.New(t.Elem()).UnsafePointer()
		switch err := elem.readFrom(d, inner, content); err {
		case nil:
			*(*unsafe.Pointer)(at) = content
			return nil
		case errMismatch:
			return d.retreat(inner, pos, depth)
		default:
			return err
		}
	}
}

// chargedBytes is how much of a Go element one unit of the quota pays for.
const chargedBytes = 32

// slice is the memory of a Go slice of any type.
type slice struct {
	first    unsafe.Pointer
	len, cap int
}

func (p *plan) vec(t reflect.Type, elem *plan) {
	*p.typ = Type{kind: KindVec, elem: elem.typ}
	p.write = vecWriter(elem, t.Elem().Size())
	p.read = vecReader(p, t, elem)
}

func vecWriter(elem *plan, size uintptr) func(e *encoder, at unsafe.Pointer) error {
	return func(e *encoder, at unsafe.Pointer) error {
		if e.depth++; e.depth > MaxDepth {
			return errTooDeep
		}
		s := (*slice)(at)
		e.uleb(uint64(s.len))
		before := len(e.buf)
		for i := range s.len {
			if i == vecSample {
				e.expect((len(e.buf) - before) / vecSample * (s.len - i))
			}
			if err := elem.writeElement(e, unsafe.Add(s.first, uintptr(i)*size)); err != nil {
				return inside(err, "vec element "+strconv.Itoa(i))
			}
		}
		e.depth--
		return nil
	}
}

func vecReader(p *plan, t reflect.Type, elem *plan) func(d *decoder, got *Type, at unsafe.Pointer) error {
	size := t.Elem().Size()
	cost := uint64(size / chargedBytes)
	room := int(max(1, min(maxPrealloc, maxPreallocBytes/max(1, size))))
	empty := reflect.MakeSlice(t, 0, 0)
	return func(d *decoder, got *Type, at unsafe.Pointer) error {
		if got.kind != KindVec {
			return d.mismatch(got, p.typ, "")
		}
		n, err := d.length()
		if err != nil {
			return err
		}
		v, s := reflect.NewAt(t, at).Elem(), (*slice)(at)
		v.Set(empty)
		same := matching(elem.fields, got.elem.fields)
		for i := range n {
			if err := d.charge(cost); err != nil {
				return err
			}
			if i == s.cap {
				v.Grow(max(1, min(n-i, room)))
			}
			s.len = i + 1
			if err := d.enter(); err != nil {
				return err
			}
			to := unsafe.Add(s.first, uintptr(i)*size)
			if elem.fields != nil {
				err = d.record(elem, got.elem, same, to) // without a call through the plan
			} else {
				err = elem.read(d, got.elem, to)
			}
			if err != nil {
				return d.at(err, "vec element")
			}
			d.leave()
		}
		return nil
	}
}

func (p *plan) record(fields []planField) {
	p.fields = fields
	p.write = func(e *encoder, at unsafe.Pointer) error { return e.fields(fields, at) }
	p.read = func(d *decoder, got *Type, at unsafe.Pointer) error {
		return d.record(p, got, matching(fields, got.fields), at)
	}
}

func (p *plan) variant(fields []planField) {
	p.write = func(e *encoder, at unsafe.Pointer) error {
		chosen := -1
		for i := range fields {
			if *(*unsafe.Pointer)(unsafe.Add(at, fields[i].offset)) == nil {
				continue
			}
			if chosen >= 0 {
				return fmt.Errorf("the variant has both the case %s and the case %s: set one", fields[chosen].Label, fields[i].Label)
			}
			chosen = i
		}
		if chosen < 0 {
			return fmt.Errorf("the variant %s has no case: set one", p.typ.brief())
		}
		if e.depth++; e.depth > MaxDepth {
			return errTooDeep
		}
		e.uleb(uint64(chosen))
		f := &fields[chosen]
		if err := f.plan.write(e, *(*unsafe.Pointer)(unsafe.Add(at, f.offset))); err != nil {
			return inside(err, "case "+f.Label.String())
		}
		e.depth--
		return nil
	}
	p.read = func(d *decoder, got *Type, at unsafe.Pointer) error {
		if got.kind != KindVariant {
			return d.mismatch(got, p.typ, "")
		}
		have, err := d.tag(got)
		if err != nil {
			return err
		}
		i, ok := p.typ.field(have.ID)
		if !ok {
			return d.mismatch(got, p.typ, "The case "+have.Label.String()+" is not expected")
		}
		for i := range fields {
			*(*unsafe.Pointer)(unsafe.Add(at, fields[i].offset)) = nil
		}
		target := reflect.New(fields[i].elem).UnsafePointer()
		if err := fields[i].plan.readFrom(d, have.Type, target); err != nil {
			return d.atField(err, fields[i].Label)
		}
		*(*unsafe.Pointer)(unsafe.Add(at, fields[i].offset)) = target
		return nil
	}
}
