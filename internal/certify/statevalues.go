package certify

import (
	"fmt"

	"github.com/canisterd/canisterd/candid/principal"
)

// EncodeControllers returns the value at /canister/{id}/controllers: self-described
// CBOR, an array of principals.
func EncodeControllers(controllers []principal.Principal) []byte {
	dst := appendHead([]byte(selfDescribed), majorArray, uint64(len(controllers)))
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
	dst := appendHead(nil, majorMap, 4)
	dst = appendHead(appendText(dst, "num_canisters"), majorNat, m.Canisters)
	dst = appendHead(appendText(dst, "canister_state_bytes"), majorNat, m.StateBytes)
	dst = appendHead(appendText(dst, "consumed_cycles_total"), majorMap, 2)
	dst = appendHead(appendHead(dst, majorNat, 0), majorNat, m.ConsumedCyclesLow)
	dst = appendHead(dst, majorNat, 1)
	if m.ConsumedCyclesHigh == 0 {
		dst = append(dst, nullByte)
	} else {
		dst = appendHead(dst, majorNat, m.ConsumedCyclesHigh)
	}
	return appendHead(appendText(dst, "update_transactions_total"), majorNat, m.UpdateTransactions)
}

// DecodeSubnetMetrics reads the result of Encode.
func DecodeSubnetMetrics(value []byte) (SubnetMetrics, error) {
	var m SubnetMetrics
	r := reader{in: value}
	err := r.fields(m.decodeField, "num_canisters", "canister_state_bytes", "consumed_cycles_total", "update_transactions_total")
	if err == nil {
		err = r.end()
	}
	if err != nil {
		return SubnetMetrics{}, fmt.Errorf("read subnet metrics: %w", err)
	}
	return m, nil
}

func (m *SubnetMetrics) decodeField(r *reader, name string) (err error) {
	switch name {
	case "num_canisters":
		m.Canisters, err = r.expect(majorNat, "a nat")
	case "canister_state_bytes":
		m.StateBytes, err = r.expect(majorNat, "a nat")
	case "update_transactions_total":
		m.UpdateTransactions, err = r.expect(majorNat, "a nat")
	case "consumed_cycles_total":
		err = m.decodeCycles(r)
	}
	return err
}

func (m *SubnetMetrics) decodeCycles(r *reader) error {
	n, err := r.expect(majorMap, "a map")
	if err != nil {
		return err
	}
	for want := range n {
		key, err := r.expect(majorNat, "a nat")
		if err != nil {
			return err
		}
		if key != want || key > 1 {
			return fmt.Errorf("want the keys 0 and 1 in order, got %d", key)
		}
		if key == 1 && r.null() {
			continue
		}
		part, err := r.expect(majorNat, "a nat")
		if err != nil {
			return err
		}
		if key == 0 {
			m.ConsumedCyclesLow = part
		} else {
			m.ConsumedCyclesHigh = part
		}
	}
	return nil
}
