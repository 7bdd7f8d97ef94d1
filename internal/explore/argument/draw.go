package argument

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/principal"
)

// Range limits the integers of an argument list, also those inside of other values.
type Range struct{ Low, High *big.Int }

// Method is what the arguments of a method are drawn from.
type Method struct {
	Types    []*candid.Type
	Range    *Range           // of integers; nil: that of the type
	Examples [][]candid.Value // argument lists, of which one is drawn in a quarter of the cases
	// Generate makes argument lists in place of the types if it is not nil. Equal seeds make equal lists.
	Generate func(seed int) ([]candid.Value, error)
}

// Drawer draws arguments for one case, such as the operations of a run. Later values are often equal to earlier ones.
type Drawer struct {
	Chance     *rand.Rand
	Principals []principal.Principal // that are drawn; none: only the anonymous one

	numbers []*big.Int
	texts   []string
}

// Learn makes the numbers and texts in a value, and the neighbors of the numbers, likely in later arguments.
func (d *Drawer) Learn(v candid.Value) {
	switch v := v.(type) {
	case candid.Text:
		d.learnText(string(v))
	case candid.Opt:
		if v.Value != nil {
			d.Learn(v.Value)
		}
	case candid.Vec:
		for _, element := range v {
			d.Learn(element)
		}
	case candid.Record:
		for _, field := range v {
			d.Learn(field.Value)
		}
	case candid.Variant:
		d.Learn(v.Value)
	default:
		if n := integer(v); n != nil {
			d.learnNumber(n)
		}
	}
}

func (d *Drawer) learnNumber(n *big.Int) {
	known := slices.ContainsFunc(d.numbers, func(o *big.Int) bool { return o.Cmp(n) == 0 })
	if !known && len(d.numbers) < maxKnown {
		d.numbers = append(d.numbers, n)
	}
}

func (d *Drawer) learnText(text string) {
	if !slices.Contains(d.texts, text) && len(d.texts) < maxKnown {
		d.texts = append(d.texts, text)
	}
}

// Draw returns arguments of a method. The error says that an integer type has no value in the range.
func (d *Drawer) Draw(m *Method) ([]candid.Value, error) {
	if len(m.Examples) > 0 && d.oneOf(4) {
		return m.Examples[d.Chance.IntN(len(m.Examples))], nil
	}
	if m.Generate != nil {
		return m.Generate(d.Chance.IntN(maxSeed))
	}
	values := make([]candid.Value, len(m.Types))
	for i, t := range m.Types {
		v, err := d.value(t, m.Range, 0)
		if err != nil {
			return nil, err
		}
		values[i] = v
		d.Learn(v)
	}
	return values, nil
}

func (d *Drawer) oneOf(n int) bool { return d.Chance.IntN(n) == 0 }

// value draws a value of a type.
func (d *Drawer) value(t *candid.Type, within *Range, depth int) (candid.Value, error) {
	deep := depth >= maxDepth
	if depth > 2*maxDepth {
		return nil, fmt.Errorf("values of type %s are too deep to be drawn: give examples", t)
	}
	switch t.Kind() {
	case candid.KindNull:
		return candid.Null{}, nil
	case candid.KindReserved:
		return candid.Reserved{}, nil
	case candid.KindBool:
		return candid.Bool(d.oneOf(2)), nil
	case candid.KindText:
		return candid.Text(d.text()), nil
	case candid.KindPrincipal:
		return candid.Principal(d.principal()), nil
	case candid.KindService:
		return candid.Service(d.principal()), nil
	case candid.KindFunc:
		return candid.Func{Service: d.principal(), Method: d.text()}, nil
	case candid.KindFloat32:
		return candid.Float32(d.float()), nil
	case candid.KindFloat64:
		return candid.Float64(d.float()), nil
	case candid.KindOpt:
		if deep || d.oneOf(2) {
			return candid.Opt{}, nil
		}
		v, err := d.value(t.Elem(), within, depth+1)
		return candid.Opt{Value: v}, err
	case candid.KindVec:
		return d.vec(t, within, depth)
	case candid.KindRecord:
		record := candid.Record{}
		for _, f := range t.Fields() {
			v, err := d.value(f.Type, within, depth+1)
			if err != nil {
				return nil, err
			}
			record = append(record, candid.FieldValue{Label: f.Label, Value: v})
		}
		return record, nil
	case candid.KindVariant:
		return d.variant(t, within, depth)
	}
	return d.integer(t, within)
}

// vec draws a vector.
func (d *Drawer) vec(t *candid.Type, within *Range, depth int) (candid.Value, error) {
	count := d.Chance.IntN(maxElements + 1)
	if t.IsBlob() {
		blob := make(candid.Blob, count)
		for i := range blob {
			blob[i] = byte(d.Chance.Uint32())
		}
		return blob, nil
	}
	if depth >= maxDepth {
		count = 0
	}
	vec := candid.Vec{}
	for range count {
		v, err := d.value(t.Elem(), within, depth+1)
		if err != nil {
			return nil, err
		}
		vec = append(vec, v)
	}
	return vec, nil
}

