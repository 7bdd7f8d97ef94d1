package candid

import "unsafe"

// fieldForm is the form of the fields that records write and read themselves: most fields have one of a few plans, and the
// call of a plan's function takes longer than its work.
type fieldForm uint8

const (
	formPlanned fieldForm = iota // no such form: by the functions of the plan
	formText
	formNat64 // a nat in 64 bits
	formFixed // a number of fixed size, whose size the plan has
	formOpt   // a pointer; if it is not nil, by the functions of the plan
)

// fields writes the fields of the record at the address.
func (e *encoder) fields(fields []planField, at unsafe.Pointer) error {
	buf := e.buf
	for i := range fields {
		f := &fields[i]
		from := unsafe.Add(at, f.offset)
		switch f.plan.form {
		case formText:
			if s := *(*string)(from); validText(unsafe.Slice(unsafe.StringData(s), len(s))) {
				buf = append(appendUleb(buf, uint64(len(s))), s...)
				continue
			}
		case formNat64:
			buf = appendUleb(buf, *(*uint64)(from))
			continue
		case formFixed:
			buf = appendWord(buf, load(from, f.plan.size), f.plan.size)
			continue
		case formOpt:
			if *(*unsafe.Pointer)(from) == nil {
				buf = append(buf, 0)
				continue
			}
		}
		e.buf = buf
		if err := f.plan.write(e, from); err != nil {
			return inside(err, "field "+f.Label.String())
		}
		buf = e.buf
	}
	e.buf = buf
	return nil
}

// fields reads a record of the wire type got into the fields at the address.
func (d *decoder) fields(want *Type, fields []planField, got *Type, at unsafe.Pointer) error {
	if got.kind != KindRecord {
		return d.mismatch(got, want, "")
	}
	next := 0
	for i := range fields {
		f := &fields[i]
		for next < len(got.fields) && got.fields[next].ID < f.ID {
			if err := d.skip(got.fields[next].Type); err != nil {
				return err
			}
			next++
		}
		to := unsafe.Add(at, f.offset)
		var err error
		if next < len(got.fields) && got.fields[next].ID == f.ID {
			have := got.fields[next].Type
			next++
			if d.readField(f.plan, have, to) {
				continue
			}
			err = f.plan.readFrom(d, have, to)
		} else {
			err = f.plan.absent(d, to)
		}
		if err != nil {
			return d.atField(err, f.Label)
		}
	}
	return d.skipFields(got, next)
}

// readField reads a field of a common form and charges for it. It reads nothing and returns false if the field is of
// another form or has a fault.
func (d *decoder) readField(p *plan, got *Type, to unsafe.Pointer) bool {
	if p.form == formPlanned || got.kind != p.typ.kind || d.quota == 0 || d.depth >= MaxDepth {
		return false
	}
	before := d.pos
	switch p.form {
	case formText:
		if s, ok := d.shortText(); ok {
			*(*string)(to) = s
			break
		}
		s, err := d.string()
		if err != nil {
			d.pos = before
			return false
		}
		*(*string)(to) = s
	case formNat64:
		n, ok := d.smallNat()
		if !ok {
			return false
		}
		*(*uint64)(to) = n
	case formFixed:
		w, err := d.word(p.typ.kind)
		if err != nil {
			return false
		}
		store(to, p.size, w)
	case formOpt:
		if d.pos == len(d.in) || d.in[d.pos] != 0 {
			return false
		}
		d.pos++
		*(*unsafe.Pointer)(to) = nil
	}
	d.quota--
	return true
}

// writeElement is write, without a call through it if the plan is that of a record.
func (p *plan) writeElement(e *encoder, at unsafe.Pointer) error {
	if p.fields != nil {
		return e.fields(p.fields, at)
	}
	return p.write(e, at)
}

// readElement is readFrom, without a call through the plan if it is that of a record.
func (p *plan) readElement(d *decoder, got *Type, at unsafe.Pointer) error {
	if p.fields == nil {
		return p.readFrom(d, got, at)
	}
	if err := d.enter(); err != nil {
		return err
	}
	err := d.fields(p.typ, p.fields, got, at)
	d.leave()
	return err
}
