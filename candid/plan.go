package candid

import (
	"fmt"
	"math/big"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unsafe"

	"github.com/canisterd/canisterd/candid/principal"
)

// plan says how values of one Go type are written and read. It has the results of reflection (offsets, sizes, types to
// allocate), so that values are written and read by their addresses.
type plan struct {
	typ    *Type
	header []byte // of a message with one argument of the type
	// write writes the value at the address, which is of the plan's Go type and is not changed.
	write func(e *encoder, at unsafe.Pointer) error
	// read sets the value at the address, of the plan's Go type, from one of the wire type got.
	read func(d *decoder, got *Type, at unsafe.Pointer) error

	form   fieldForm   // how a record writes and reads a field of the plan
	size   uint8       // in bytes, of formFixed
	fields []planField // of a record; otherwise nil
}

// plans caches a pure function of the Go type.
var plans sync.Map // reflect.Type → *plan

func planFor(t reflect.Type) (*plan, error) {
	if p, ok := plans.Load(t); ok {
		return p.(*plan), nil
	}
	m := planner{made: make(map[planKey]*plan)}
	p, err := m.plan(t, planKey{typ: t})
	if err != nil {
		return nil, fmt.Errorf("the Go type %s has no Candid type: %w", t, err)
	}
	p.header = appendHeader(nil, []*Type{p.typ})
	kept, _ := plans.LoadOrStore(t, p)
	return kept.(*plan), nil
}

// readFrom reads one value and charges for it.
func (p *plan) readFrom(d *decoder, got *Type, at unsafe.Pointer) error {
	if err := d.enter(); err != nil {
		return err
	}
	err := p.read(d, got, at)
	d.leave()
	return err
}

// absent sets the value of an argument or field that is not in the message.
func (p *plan) absent(d *decoder, at unsafe.Pointer) error {
	if err := d.charge(costOfFilling); err != nil {
		return err
	}
	if !p.typ.optional() {
		return d.mismatch(nil, p.typ, "Only opt, null and reserved may be missing")
	}
	if p.typ.kind == KindOpt {
		*(*unsafe.Pointer)(at) = nil
	}
	return nil
}

// planKey is a Go type and the tag option that selects nat or int.
type planKey struct {
	typ  reflect.Type
	kind Kind // KindNat, KindInt or 0
}

// planner makes plans; made holds the plans begun so far, for recursive types.
type planner struct{ made map[planKey]*plan }

func (m *planner) plan(t reflect.Type, key planKey) (*plan, error) {
	if p, ok := m.made[key]; ok {
		return p, nil
	}
	p := &plan{typ: &Type{}}
	m.made[key] = p
	err := m.fill(p, t, key)
	return p, err
}

var (
	typeNat       = reflect.TypeFor[Nat]()
	typeInt       = reflect.TypeFor[Int]()
	typeBig       = reflect.TypeFor[big.Int]()
	typeNull      = reflect.TypeFor[Null]()
	typeReserved  = reflect.TypeFor[Reserved]()
	typePrincipal = reflect.TypeFor[principal.Principal]()
	typeWrapped   = reflect.TypeFor[Principal]()
	typeService   = reflect.TypeFor[Service]()
	typeFunc      = reflect.TypeFor[Func]()
	typeTyped     = reflect.TypeFor[Typed]()
)

func (m *planner) fill(p *plan, t reflect.Type, key planKey) error {
	switch t {
	case typeNat:
		p.nat()
		return nil
	case typeInt:
		p.int()
		return nil
	case typeBig:
		p.big(key.kind)
		return nil
	case typeNull:
		p.nothing(KindNull)
		return nil
	case typeReserved:
		p.nothing(KindReserved)
		return nil
	case typePrincipal, typeWrapped:
		p.principal()
		return nil
	case typeService:
		p.service(plainService)
		return nil
	case typeFunc:
		p.fn(plainFunc)
		return nil
	}
	if t.Kind() == reflect.Struct && t.Implements(typeTyped) {
		return p.typed(t)
	}
	return m.byKind(p, t, key)
}

