package candid

// skip skips one value of the wire type t and validates it: skipped values must be as well-formed as others.
func (d *decoder) skip(t *Type) error {
	if err := d.enter(); err != nil {
		return err
	}
	before := d.pos
	if err := d.skipBody(t); err != nil {
		return err
	}
	d.leave()
	if t.kind.primitive() {
		return d.chargeSkip(1 + d.pos - before)
	}
	return d.chargeSkip(1)
}

// chargeSkip takes the cost of skipping from the quota that a caller may have set.
func (d *decoder) chargeSkip(n int) error {
	if d.skips -= n; d.skips < 0 {
		return &DecodeError{Kind: Limit, Offset: d.pos, Reason: "too much of the message is not part of the expected type: send less of it"}
	}
	return nil
}

func (d *decoder) skipBody(t *Type) error {
	switch t.kind {
	case KindOpt:
		some, err := d.flag("an option")
		if err != nil || !some {
			return err
		}
		return d.skip(t.elem)
	case KindVec:
		return d.skipVec(t)
	case KindRecord:
		for i := range t.fields {
			if err := d.skip(t.fields[i].Type); err != nil {
				return err
			}
		}
		return nil
	case KindVariant:
		f, err := d.tag(t)
		if err != nil {
			return err
		}
		return d.skip(f.Type)
	case KindFunc:
		_, err := d.fn()
		return err
	case KindFuture:
		return d.skipFuture()
	}
	return d.skipPrimitive(t.kind)
}

func (d *decoder) skipVec(t *Type) error {
	n, err := d.length()
	if err != nil {
		return err
	}
	if size := fixedSize[t.elem.kind]; size > 0 && t.elem.kind != KindBool {
		if _, err = d.take(uint64(n) * uint64(size)); err != nil {
			return err
		}
		return d.chargeSkip(n * int(size))
	}
	for range n {
		if err := d.skip(t.elem); err != nil {
			return err
		}
	}
	return nil
}

func (d *decoder) skipPrimitive(kind Kind) error {
	var err error
	switch kind {
	case KindNull, KindReserved:
		err = d.charge(costOfNothing)
	case KindBool:
		_, err = d.flag("a bool")
	case KindNat, KindInt:
		_, err = d.groups()
	case KindText:
		_, err = d.text()
	case KindPrincipal, KindService:
		_, err = d.principal()
	case KindEmpty:
		err = d.noValue()
	default:
		_, err = d.take(uint64(fixedSize[kind]))
	}
	return err
}

// skipFuture skips a value of a type of a later version: the length of its bytes, the number of its references, the
// bytes. References are passed outside of the message, so we cannot have them.
func (d *decoder) skipFuture() error {
	size, err := d.uleb()
	if err != nil {
		return err
	}
	refs, err := d.uleb()
	if err != nil {
		return err
	}
	if refs != 0 {
		return d.malformed("a value of an unknown type has %d opaque references", refs)
	}
	_, err = d.take(size)
	return err
}
