package wire

import (
	"crypto/sha256"
	"encoding/binary"
	"strings"
	"testing"
)

func TestTenThousandSignaturesAreRememberedAtMost(t *testing.T) {
	trust, err := NewTrust()
	if err != nil {
		t.Fatal(err)
	}
	most := 0
	for i := range uint64(20_000) {
		trust.valid.Add(sha256.Sum256(binary.BigEndian.AppendUint64(nil, i)))
		most = max(most, len(trust.valid.seen)+len(trust.valid.older))
	}
	if most != 10_000 {
		t.Errorf("%d are remembered", most)
	}
}

func TestACanisterSignatureHas256KiBAtMost(t *testing.T) {
	for size, want := range map[int]string{
		262_144: "failed to parse signature CBOR",
		262_145: "it has 262145 bytes; at most 262144 are read",
	} {
		err := noTrust.verify(canisterKey(hello, "seed"), nil, append([]byte{0xd9, 0xd9, 0xf7}, make([]byte, size-3)...))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%d bytes: %.100v, want %q", size, err, want)
		}
	}
}
