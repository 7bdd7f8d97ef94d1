package principal

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"strings"
	"testing"
)

func TestTextualFormsOfTheSpecificationRoundTrip(t *testing.T) {
	for text, raw := range map[string][]byte{
		"aaaaa-aa":                    {},
		"2vxsx-fae":                   {4},
		"rwlgt-iiaaa-aaaaa-aaaaa-cai": {0, 0, 0, 0, 0, 0, 0, 0, 1, 1},
		"em77e-bvlzu-aq":              {0xab, 0xcd, 0x01},
	} {
		p, err := Parse(strings.ToUpper(text))
		if err != nil {
			t.Fatalf("Parse(%s): %v", text, err)
		}
		if !bytes.Equal(p.Bytes(), raw) || p.String() != text {
			t.Errorf("%s: got bytes %x and text %s", text, p.Bytes(), p)
		}
	}
}

func TestTextThatIsNotAPrincipalIsRefused(t *testing.T) {
	for _, text := range []string{"", "aaaaa", "aaaaa-ab", "aaaaaaa", "rwlgt-iiaaa-aaaaa-aaaaa-caj", "rwlgtiiaaa-aaaaa-aaaaa-cai", "!!"} {
		if p, err := Parse(text); err == nil {
			t.Errorf("Parse(%q) = %s, want an error", text, p)
		}
	}
}

func TestEveryBitOfTheChecksumCounts(t *testing.T) {
	raw := Canister(7).Bytes()
	packed := binary.BigEndian.AppendUint32(nil, crc32.ChecksumIEEE(raw))
	packed = append(packed, raw...)
	for bit := range 32 {
		changed := bytes.Clone(packed)
		changed[bit/8] ^= 1 << (bit % 8)
		text := encoding.EncodeToString(changed)
		if p, err := Parse(text); err == nil || !strings.Contains(err.Error(), "checksum does not match") {
			t.Errorf("with bit %d of the checksum flipped Parse(%q) = %s, %v", bit, text, p, err)
		}
	}
}

func TestCanisterNumbersRoundTrip(t *testing.T) {
	for _, n := range []uint64{0, 1, 1 << 20, 1<<64 - 1} {
		if got, ok := Canister(n).CanisterNumber(); !ok || got != n {
			t.Errorf("Canister(%d).CanisterNumber() = %d, %v", n, got, ok)
		}
	}
	if Canister(7).Class() != ClassOpaque {
		t.Errorf("class of a canister id is %d", Canister(7).Class())
	}
}

func FuzzParse(f *testing.F) {
	f.Add("rwlgt-iiaaa-aaaaa-aaaaa-cai")
	f.Fuzz(func(t *testing.T, text string) {
		p, err := Parse(text)
		if err == nil && p.String() != strings.ToLower(text) {
			t.Errorf("%q parsed and printed as %s", text, p)
		}
	})
}
