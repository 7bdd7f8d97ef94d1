package argument

import (
	"cmp"
	"math/big"
	"slices"

	"github.com/canisterd/canisterd/candid"
)

// Simpler returns argument lists that are like one, each with one simpler value. The simplest come first.
func (m *Method) Simpler(values []candid.Value) (all [][]candid.Value) {
	if m.Generate != nil {
		return m.shorter(values)
	}
	for i, v := range values {
		if i >= len(m.Types) {
			break
		}
		for _, s := range simpler(v, m.Types[i], m.Range) {
			list := slices.Clone(values)
			list[i] = s
			all = append(all, list)
		}
	}
	return all
}

// shorter returns argument lists of the generator whose text is shorter, the shortest first.
func (m *Method) shorter(values []candid.Value) (all [][]candid.Value) {
	length := func(values []candid.Value) int { return len(candid.FormatArgs(values)) }
	for seed := range maxTried {
		if made, err := m.Generate(seed); err == nil && length(made) < length(values) {
			all = append(all, made)
		}
	}
	slices.SortStableFunc(all, func(a, b []candid.Value) int { return cmp.Compare(length(a), length(b)) })
	return all
}

// simpler returns values of a type that are simpler than one, the simplest first.
func simpler(v candid.Value, t *candid.Type, within *Range) (all []candid.Value) {
	switch v := v.(type) {
	case candid.Bool:
		if v {
			all = append(all, candid.Bool(false))
		}
	case candid.Text:
		if runes := []rune(string(v)); len(runes) > 0 {
			all = append(all, candid.Text(""), candid.Text(string(runes[:len(runes)/2])), candid.Text(string(runes[:len(runes)-1])))
		}
	case candid.Blob:
		if len(v) > 0 {
			all = append(all, candid.Blob{}, v[:len(v)/2], v[:len(v)-1])
		}
	case candid.Opt:
		if v.Value != nil {
			all = append(all, candid.Opt{})
			for _, inner := range simpler(v.Value, t.Elem(), within) {
				all = append(all, candid.Opt{Value: inner})
			}
		}
	case candid.Vec:
		for i, element := range v {
			all = append(all, slices.Concat(v[:i], v[i+1:]))
			for _, inner := range simpler(element, t.Elem(), within) {
				changed := slices.Clone(v)
				changed[i] = inner
				all = append(all, changed)
			}
		}
	case candid.Record:
		for i, field := range v {
			for _, inner := range simpler(field.Value, t.Fields()[i].Type, within) {
				changed := slices.Clone(v)
				changed[i].Value = inner
				all = append(all, changed)
			}
		}
	case candid.Variant:
		for _, f := range t.Fields() {
			if f.ID != v.ID {
				continue
			}
			for _, inner := range simpler(v.Value, f.Type, within) {
				all = append(all, candid.Variant{Label: v.Label, Value: inner})
			}
		}
	default:
		return simplerInteger(v, t, within)
	}
	return all
}

// simplerInteger returns integers between zero, or the number in the range that is nearest to it, and an integer.
func simplerInteger(v candid.Value, t *candid.Type, within *Range) (all []candid.Value) {
	n := integer(v)
	if n == nil {
		return nil
	}
	aim := new(big.Int)
	if within != nil {
		aim = smaller(larger(aim, within.Low), within.High)
	}
	left := new(big.Int).Sub(n, aim)
	for _, step := range []*big.Int{left, new(big.Int).Quo(left, big.NewInt(2)), big.NewInt(int64(left.Sign()))} {
		if step.Sign() == 0 {
			continue
		}
		if s, err := candid.ParseValueAt(new(big.Int).Sub(n, step).String(), t); err == nil {
			all = append(all, s)
		}
	}
	return all
}
