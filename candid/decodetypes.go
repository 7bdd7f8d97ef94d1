package candid

// Quota lowers what reading one message may cost, in addition to the limits that always apply. Zero fields set no
// quota.
type Quota struct {
	// Skip limits the units spent on values that the expected types do not have: one for each value, and one for each
	// byte of primitives and vectors of them.
	Skip int
}

// DecodeTypes reads a message at the expected types, coerced by subtyping (Candid specification, "Decoding"): extra
// arguments and fields are dropped, missing optional ones filled in, options that do not fit become null. Labels get
// their names from the expected types. The error is a *[DecodeError].
func DecodeTypes(message []byte, expected []*Type) ([]Value, error) {
	return Quota{}.DecodeTypes(message, expected)
}

// DecodeTypes is [DecodeTypes] under the quota.
func (q Quota) DecodeTypes(message []byte, expected []*Type) ([]Value, error) {
	d := &valueDecoder{decoder: decoder{in: message}}
	if err := d.start(q); err != nil {
		return nil, err
	}
	values := make([]Value, len(expected))
	for i, want := range expected {
		var err error
		if i < len(d.args) {
			values[i], err = d.valueAt(d.args[i], want.resolve())
		} else {
			values[i], err = d.absent(want.resolve())
		}
		if err != nil {
			return nil, d.explain(err, i)
		}
	}
	return values, d.rest(len(expected))
}

func (d *decoder) start(q Quota) error {
	if err := d.header(); err != nil {
		return err
	}
	d.skips = q.Skip
	if q.Skip == 0 {
		d.skips = d.quota
	}
	return nil
}

// rest skips the arguments after the first n and checks that nothing follows.
func (d *decoder) rest(n int) error {
	for i := n; i < len(d.args); i++ {
		if err := d.skip(d.args[i]); err != nil {
			return err
		}
	}
	return d.end()
}

// absent returns the value of an argument or field that is not in the message.
func (d *valueDecoder) absent(want *Type) (Value, error) {
	if err := d.charge(costOfFilling); err != nil {
		return nil, err
	}
	switch want.kind {
	case KindOpt:
		return Opt{}, nil
	case KindNull:
		return Null{}, nil
	case KindReserved, KindFuture:
		return Reserved{}, nil
	}
	return nil, d.mismatch(nil, want, "Only opt, null and reserved may be missing")
}

// valueAt reads a value of the wire type got as one of the type want; neither is a named type. It returns errMismatch
// if got does not fit want.
func (d *valueDecoder) valueAt(got, want *Type) (Value, error) {
	if v := d.commonValue(got, want); v != nil {
		return v, nil
	}
	if err := d.enter(); err != nil {
		return nil, err
	}
	v, err := d.fitted(got, want)
	d.leave()
	return v, err
}

func (d *valueDecoder) fitted(got, want *Type) (Value, error) {
	switch want.kind {
	case KindOpt:
		return d.optAt(got, want)
	case KindReserved, KindFuture:
		return Reserved{}, d.skip(got)
	case KindService, KindFunc:
		return d.referenceAt(got, want)
	}
	switch {
	case got.kind == KindNat && want.kind == KindInt:
		n, err := d.nat()
		return n.Int(), err
	case got.kind == KindService && want.kind == KindPrincipal:
		got = want
	case got.kind != want.kind:
		return nil, d.mismatch(got, want, "")
	}
	switch want.kind {
	case KindVec:
		return d.vecAt(got, want)
	case KindRecord:
		return d.recordAt(got, want)
	case KindVariant:
		return d.variantAt(got, want)
	}
	return d.primitive(got)
}

// optional reads up to the content of an option expected at got: either it is empty, or inner is the wire type of the
// content.
func (d *decoder) optional(got *Type) (inner *Type, err error) {
	switch got.kind {
	case KindNull, KindReserved:
		return nil, nil
	case KindOpt:
		some, err := d.flag("an option")
		if err != nil || !some {
			return nil, err
		}
		return got.elem, nil
	}
	return got, nil
}

// retreat returns to the beginning of the content of an option, which did not fit, and skips it.
func (d *decoder) retreat(inner *Type, pos, depth int) error {
	d.pos, d.depth, d.trail = pos, depth, d.trail[:0]
	return d.skip(inner)
}

func (d *valueDecoder) optAt(got, want *Type) (Value, error) {
	inner, err := d.optional(got)
	if err != nil || inner == nil {
		return Opt{}, err
	}
	pos, depth := d.pos, d.depth
	v, err := d.valueAt(inner, want.elem.resolve())
	if err == errMismatch {
		return Opt{}, d.retreat(inner, pos, depth)
	}
	return Opt{v}, err
}

func (d *decoder) referenceAt(got, want *Type) (Value, error) {
	ok := got.kind == want.kind
	var err error
	if ok {
		ok, err = d.refersTo(got, want)
	}
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, d.mismatch(got, want, "")
	}
	if want.kind == KindFunc {
		return d.fn()
	}
	p, err := d.principal()
	return Service(p), err
}

func (d *valueDecoder) vecAt(got, want *Type) (Value, error) {
	n, err := d.length()
	if err != nil {
		return nil, err
	}
	elem := want.elem.resolve()
	if elem.kind == KindNat8 && (got.elem.kind == KindNat8 || n == 0) {
		return d.blob(n)
	}
	vec := make(Vec, 0, d.room(n))
	for range n {
		v, err := d.valueAt(got.elem, elem)
		if err != nil {
			return nil, d.at(err, "vec element")
		}
		vec = append(vec, v)
	}
	return vec, nil
}

func (d *valueDecoder) recordAt(got, want *Type) (Value, error) {
	record := d.newRecord(len(want.fields))
	at := 0
	for i := range want.fields {
		f := &want.fields[i]
		for at < len(got.fields) && got.fields[at].ID < f.ID {
			if err := d.skip(got.fields[at].Type); err != nil {
				return nil, err
			}
			at++
		}
		var v Value
		var err error
		if at < len(got.fields) && got.fields[at].ID == f.ID {
			v, err = d.valueAt(got.fields[at].Type, f.Type.resolve())
			at++
		} else {
			v, err = d.absent(f.Type.resolve())
		}
		if err != nil {
			return nil, d.atField(err, f.Label)
		}
		record = record.with(f.Label, v)
	}
	return box(&d.boxes.records, record, boxedRecord), d.skipFields(got, at)
}

// atField is at for a field; it formats the label only if needed.
func (d *decoder) atField(err error, l Label) error {
	if err == errMismatch {
		return d.at(err, l.String())
	}
	return err
}

// skipFields skips the fields from the given one on.
func (d *decoder) skipFields(got *Type, from int) error {
	for ; from < len(got.fields); from++ {
		if err := d.skip(got.fields[from].Type); err != nil {
			return err
		}
	}
	return nil
}

func (d *valueDecoder) variantAt(got, want *Type) (Value, error) {
	have, err := d.tag(got)
	if err != nil {
		return nil, err
	}
	i, ok := want.field(have.ID)
	if !ok {
		return nil, d.mismatch(got, want, "The case "+have.Label.String()+" is not expected")
	}
	f := want.fields[i]
	v, err := d.valueAt(have.Type, f.Type.resolve())
	return Variant{f.Label, v}, d.atField(err, f.Label)
}
