package candid

import (
	"fmt"
	"reflect"
	"strconv"

	"github.com/canisterd/canisterd/candid/principal"
)

func (p *plan) text() {
	p.typ = primitives[KindText]
	p.write = func(e *encoder, v reflect.Value) error { return e.text(v.String()) }
	p.read = func(d *decoder, got *Type, v reflect.Value) error {
		if got.kind != KindText {
			return d.mismatch(got, p.typ, "")
		}
		b, err := d.text()
		v.SetString(string(b))
		return err
	}
}

// nothing plans the types whose values have no bytes.
func (p *plan) nothing(kind Kind) {
	p.typ = primitives[kind]
	p.write = func(*encoder, reflect.Value) error { return nil }
	p.read = func(d *decoder, got *Type, _ reflect.Value) error {
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
	p.write = func(e *encoder, v reflect.Value) error {
		e.principal(principalOf(v))
		return nil
	}
	p.read = func(d *decoder, got *Type, v reflect.Value) error {
		if got.kind != KindPrincipal && got.kind != KindService {
			return d.mismatch(got, p.typ, "")
		}
		id, err := d.principal()
		setPrincipal(v, id)
		return err
	}
}

// principalOf returns the principal in a value of a type made of principal.Principal.
func principalOf(v reflect.Value) principal.Principal {
	if v.Type() == typePrincipal {
		return *pointer[principal.Principal](v)
	}
	return v.Convert(typePrincipal).Interface().(principal.Principal)
}

func setPrincipal(v reflect.Value, id principal.Principal) {
	if v.Type() == typePrincipal {
		*pointer[principal.Principal](v) = id
		return
	}
	v.Set(reflect.ValueOf(id).Convert(v.Type()))
}

func (p *plan) service(t *Type) {
	p.typ = t
	p.write = func(e *encoder, v reflect.Value) error {
		e.principal(principalOf(v))
		return nil
	}
	p.read = func(d *decoder, got *Type, v reflect.Value) error {
		ref, err := d.referenceAt(got, p.typ)
		if err == nil {
			setPrincipal(v, principal.Principal(ref.(Service)))
		}
		return err
	}
}

func (p *plan) fn(t *Type) {
	p.typ = t
	p.write = func(e *encoder, v reflect.Value) error {
		f := v.Convert(typeFunc).Interface().(Func)
		e.buf = append(e.buf, 1)
		e.principal(f.Service)
		return e.text(f.Method)
	}
	p.read = func(d *decoder, got *Type, v reflect.Value) error {
		ref, err := d.referenceAt(got, p.typ)
		if err == nil {
			v.Set(reflect.ValueOf(ref).Convert(v.Type()))
		}
		return err
	}
}

func (p *plan) blob() {
	p.typ = blobType
	p.write = func(e *encoder, v reflect.Value) error {
		e.bytes(v.Bytes())
		return nil
	}
	p.read = func(d *decoder, got *Type, v reflect.Value) error {
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
		v.SetBytes(b)
		return err
	}
}

func (p *plan) opt(t reflect.Type, elem *plan) {
	*p.typ = Type{kind: KindOpt, elem: elem.typ}
	p.write = func(e *encoder, v reflect.Value) error {
		if v.IsNil() {
			e.buf = append(e.buf, 0)
			return nil
		}
		if e.depth++; e.depth > MaxDepth {
			return errTooDeep
		}
		e.buf = append(e.buf, 1)
		err := elem.write(e, v.Elem())
		e.depth--
		return err
	}
	p.read = func(d *decoder, got *Type, v reflect.Value) error {
		v.SetZero()
		inner, err := d.optional(got)
		if err != nil || inner == nil {
			return err
		}
		pos, depth := d.pos, d.depth
		target := reflect.New(t.Elem())
		switch err := elem.readFrom(d, inner, target.Elem()); err {
		case nil:
			v.Set(target)
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

func (p *plan) vec(t reflect.Type, elem *plan) {
	*p.typ = Type{kind: KindVec, elem: elem.typ}
	size := uint64(t.Elem().Size() / chargedBytes)
	room := int(max(1, min(maxPrealloc, maxPreallocBytes/max(1, t.Elem().Size()))))
	p.write = func(e *encoder, v reflect.Value) error {
		if e.depth++; e.depth > MaxDepth {
			return errTooDeep
		}
		e.buf = appendUleb(e.buf, uint64(v.Len()))
		for i := range v.Len() {
			if err := elem.write(e, v.Index(i)); err != nil {
				return inside(err, "vec element "+strconv.Itoa(i))
			}
		}
		e.depth--
		return nil
	}
	p.read = func(d *decoder, got *Type, v reflect.Value) error {
		if got.kind != KindVec {
			return d.mismatch(got, p.typ, "")
		}
		n, err := d.length()
		if err != nil {
			return err
		}
		v.Set(reflect.MakeSlice(t, 0, min(n, room)))
		for i := range n {
			if err := d.charge(size); err != nil {
				return err
			}
			v.Grow(1)
			v.SetLen(i + 1)
			at := v.Index(i)
			at.SetZero()
			if err := elem.readFrom(d, got.elem, at); err != nil {
				return d.at(err, "vec element")
			}
		}
		return nil
	}
}

func (p *plan) record(fields []planField) {
	p.write = func(e *encoder, v reflect.Value) error {
		for i := range fields {
			f := &fields[i]
			if err := f.plan.write(e, v.Field(f.index)); err != nil {
				return inside(err, "field "+f.Label.String())
			}
		}
		return nil
	}
	p.read = func(d *decoder, got *Type, v reflect.Value) error {
		if got.kind != KindRecord {
			return d.mismatch(got, p.typ, "")
		}
		at := 0
		for i := range fields {
			f := &fields[i]
			for at < len(got.fields) && got.fields[at].ID < f.ID {
				if err := d.skip(got.fields[at].Type); err != nil {
					return err
				}
				at++
			}
			var err error
			if at < len(got.fields) && got.fields[at].ID == f.ID {
				err = f.plan.readFrom(d, got.fields[at].Type, v.Field(f.index))
				at++
			} else {
				err = f.plan.absent(d, v.Field(f.index))
			}
			if err != nil {
				return d.atField(err, f.Label)
			}
		}
		return d.skipFields(got, at)
	}
}

func (p *plan) variant(fields []planField) {
	p.write = func(e *encoder, v reflect.Value) error {
		chosen := -1
		for i := range fields {
			if v.Field(fields[i].index).IsNil() {
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
		e.buf = appendUleb(e.buf, uint64(chosen))
		f := &fields[chosen]
		if err := f.plan.write(e, v.Field(f.index).Elem()); err != nil {
			return inside(err, "case "+f.Label.String())
		}
		e.depth--
		return nil
	}
	p.read = func(d *decoder, got *Type, v reflect.Value) error {
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
			v.Field(fields[i].index).SetZero()
		}
		target := reflect.New(fields[i].elem)
		if err := fields[i].plan.readFrom(d, have.Type, target.Elem()); err != nil {
			return d.atField(err, fields[i].Label)
		}
		v.Field(fields[i].index).Set(target)
		return nil
	}
}