// variant draws a case. Deep inside of a value, it takes the first without a nested value, if there is one.
func (d *Drawer) variant(t *candid.Type, within *Range, depth int) (candid.Value, error) {
	cases := t.Fields()
	if len(cases) == 0 {
		return nil, fmt.Errorf("type %s has no values", t)
	}
	f := cases[d.Chance.IntN(len(cases))]
	if depth >= maxDepth {
		if at := slices.IndexFunc(cases, func(f candid.Field) bool { return f.Type.Kind() == candid.KindNull }); at >= 0 {
			f = cases[at]
		}
	}
	v, err := d.value(f.Type, within, depth+1)
	return candid.Variant{Label: f.Label, Value: v}, err
}

// words are the texts that are drawn most often. They are few, so that two texts are often equal.
var words = []string{"", "a", "b", "ab", "é"}

func (d *Drawer) text() string {
	switch {
	case len(d.texts) > 0 && d.oneOf(2):
		return d.texts[d.Chance.IntN(len(d.texts))]
	case d.oneOf(8):
		return strings.Repeat("x", 1+d.Chance.IntN(maxLong))
	}
	return words[d.Chance.IntN(len(words))]
}

func (d *Drawer) principal() principal.Principal {
	if len(d.Principals) == 0 {
		return principal.Anonymous
	}
	return d.Principals[d.Chance.IntN(len(d.Principals))]
}

func (d *Drawer) float() float64 {
	some := []float64{0, 1, -1, 0.5, 1e9, math.Inf(1), math.NaN(), d.Chance.NormFloat64() * 100}
	return some[d.Chance.IntN(len(some))]
}

// integer draws an integer of a type: a small number, a known one or its neighbor, one at a limit, or one with any number of
// digits.
func (d *Drawer) integer(t *candid.Type, within *Range) (candid.Value, error) {
	low, high, ok := limits(t)
	if !ok {
		return nil, fmt.Errorf("type %s has no values", t)
	}
	if within != nil {
		low, high = larger(low, within.Low), smaller(high, within.High)
	}
	span := new(big.Int).Sub(high, low)
	if span.Sign() < 0 {
		return nil, fmt.Errorf("type %s has no value from %s to %s", t, within.Low, within.High)
	}
	n := new(big.Int)
	switch choice := d.Chance.IntN(8); {
	case choice < 3 && len(d.numbers) > 0:
		n.Add(d.numbers[d.Chance.IntN(len(d.numbers))], big.NewInt([]int64{0, 0, 1, -1}[d.Chance.IntN(4)]))
	case choice < 5:
		n.SetInt64(int64(d.Chance.IntN(maxSmall + 1)))
	case choice < 6:
		n.Sub(high, big.NewInt(int64(d.Chance.IntN(maxSmall+1))))
	case choice < 7:
		n.Add(low, big.NewInt(int64(d.Chance.IntN(maxSmall+1))))
	default:
		n.Add(low, d.upTo(span))
	}
	return candid.ParseValueAt(smaller(larger(n, low), high).String(), t)
}

// upTo draws a number up to a limit, each number of digits with the same chance.
func (d *Drawer) upTo(limit *big.Int) *big.Int {
	n := new(big.Int)
	for range d.Chance.IntN(limit.BitLen() + 1) {
		n.Lsh(n, 1).Add(n, big.NewInt(int64(d.Chance.IntN(2))))
	}
	return smaller(n, limit)
}

func larger(a, b *big.Int) *big.Int {
	if a.Cmp(b) > 0 {
		return a
	}
	return b
}

func smaller(a, b *big.Int) *big.Int {
	if a.Cmp(b) < 0 {
		return a
	}
	return b
}

// bits are the bits of integer types, negative if they have a sign.
var bits = map[candid.Kind]int{
	candid.KindNat: maxBits, candid.KindNat8: 8, candid.KindNat16: 16, candid.KindNat32: 32, candid.KindNat64: 64,
	candid.KindInt: -maxBits, candid.KindInt8: -8, candid.KindInt16: -16, candid.KindInt32: -32, candid.KindInt64: -64,
}

// limits returns the least and the largest integer of a type. It fails for a type without integers.
func limits(t *candid.Type) (low, high *big.Int, ok bool) {
	n, ok := bits[t.Kind()]
	one := big.NewInt(1)
	if n < 0 {
		half := new(big.Int).Lsh(one, uint(-n-1))
		return new(big.Int).Neg(half), new(big.Int).Sub(half, one), ok
	}
	return new(big.Int), new(big.Int).Sub(new(big.Int).Lsh(one, uint(n)), one), ok
}

// integer returns a value as an integer, nil if it is none.
func integer(v candid.Value) *big.Int {
	switch n := v.(type) {
	case candid.Nat:
		return n.Big()
	case candid.Int:
		return n.Big()
	case candid.Nat8, candid.Nat16, candid.Nat32, candid.Nat64, candid.Int8, candid.Int16, candid.Int32, candid.Int64:
		whole, _ := new(big.Int).SetString(fmt.Sprint(n), 10)
		return whole
	}
	return nil
}
