package candid

import (
	"bytes"
	"slices"
	"unicode/utf8"
)

var magic = []byte("DIDL")

// header reads everything before the values: the magic bytes, the type table and the argument types (Candid
// specification, "Binary Format").
func (d *decoder) header() error {
	d.quota = QuotaBase + QuotaPerByte*len(d.in)
	if !bytes.HasPrefix(d.in, magic) {
		return d.malformed("it does not start with DIDL")
	}
	d.pos = len(magic)
	count, err := d.count("types", 2, MaxTableTypes)
	if err != nil {
		return err
	}
	if count > 0 {
		d.table = make([]Type, count)
	}
	for i := range d.table {
		if err := d.entry(&d.table[i]); err != nil {
			return err
		}
	}
	if err := d.methodsAreFuncs(); err != nil {
		return err
	}
	d.args, err = d.typeList("arguments")
	return err
}

// count reads the length of a list whose elements take at least size bytes.
func (d *decoder) count(what string, size, most int) (int, error) {
	n, err := d.uleb()
	if err != nil {
		return 0, err
	}
	if left := len(d.in) - d.pos; n > uint64(left/size) {
		return 0, d.malformed("%d %s do not fit into the %d bytes left", n, what, left)
	}
	if n > uint64(most) {
		return 0, &DecodeError{Kind: Limit, Offset: d.pos, Reason: "the type table has too many " + what}
	}
	return int(n), nil
}

// members is count for the parts of types, limited over the whole table.
func (d *decoder) members(what string, size int) (int, error) {
	n, err := d.count(what, size, MaxTableParts-d.parts)
	d.parts += n
	return n, err
}

func (d *decoder) entry(t *Type) error {
	op, err := d.sleb()
	if err != nil {
		return err
	}
	switch op {
	case -int64(KindOpt), -int64(KindVec):
		t.kind = Kind(-op)
		t.elem, err = d.typeRef()
	case -int64(KindRecord), -int64(KindVariant):
		t.kind = Kind(-op)
		t.fields, err = d.fieldList()
	case -int64(KindFunc):
		t.kind = KindFunc
		t.fn, err = d.signature()
	case -int64(KindService):
		t.kind = KindService
		t.methods, err = d.methodList()
	default:
		if op >= -int64(KindPrincipal) {
			return d.malformed("%d is not an opcode of the type table", op)
		}
		t.kind = KindFuture
		_, err = d.bytes()
	}
	return err
}

// typeRef reads a reference to a type: an opcode or an index.
func (d *decoder) typeRef() (*Type, error) {
	i, err := d.sleb()
	if err != nil {
		return nil, err
	}
	if i >= 0 && i < int64(len(d.table)) {
		return &d.table[i], nil
	}
	if i < 0 && i >= -int64(KindPrincipal) && Kind(-i).primitive() {
		return primitives[-i], nil
	}
	return nil, d.malformed("%d is neither a primitive type nor one of the %d types of the table", i, len(d.table))
}

func (d *decoder) typeList(what string) ([]*Type, error) {
	n, err := d.members(what, 1)
	if err != nil || n == 0 {
		return nil, err
	}
	list := make([]*Type, n)
	for i := range list {
		if list[i], err = d.typeRef(); err != nil {
			return nil, err
		}
	}
	return list, nil
}

func (d *decoder) fieldList() ([]Field, error) {
	n, err := d.members("fields", 2)
	if err != nil || n == 0 {
		return nil, err
	}
	fields := make([]Field, n)
	for i := range fields {
		id, err := d.uleb()
		if err != nil {
			return nil, err
		}
		if id > 1<<32-1 {
			return nil, d.malformed("field id %d has more than 32 bits", id)
		}
		if i > 0 && uint32(id) <= fields[i-1].ID {
			return nil, d.malformed("field id %d comes after %d: ids rise", id, fields[i-1].ID)
		}
		fields[i].ID = uint32(id)
		if fields[i].Type, err = d.typeRef(); err != nil {
			return nil, err
		}
	}
	return fields, nil
}

func (d *decoder) signature() (*Signature, error) {
	args, err := d.typeList("arguments")
	if err != nil {
		return nil, err
	}
	results, err := d.typeList("results")
	if err != nil {
		return nil, err
	}
	n, err := d.members("annotations", 1)
	if err != nil {
		return nil, err
	}
	fn := &Signature{Args: args, Results: results}
	for range n {
		a, err := d.byte()
		if err != nil {
			return nil, err
		}
		if a < 1 || a > 3 {
			return nil, d.malformed("%d is not a function annotation", a)
		}
		fn.Annotation |= 1 << (a - 1)
	}
	return fn, nil
}

func (d *decoder) methodList() ([]Method, error) {
	n, err := d.members("methods", 2)
	if err != nil || n == 0 {
		return nil, err
	}
	methods := make([]Method, n)
	for i := range methods {
		name, err := d.bytes()
		if err != nil {
			return nil, err
		}
		if !utf8.Valid(name) {
			return nil, d.malformed("a method name is not valid UTF-8")
		}
		methods[i].Name = string(name)
		if i > 0 && methods[i].Name <= methods[i-1].Name {
			return nil, d.malformed("method %q comes after %q: names rise", clip(methods[i].Name), clip(methods[i-1].Name))
		}
		if methods[i].Type, err = d.typeRef(); err != nil {
			return nil, err
		}
	}
	return methods, nil
}

// methodsAreFuncs is checked after the table is read: a method may name a
// later entry.
func (d *decoder) methodsAreFuncs() error {
	for i := range d.table {
		wrong := slices.IndexFunc(d.table[i].methods, func(m Method) bool { return m.Type.kind != KindFunc })
		if wrong >= 0 {
			m := d.table[i].methods[wrong]
			return d.malformed("method %q has the type %s, which is not a func", clip(m.Name), m.Type.kind)
		}
	}
	return nil
}

// end checks that the values end where the message ends.
func (d *decoder) end() error {
	if d.pos != len(d.in) {
		return d.malformed("%d bytes follow the last value", len(d.in)-d.pos)
	}
	return nil
}
