package wire

import (
	"bytes"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/refusal"
)

func TestWhatIsNotCBORIsNamed(t *testing.T) {
	for _, c := range []struct{ name, data, text string }{
		{"a stop code", "ff", "CBOR stop code outside an indefinite-length item"},
		{"a stop code in an array of known length", "81ff", "CBOR stop code outside"},
		{"a stop code for a value", "bf6161ff", "CBOR stop code outside"},
		{"reserved additional information", "1c", "reserved CBOR additional information 28"},
		{"half a length", "5901", "the CBOR ends in the middle of a data item"},
		{"an open array", "9f01", "the CBOR ends in the middle of a data item"},
		{"an open blob", "5f4161", "the CBOR ends in the middle of a data item"},
		{"a chunk cut off", "5f4261", "the CBOR ends in the middle of a data item"},
		{"a text chunk in a blob", "5f6161ff", "a chunk of a CBOR string is not a string of the same type"},
		{"chunks within chunks", "5f5f4161ffff", "a chunk of a CBOR string is not a string of the same type"},
		{"a number without length", "1f", "a CBOR number of indefinite length"},
		{"a negative number without length", "3f", "a CBOR number of indefinite length"},
		{"a tag without number", "df00", "a CBOR tag without a number"},
		{"a bignum of text", "c26131", "a CBOR bignum that is not a blob"},
		{"a bignum cut off", "c242", "the CBOR ends in the middle of a data item"},
		{"a small simple value in two bytes", "f814", "CBOR simple value 20 in two bytes"},
		{"a tag twice", "d9d9f7d9d9f700", "unexpected CBOR tag 55799"},
	} {
		if _, err := document(hexBytes(c.data)); err == nil || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: got %v, want …%s…", c.name, err, c.text)
		}
	}
}

func TestAMapOfTooManyFieldsIsRefused(t *testing.T) {
	var pairs []pair
	for i := range maxPairs {
		pairs = append(pairs, pair{string(rune('a' + i)), nat(0)})
	}
	if _, err := document(encodeMap(pairs...)); err != nil {
		t.Errorf("%d fields: %v", maxPairs, err)
	}
	_, err := document(encodeMap(append(pairs, pair{"one more", nat(0)})...))
	if err == nil || err.Error() != "a CBOR map of more than 32 fields" {
		t.Errorf("%d fields: got %v", maxPairs+1, err)
	}
}

func TestTheKeyOfACanisterIsItsIDAndASeed(t *testing.T) {
	raw := append([]byte{10}, hello.Bytes()...)
	canister, seed, err := splitCanisterKey(append(raw, "seed"...))
	if err != nil || canister != hello || string(seed) != "seed" {
		t.Errorf("got %s, %q, %v", canister, seed, err)
	}
	for name, raw := range map[string][]byte{
		"empty":                {},
		"cut off":              {10, 1, 2},
		"id of too many bytes": append([]byte{30}, make([]byte, 40)...),
	} {
		if _, _, err := splitCanisterKey(raw); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestARefusalDoesNotRepeatAHugeKey(t *testing.T) {
	huge := make([]byte, 1<<20)
	call := decodedCall(t, person(t, "alice"))
	call.Auth.PublicKey = huge
	_, err := Authenticate(call, instant, nil)
	wantRefusal(t, err, refusal.Invalid, "… (1048576 bytes)'")
	if len(err.Error()) > 4096 {
		t.Errorf("the text has %d bytes", len(err.Error()))
	}
	call.Sender = principal.SelfAuthenticating(huge)
	_, err = Authenticate(call, instant, nil)
	wantRefusal(t, err, refusal.Invalid, "Invalid public key: Malformed Unspecified public key: "+strings.Repeat("00", 1024)+"… (1048576 bytes)")
	if !bytes.Equal(huge, call.Auth.PublicKey) {
		t.Error("authenticating changed the request")
	}
}
