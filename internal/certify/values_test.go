package certify

import (
	"bytes"
	"math"
	"testing"

	"github.com/fxamacker/cbor/v2"

	"github.com/canisterd/canisterd/candid/principal"
)

func TestNatsReadBackAndHaveOneForm(t *testing.T) {
	for _, n := range []uint64{0, 1, 127, 128, 300, 1 << 32, 1_700_000_000_000_000_000, math.MaxUint64} {
		if got, err := DecodeNat(Nat(n)); err != nil || got != n {
			t.Errorf("%d reads back as %d, %v", n, got, err)
		}
	}
	for _, value := range [][]byte{nil, {0x80}, {0x80, 0}, {1, 1}, bytes.Repeat([]byte{0xff}, 10), append(bytes.Repeat([]byte{0xff}, 9), 2)} {
		if n, err := DecodeNat(value); err == nil {
			t.Errorf("%x was read as %d", value, n)
		}
	}
}

func TestRangesReadBackAndHoldTheirEnds(t *testing.T) {
	rs := Ranges{{principal.Canister(10), principal.Canister(20)}, {principal.Canister(30), principal.Canister(30)}}
	again, err := DecodeRanges(rs.Encode())
	if err != nil || len(again) != 2 || again[0] != rs[0] || again[1] != rs[1] {
		t.Errorf("reads back as %v, %v", again, err)
	}
	for n, want := range map[uint64]bool{9: false, 10: true, 15: true, 20: true, 21: false, 30: true, 31: false} {
		if rs.Contains(principal.Canister(n)) != want {
			t.Errorf("canister %d in the ranges: want %v", n, want)
		}
	}
	if shards := rs.Shards(1); shards.Len() != 2 {
		t.Errorf("%d shards, want 2", shards.Len())
	}
}

// The CBOR library reads, independently, what we write.
func TestValuesAreTheCBORTheSpecificationAsksFor(t *testing.T) {
	tagged := func(value []byte) any {
		if !bytes.HasPrefix(value, []byte{0xd9, 0xd9, 0xf7}) {
			t.Fatalf("%x is not self-described", value)
		}
		var content any
		if err := cbor.Unmarshal(value[3:], &content); err != nil {
			t.Fatal(err)
		}
		return content
	}
	pair := tagged(Ranges{{principal.Canister(1), principal.Canister(2)}}.Encode()).([]any)[0].([]any)
	if !bytes.Equal(pair[0].([]byte), principal.Canister(1).Bytes()) || !bytes.Equal(pair[1].([]byte), principal.Canister(2).Bytes()) {
		t.Errorf("a range is %v", pair)
	}
	controllers := tagged(EncodeControllers([]principal.Principal{principal.Management, principal.Anonymous})).([]any)
	if len(controllers) != 2 || len(controllers[0].([]byte)) != 0 || !bytes.Equal(controllers[1].([]byte), []byte{4}) {
		t.Errorf("controllers are %v", controllers)
	}
	var metrics struct {
		Canisters uint64             `cbor:"num_canisters"`
		State     uint64             `cbor:"canister_state_bytes"`
		Cycles    map[uint64]*uint64 `cbor:"consumed_cycles_total"`
		Updates   uint64             `cbor:"update_transactions_total"`
	}
	m := SubnetMetrics{Canisters: 3, StateBytes: 1 << 40, ConsumedCyclesLow: math.MaxUint64, UpdateTransactions: 70_000}
	if err := cbor.Unmarshal(m.Encode(), &metrics); err != nil {
		t.Fatal(err)
	}
	if metrics.Canisters != 3 || metrics.State != 1<<40 || *metrics.Cycles[0] != math.MaxUint64 || metrics.Cycles[1] != nil || metrics.Updates != 70_000 {
		t.Errorf("metrics are %+v", metrics)
	}
	m.ConsumedCyclesHigh = 5
	if err := cbor.Unmarshal(m.Encode(), &metrics); err != nil || *metrics.Cycles[1] != 5 {
		t.Errorf("with more cycles than 64 bits, metrics are %+v, %v", metrics, err)
	}
}

func TestInvalidValuesAreRefused(t *testing.T) {
	for _, value := range [][]byte{nil, {0x81}, {0x9b, 255, 255, 255, 255, 255, 255, 255, 255}, {0x81, 0x81, 0x40}, {0x80, 0}, {0x81, 0x82, 0x40, 0x58, 30}} {
		if rs, err := DecodeRanges(value); err == nil {
			t.Errorf("%x was read as ranges %v", value, rs)
		}
	}
	for _, value := range [][]byte{nil, {0x81}, {0x8b}, {0x9b, 255, 255, 255, 255, 255, 255, 255, 255}, {0x80, 0}} {
		if ps, err := DecodeControllers(value); err == nil {
			t.Errorf("%x was read as controllers %v", value, ps)
		}
	}
}

func FuzzDecodeStateValues(f *testing.F) {
	f.Add(Ranges{{principal.Canister(1), principal.Canister(2)}}.Encode())
	f.Add(EncodeControllers([]principal.Principal{principal.Anonymous}))
	f.Add(Nat(300))
	f.Fuzz(func(t *testing.T, value []byte) {
		if rs, err := DecodeRanges(value); err == nil {
			if again, err := DecodeRanges(rs.Encode()); err != nil || len(again) != len(rs) {
				t.Fatalf("ranges %v read back as %v, %v", rs, again, err)
			}
		}
		if ps, err := DecodeControllers(value); err == nil {
			if again, err := DecodeControllers(EncodeControllers(ps)); err != nil || len(again) != len(ps) {
				t.Fatalf("controllers %v read back as %v, %v", ps, again, err)
			}
		}
		if n, err := DecodeNat(value); err == nil && !bytes.Equal(Nat(n), value) {
			t.Fatalf("nat %d reads from %x", n, value)
		}
	})
}
