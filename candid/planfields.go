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
		switch f.form {
		case formText:
			if s := *(*string)(from); validText(unsafe.Slice(unsafe.StringData(s), len(s))) {
				buf = append(appendUleb(buf, uint64(len(s))), s...)
				continue
			}
		case formNat64:
			buf = appendUleb(buf, *(*uint64)(from))
			continue
		case formFixed:
			buf = appendWord(buf, load(from, f.size), f.size)
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

// record reads a record of the wire type got into the fields of the plan at the address. The first same fields are known to
// match those of got.
func (d *decoder) record(p *plan, got *Type, same int, at unsafe.Pointer) error {
	if got.kind != KindRecord {
		return d.mismatch(got, p.typ, "")
	}
	n := d.commonFields(p.fields[:same], at)
	if n == len(p.fields) && n == len(got.fields) {
		return nil
	}
	return d.fieldsAfter(n, p.fields, got, same, at)
}

// fieldsAfter reads the fields of a record after the first n.
func (d *decoder) fieldsAfter(n int, fields []planField, got *Type, same int, at unsafe.Pointer) error {
	next := n
	for i := n; i < len(fields); {
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
			err = f.plan.readFrom(d, got.fields[next].Type, to)
			next++
		} else {
			err = f.plan.absent(d, to)
		}
		if err != nil {
			return d.atField(err, f.Label)
		}
		i++
		if same <= i {
			same = i + matching(fields[i:], got.fields[next:])
		}
		n := d.commonFields(fields[i:same], at)
		i, next = i+n, next+n
	}
	return d.skipFields(got, next)
}

// matching returns how many of the first fields have the ids and kinds of the first ones of the message.
func matching(fields []planField, got []Field) int {
	n := min(len(fields), len(got))
	for i := range n {
		if got[i].ID != fields[i].ID || got[i].Type.kind != fields[i].plan.typ.kind {
			return i
		}
	}
	return n
}

// commonFields reads the first of the fields, which match those of the message, as long as they are of a common form and
// without a fault. It charges for the fields that it reads, and returns their number.
func (d *decoder) commonFields(fields []planField, at unsafe.Pointer) int {
	if d.depth >= MaxDepth {
		return 0
	}
	n := min(len(fields), d.quota)
	in, pos := d.in, d.pos
	i := 0
loop:
	for ; i < n && pos < len(in); i++ {
		f := &fields[i]
		to := unsafe.Add(at, f.offset)
		switch f.form {
		case formText:
			text, end := d.textAt(pos)
			if end == 0 {
				break loop
			}
			*(*string)(to) = text
			pos = end
		case formNat64:
			n, size := shortNat(in[pos:])
			if size == 0 {
				d.pos = pos
				var ok bool
				if n, ok = d.smallNat(); !ok {
					break loop
				}
				size = d.pos - pos
			}
			*(*uint64)(to) = n
			pos += size
		case formFixed:
			size := int(f.size)
			if size > len(in)-pos {
				break loop
			}
			store(to, f.size, wordOf(in[pos:pos+size]))
			pos += size
		case formOpt:
			if in[pos] != 0 {
				break loop
			}
			pos++
			if content := (*unsafe.Pointer)(to); *content != nil {
				*content = nil
			}
		default:
			break loop
		}
	}
	d.pos = pos
	d.quota -= i
	return i
}

// writeElement is write, without a call through it if the plan is that of a record.
func (p *plan) writeElement(e *encoder, at unsafe.Pointer) error {
	if p.fields != nil {
		return e.fields(p.fields, at)
	}
	return p.write(e, at)
}
