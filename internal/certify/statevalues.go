package certify

import (
	"fmt"

	"github.com/canisterd/canisterd/candid/principal"
)

// EncodeControllers returns the value at /canister/{id}/controllers: self-described
// CBOR, an array of principals.
func EncodeControllers(controllers []principal.Principal) []byte {
	dst := AppendHead([]byte(selfDescribed), majorArray, uint64(len(controllers)))
	for _, c := range controllers {
		dst = appendPrincipal(dst, c)
	}
	return dst
}

// DecodeControllers reads what EncodeControllers writes, with or without the
// tag.
func DecodeControllers(value []byte) ([]principal.Principal, error) {
	r := reader{in: value}
	r.selfDescribed()
	n, err := r.expect(majorArray, "an array of principals")
	if err != nil {
		return nil, fmt.Errorf("read controllers: %w", err)
	}
	if n > maxControllers {
		return nil, fmt.Errorf("read controllers: %d of them; a canister has at most %d", n, maxControllers)
	}
	ps := make([]principal.Principal, n)
	for i := range ps {
		if ps[i], err = r.principal(); err != nil {
			return nil, fmt.Errorf("read controller %d: %w", i, err)
		}
	}
	if err := r.end(); err != nil {
		return nil, fmt.Errorf("read controllers: %w", err)
	}
	return ps, nil
}

// SubnetMetrics is the value at /subnet/{id}/metrics.
type SubnetMetrics struct {
	Canisters          uint64
	StateBytes         uint64
	ConsumedCyclesLow  uint64 // the lower 64 bits
	ConsumedCyclesHigh uint64 // the upper 64 bits
	UpdateTransactions uint64
}

// Encode returns the metrics as CBOR. The consumed cycles are a map with the keys 0 and 1, the upper half null if it is
// zero, as agents read it.
func (m SubnetMetrics) Encode() []byte {
	dst := AppendHead(nil, majorMap, 4)
	dst = AppendHead(appendText(dst, "num_canisters"), majorNat, m.Canisters)
	dst = AppendHead(appendText(dst, "canister_state_bytes"), majorNat, m.StateBytes)
	dst = AppendHead(appendText(dst, "consumed_cycles_total"), majorMap, 2)
	dst = AppendHead(AppendHead(dst, majorNat, 0), majorNat, m.ConsumedCyclesLow)
	dst = AppendHead(dst, majorNat, 1)
	if m.ConsumedCyclesHigh == 0 {
		dst = append(dst, nullByte)
	} else {
		dst = AppendHead(dst, majorNat, m.ConsumedCyclesHigh)
	}
	return AppendHead(appendText(dst, "update_transactions_total"), majorNat, m.UpdateTransactions)
}
