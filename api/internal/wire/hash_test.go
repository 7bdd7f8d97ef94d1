package wire

import (
	"encoding/hex"
	"testing"

	agent "github.com/aviate-labs/agent-go"
	"github.com/aviate-labs/agent-go/certification/hashtree"
	agentprincipal "github.com/aviate-labs/agent-go/principal"
	"github.com/fxamacker/cbor/v2"
	"pgregory.net/rapid"

	"github.com/canisterd/canisterd/candid/principal"
)

func TestTheRequestIDOfTheSpecificationsExampleIsItsVector(t *testing.T) {
	draft := NewCall(principal.MustFromBytes([]byte{0, 0, 0, 0, 0, 0, 4, 0xd2}), "hello", []byte("DIDL\x00\xfd*"))
	draft.IngressExpiry = 1_685_570_400_000_000_000
	signed, err := draft.Sign(Identity{})
	if err != nil {
		t.Fatal(err)
	}
	const want = "0x1d1091364d6bb8a6c16b203ee75467d59ead468f523eb058880ae8ec80e2b101"
	if signed.ID.String() != want {
		t.Errorf("drafted: got %s, want %s", signed.ID, want)
	}
	call, err := DecodeCall(signed.Body)
	if err != nil {
		t.Fatal(err)
	}
	if call.ID.String() != want {
		t.Errorf("decoded: got %s, want %s", call.ID, want)
	}
}

// agentRequest is a request agent-go can hash: it takes empty text and empty
// nonces for absent ones, so none are drawn.
func agentRequest(t *rapid.T) agent.Request {
	some := func(max int) *rapid.Generator[[]byte] { return rapid.SliceOfN(rapid.Byte(), 1, max) }
	req := agent.Request{
		Sender:        agentprincipal.Principal{Raw: some(29).Draw(t, "sender")},
		IngressExpiry: rapid.Uint64Min(1).Draw(t, "expiry"),
	}
	if rapid.Bool().Draw(t, "has nonce") {
		req.Nonce = some(32).Draw(t, "nonce")
	}
	req.Type = rapid.SampledFrom([]string{"call", "query", "read_state"}).Draw(t, "type")
	if req.Type == agent.RequestTypeReadState {
		req.Paths = [][]hashtree.Label{}
		for range rapid.IntRange(0, 5).Draw(t, "paths") {
			path := []hashtree.Label{}
			for range rapid.IntRange(0, 5).Draw(t, "labels") {
				path = append(path, rapid.SliceOfN(rapid.Byte(), 0, 40).Draw(t, "label"))
			}
			req.Paths = append(req.Paths, path)
		}
		return req
	}
	req.CanisterID = agentprincipal.Principal{Raw: rapid.SliceOfN(rapid.Byte(), 0, 29).Draw(t, "canister")}
	req.MethodName = rapid.StringN(1, 60, -1).Draw(t, "method")
	req.Arguments = rapid.SliceOfN(rapid.Byte(), 0, 300).Draw(t, "arg")
	return req
}

// decodeAny decodes with the decoder of this request type.
func decodeAny(kind string, body []byte) (Request, error) {
	switch kind {
	case "call":
		return DecodeCall(body)
	case "query":
		return DecodeQuery(body)
	}
	return DecodeReadState(body)
}

func TestRequestIDsAreThoseOfAgentGo(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		req := agentRequest(t)
		body, err := cbor.Marshal(agent.Envelope{Content: req})
		if err != nil {
			t.Fatal(err)
		}
		got, err := decodeAny(req.Type, body)
		if err != nil {
			t.Fatalf("%x: %v", body, err)
		}
		if want := agent.NewRequestID(req); got.envelope().ID != RequestID(want) {
			t.Fatalf("request id: got %s, agent-go says %x", got.envelope().ID, want)
		}
	})
}

func TestPresentButEmptyFieldsCountInTheRequestID(t *testing.T) {
	ids := map[RequestID]string{}
	for name, content := range map[string][]byte{
		"no nonce":         callContent(),
		"empty nonce":      callContent(pair{"nonce", blob(nil)}),
		"an unknown field": callContent(pair{"unheard", text("")}),
		"empty method":     callContent(pair{"method_name", text("")}),
		"empty canister":   callContent(pair{"canister_id", blob(nil)}),
	} {
		call, err := DecodeCall(envelopeOf(content))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if other, ok := ids[call.ID]; ok {
			t.Errorf("%s and %s have the same request id", name, other)
		}
		ids[call.ID] = name
	}
}

func TestTheEncodingDoesNotChangeTheRequestID(t *testing.T) {
	plain := callContent()
	null := []byte{0xf6}
	want, err := DecodeCall(envelopeOf(plain))
	if err != nil {
		t.Fatal(err)
	}
	bignum := append([]byte{0xc2, 0x49, 0}, nat(instant + minute)[1:]...)
	open := append([]byte{0xbf}, plain[1:]...)
	chunked := append([]byte{0x7f}, append(append(text("gr"), text("eet")...), 0xff)...)
	for name, body := range map[string][]byte{
		"without tag":          envelopeOf(plain)[3:],
		"indefinite map":       envelopeOf(append(open, 0xff)),
		"chunked text":         envelopeOf(callContent(pair{"method_name", chunked})),
		"expiry as bignum":     envelopeOf(callContent(pair{"ingress_expiry", bignum})),
		"null nonce":           envelopeOf(callContent(pair{"nonce", null})),
		"null signature":       envelopeOf(plain, pair{"sender_sig", null}),
		"other field order":    envelopeOf(callContent(pair{"sender", blob([]byte{4})}, pair{"request_type", text("call")})),
		"long form of lengths": envelopeOf(callContent(pair{"method_name", append([]byte{0x79, 0, 5}, "greet"...)})),
	} {
		got, err := DecodeCall(body)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got.ID != want.ID || got.MethodName != "greet" || got.IngressExpiry != want.IngressExpiry || got.Nonce != nil || got.Auth != nil {
			t.Errorf("%s: got %+v, want %+v", name, got, want)
		}
	}
}

func TestNumbersHashAsTheirShortestLEB128(t *testing.T) {
	for _, c := range []struct {
		cbor, leb string
	}{
		{"00", "00"},
		{"187f", "7f"},
		{"1880", "8001"},
		{"1bffffffffffffffff", "ffffffffffffffffff01"},
		{"20", "7f"},
		{"383f", "40"},
		{"3840", "bf7f"},
		{"3b7fffffffffffffff", "8080808080808080807f"},
	} {
		raw, _ := hex.DecodeString(c.cbor)
		leb, _ := hex.DecodeString(c.leb)
		it, err := document(raw)
		if err != nil {
			t.Fatal(err)
		}
		got, err := hashOf(&it)
		want, _ := hashOf(&item{kind: kindBlob, body: leb})
		if err != nil || got != want {
			t.Errorf("%s: does not hash as %s (%v)", c.cbor, c.leb, err)
		}
	}
}
