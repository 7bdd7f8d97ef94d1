package management

import (
	"errors"
	"math"

	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/intercanister/cycles"
)

// globalsOf returns the values of globals as the interface shows them: a v128 is a number of 128 bits.
func globalsOf(values []canister.Global) []global {
	all := make([]global, len(values))
	for i, v := range values {
		switch g := &all[i]; v.Type {
		case canister.GlobalI32:
			n := int32(uint32(v.Low))
			g.I32 = &n
		case canister.GlobalI64:
			n := int64(v.Low)
			g.I64 = &n
		case canister.GlobalF32:
			f := math.Float32frombits(uint32(v.Low))
			g.F32 = &f
		case canister.GlobalF64:
			f := math.Float64frombits(v.Low)
			g.F64 = &f
		case canister.GlobalV128:
			n := natOf(cycles.Amount{Hi: v.High, Lo: v.Low})
			g.V128 = &n
		}
	}
	return all
}

var errVector = errors.New("v128 has more than 128 bits")

func globalValues(globals []global) ([]canister.Global, error) {
	values := make([]canister.Global, len(globals))
	for i, g := range globals {
		switch v := &values[i]; {
		case g.I32 != nil:
			*v = canister.Global{Type: canister.GlobalI32, Low: uint64(uint32(*g.I32))}
		case g.I64 != nil:
			*v = canister.Global{Type: canister.GlobalI64, Low: uint64(*g.I64)}
		case g.F32 != nil:
			*v = canister.Global{Type: canister.GlobalF32, Low: uint64(math.Float32bits(*g.F32))}
		case g.F64 != nil:
			*v = canister.Global{Type: canister.GlobalF64, Low: math.Float64bits(*g.F64)}
		case g.V128 != nil:
			n, ok := amountOf(*g.V128)
			if !ok {
				return nil, errVector
			}
			*v = canister.Global{Type: canister.GlobalV128, Low: n.Lo, High: n.Hi}
		}
	}
	return values, nil
}
