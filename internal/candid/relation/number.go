package relation

import (
	"math/big"

	"github.com/canisterd/canisterd/candid"
)

// Number returns a value as a number, nil if it is not a number.
func Number(v candid.Value) *big.Rat {
	switch n := v.(type) {
	case candid.Nat:
		return new(big.Rat).SetInt(n.Big())
	case candid.Int:
		return new(big.Rat).SetInt(n.Big())
	case candid.Nat8:
		return natural(uint64(n))
	case candid.Nat16:
		return natural(uint64(n))
	case candid.Nat32:
		return natural(uint64(n))
	case candid.Nat64:
		return natural(uint64(n))
	case candid.Int8:
		return new(big.Rat).SetInt64(int64(n))
	case candid.Int16:
		return new(big.Rat).SetInt64(int64(n))
	case candid.Int32:
		return new(big.Rat).SetInt64(int64(n))
	case candid.Int64:
		return new(big.Rat).SetInt64(int64(n))
	case candid.Float32:
		return new(big.Rat).SetFloat64(float64(n))
	case candid.Float64:
		return new(big.Rat).SetFloat64(float64(n))
	}
	return nil
}

func natural(n uint64) *big.Rat { return new(big.Rat).SetUint64(n) }
