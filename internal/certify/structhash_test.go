package certify

import (
	"crypto/sha256"
	"encoding/hex"
	"testing"
)

func TestTheRequestIDOfTheSpecificationsExample(t *testing.T) {
	got := HashOfMap(Fields{
		{"request_type", Text("call")},
		{"sender", Blob{4}},
		{"ingress_expiry", Nat64(1685570400000000000)},
		{"canister_id", Blob{0, 0, 0, 0, 0, 0, 4, 0xd2}},
		{"method_name", Text("hello")},
		{"arg", Blob("DIDL\x00\xfd*")},
		{"nonce", nil},
	})
	const want = "1d1091364d6bb8a6c16b203ee75467d59ead468f523eb058880ae8ec80e2b101"
	if hex.EncodeToString(got[:]) != want {
		t.Errorf("request id %x, want %s", got, want)
	}
}

func TestStructuredValuesHashAsTheSpecificationSays(t *testing.T) {
	sum := func(b ...byte) [32]byte { return sha256.Sum256(b) }
	a, b := sum('a'), sum('b')
	for name, c := range map[string]struct {
		value Value
		want  [32]byte
	}{
		"text":        {Text("a"), a},
		"blob":        {Blob("a"), a},
		"nat":         {Nat64(300), sum(0xac, 0x02)},
		"int 0":       {Int64(0), sum(0)},
		"int -1":      {Int64(-1), sum(0x7f)},
		"int 64":      {Int64(64), sum(0xc0, 0)},
		"int -129":    {Int64(-129), sum(0xff, 0x7e)},
		"array":       {Array{Text("a"), Blob("b")}, sum(append(a[:], b[:]...)...)},
		"empty array": {Array{}, sum()},
		"map":         {Fields{{"a", Text("b")}}, sum(append(a[:], b[:]...)...)},
		"empty map":   {Fields{}, sum()},
	} {
		if got := c.value.structHash(); got != c.want {
			t.Errorf("%s: %x, want %x", name, got, c.want)
		}
	}
	if HashOfMap(Fields{{"x", Text("1")}, {"y", Text("2")}}) != HashOfMap(Fields{{"y", Text("2")}, {"x", Text("1")}}) {
		t.Error("the order of fields matters")
	}
}

func TestSignedQueryResponsesTellApartEverythingAClientReads(t *testing.T) {
	seen := map[string]string{}
	for name, q := range map[string]QueryResponse{
		"reply":            {Reply: []byte("x")},
		"another reply":    {Reply: []byte("y")},
		"another time":     {Reply: []byte("x"), Time: 1},
		"another request":  {Reply: []byte("x"), RequestID: [32]byte{1}},
		"reject":           {RejectCode: 4, RejectMessage: "x"},
		"another code":     {RejectCode: 5, RejectMessage: "x"},
		"another text":     {RejectCode: 4, RejectMessage: "y"},
		"an error code":    {RejectCode: 4, RejectMessage: "x", ErrorCode: "IC0406"},
		"another err code": {RejectCode: 4, RejectMessage: "x", ErrorCode: "IC0503"},
	} {
		message := string(q.SignedBytes())
		if len(message) != 12+32 || message[:12] != "\x0bic-response" {
			t.Errorf("%s: %x", name, message)
		}
		if other, ok := seen[message]; ok {
			t.Errorf("%s and %s have the same signed bytes", name, other)
		}
		seen[message] = name
	}
}