func (m *planner) byKind(p *plan, t reflect.Type, key planKey) error {
	switch t.Kind() {
	case reflect.Bool:
		p.bool()
	case reflect.String:
		p.text()
	case reflect.Float32:
		p.fixed(KindFloat32)
	case reflect.Float64:
		p.fixed(KindFloat64)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		p.unsigned(t, key.kind)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		p.signed(t, key.kind)
	case reflect.Pointer:
		elem, err := m.plan(t.Elem(), planKey{t.Elem(), key.kind})
		p.opt(t, elem)
		return err
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 && key.kind == 0 {
			p.blob()
			return nil
		}
		elem, err := m.plan(t.Elem(), planKey{t.Elem(), key.kind})
		p.vec(t, elem)
		return err
	case reflect.Struct:
		return m.structure(p, t)
	default:
		return fmt.Errorf("a %s cannot be written", t.Kind())
	}
	return nil
}

// typed plans a type made of Func or Service that declares its Candid type.
func (p *plan) typed(t reflect.Type) error {
	declared := reflect.Zero(t).Interface().(Typed).CandidType().resolve()
	switch {
	case t.ConvertibleTo(typeFunc) && declared.kind == KindFunc:
		p.fn(declared)
	case t.ConvertibleTo(typeService) && declared.kind == KindService:
		p.service(declared)
	default:
		return fmt.Errorf("CandidType says %s, which %s cannot hold", declared.brief(), t)
	}
	return nil
}

// planField is a field of a record or a case of a variant.
type planField struct {
	Label
	offset uintptr
	plan   *plan
	form   fieldForm    // of the plan; formPlanned if it is not made yet
	size   uint8        // of the plan
	elem   reflect.Type // of a variant case: the type that the pointer points to
}

func (m *planner) structure(p *plan, t reflect.Type) error {
	var fields []planField
	variants := 0
	for i := range t.NumField() {
		sf := t.Field(i)
		tag, ok := sf.Tag.Lookup("ic")
		if !sf.IsExported() || tag == "-" {
			continue
		}
		if !ok {
			tag = strings.ToLower(sf.Name[:1]) + sf.Name[1:]
		}
		f, variant, err := m.field(sf, tag)
		if err != nil {
			return fmt.Errorf("the field %s.%s: %w", t, sf.Name, err)
		}
		if variant {
			variants++
		}
		f.offset = sf.Offset
		fields = append(fields, f)
	}
	if variants > 0 && variants != len(fields) {
		return fmt.Errorf("%s has %d fields tagged variant and %d not: all or none", t, variants, len(fields)-variants)
	}
	slices.SortFunc(fields, func(a, b planField) int { return compareIDs(a.ID, b.ID) })
	types := make([]Field, len(fields))
	for i, f := range fields {
		types[i] = Field{f.Label, f.plan.typ}
	}
	kind := KindRecord
	if variants > 0 {
		kind = KindVariant
	}
	checked, err := composite(kind, types)
	if err != nil {
		return err
	}
	*p.typ = *checked
	if kind == KindVariant {
		p.variant(fields)
	} else {
		p.record(fields)
	}
	return nil
}

// field reads the tag of one struct field.
func (m *planner) field(sf reflect.StructField, tag string) (f planField, variant bool, err error) {
	parts := strings.Split(tag, ",")
	f.Label = Named(parts[0])
	if id, err := strconv.ParseUint(parts[0], 10, 32); err == nil {
		f.Label = Numbered(uint32(id))
	}
	t := sf.Type
	key := planKey{}
	for _, option := range parts[1:] {
		switch option {
		case "variant":
			variant = true
			if t.Kind() != reflect.Pointer {
				return f, variant, fmt.Errorf("a variant case is a pointer, not %s", t)
			}
			t = t.Elem()
			f.elem = t
		case "tuple":
			if f.Name != "" {
				return f, variant, fmt.Errorf("a tuple field has a number for a name, not %q", f.Name)
			}
		case "nat":
			key.kind = KindNat
		case "int":
			key.kind = KindInt
		default:
			return f, variant, fmt.Errorf("%q is no option of the ic tag: variant, tuple, nat and int are", option)
		}
	}
	key.typ = t
	f.plan, err = m.plan(t, key)
	f.form, f.size = f.plan.form, f.plan.size
	return f, variant, err
}
