package wire

import (
	"bytes"
	"crypto/ed25519"
	"reflect"
	"strings"
	"testing"

	agent "github.com/aviate-labs/agent-go"
	"github.com/fxamacker/cbor/v2"

	"github.com/canisterd/canisterd/candid/principal"
)

// wantAnswer reads the body as any CBOR and compares it, tag included.
func wantAnswer(t *testing.T, body []byte, want map[string]any) {
	t.Helper()
	if !bytes.HasPrefix(body, []byte{0xd9, 0xd9, 0xf7}) {
		t.Fatalf("%x does not start with the self-describe tag", body)
	}
	got := map[string]any{}
	if err := clientMode.Unmarshal(body, &got); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
}

func TestAnswersHaveTheFieldsOfTheSpecification(t *testing.T) {
	full := Rejection{Code: 3, Message: "no such canister", ErrorCode: "IC0301"}
	bare := Rejection{Code: 300, Message: strings.Repeat("m", 70_000)}
	for _, c := range []struct {
		name string
		body []byte
		want map[string]any
	}{
		{"status", EncodeStatus(Status{RootKey: []byte("key"), ImplVersion: "1", ImplHash: "h", Health: "healthy", CertifiedHeight: 1 << 40}), map[string]any{
			"root_key": []byte("key"), "impl_version": "1", "impl_hash": "h", "replica_health_status": "healthy", "certified_height": uint64(1 << 40),
		}},
		{"bare status", EncodeStatus(Status{RootKey: []byte("key")}), map[string]any{"root_key": []byte("key")}},
		{"decided call", EncodeCallReplied([]byte("cert")), map[string]any{"status": "replied", "certificate": []byte("cert")}},
		{"call not let in", EncodeNonReplicatedRejection(full), map[string]any{
			"status": "non_replicated_rejection", "reject_code": uint64(3), "reject_message": "no such canister", "error_code": "IC0301",
		}},
		{"call not let in, without error code", EncodeNonReplicatedRejection(bare), map[string]any{
			"status": "non_replicated_rejection", "reject_code": uint64(300), "reject_message": bare.Message,
		}},
		{"asynchronous call not let in", EncodeAsyncRejection(full), map[string]any{
			"reject_code": uint64(3), "reject_message": "no such canister", "error_code": "IC0301",
		}},
		{"read_state", EncodeReadState([]byte("cert")), map[string]any{"certificate": []byte("cert")}},
	} {
		t.Run(c.name, func(t *testing.T) { wantAnswer(t, c.body, c.want) })
	}
}

func queryNode(t *testing.T) (Node, ed25519.PublicKey) {
	t.Helper()
	key := ed25519.NewKeyFromSeed(make([]byte, 32))
	return Node{ID: stranger, Sign: func(message []byte) []byte { return ed25519.Sign(key, message) }}, key.Public().(ed25519.PublicKey)
}

func TestQueryResponsesAreSignedByTheNode(t *testing.T) {
	node, key := queryNode(t)
	id := RequestID{1, 2, 3}
	for name, resp := range map[string]QueryResponse{
		"replied":                    {Reply: []byte("DIDL\x00\x00")},
		"empty reply":                {Reply: []byte{}},
		"rejected":                   {Rejection: &Rejection{Code: 5, Message: "trapped", ErrorCode: "IC0503"}},
		"rejected, no error code":    {Rejection: &Rejection{Code: 4, Message: "no"}},
		"rejected with empty reason": {Rejection: &Rejection{Code: 4}},
	} {
		body := EncodeQueryResponse(resp, id, instant, node)
		got, sigs, err := DecodeQueryResponse(body)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !reflect.DeepEqual(got, resp) {
			t.Errorf("%s: got %+v, want %+v", name, got, resp)
		}
		if len(sigs) != 1 || sigs[0].Timestamp != instant || sigs[0].Identity != stranger {
			t.Fatalf("%s: signatures %+v", name, sigs)
		}
		if !ed25519.Verify(key, QueryResponseMessage(got, id, sigs[0].Timestamp), sigs[0].Signature) {
			t.Errorf("%s: the signature does not cover the response", name)
		}
		if ed25519.Verify(key, QueryResponseMessage(got, RequestID{}, instant), sigs[0].Signature) {
			t.Errorf("%s: the signature covers another request", name)
		}
	}
}

func TestTheSignedMessageIsTheHashOfTheResponsesMap(t *testing.T) {
	id := RequestID{7}
	m := encodeMap(pair{"status", text("replied")}, pair{"timestamp", nat(instant)}, pair{"request_id", blob(id[:])},
		pair{"reply", encodeMap(pair{"arg", blob([]byte("x"))})})
	it, err := document(m)
	if err != nil {
		t.Fatal(err)
	}
	hash, err := hashOf(&it)
	if err != nil {
		t.Fatal(err)
	}
	want := append([]byte("\x0bic-response"), hash[:]...)
	if got := QueryResponseMessage(QueryResponse{Reply: []byte("x")}, id, instant); !bytes.Equal(got, want) {
		t.Errorf("got %x, want %x", got, want)
	}
}

func TestSignedQueryResponsesTellApartEverythingAClientReads(t *testing.T) {
	seen := map[string]string{}
	for name, q := range map[string]struct {
		response QueryResponse
		id       RequestID
		now      uint64
	}{
		"reply":            {response: QueryResponse{Reply: []byte("x")}},
		"another reply":    {response: QueryResponse{Reply: []byte("y")}},
		"another time":     {response: QueryResponse{Reply: []byte("x")}, now: 1},
		"another request":  {response: QueryResponse{Reply: []byte("x")}, id: RequestID{1}},
		"reject":           {response: QueryResponse{Rejection: &Rejection{Code: 4, Message: "x"}}},
		"another code":     {response: QueryResponse{Rejection: &Rejection{Code: 5, Message: "x"}}},
		"another text":     {response: QueryResponse{Rejection: &Rejection{Code: 4, Message: "y"}}},
		"an error code":    {response: QueryResponse{Rejection: &Rejection{Code: 4, Message: "x", ErrorCode: "IC0406"}}},
		"another err code": {response: QueryResponse{Rejection: &Rejection{Code: 4, Message: "x", ErrorCode: "IC0503"}}},
	} {
		message := string(QueryResponseMessage(q.response, q.id, q.now))
		if len(message) != 12+32 || message[:12] != "\x0bic-response" {
			t.Errorf("%s: %x", name, message)
		}
		if other, ok := seen[message]; ok {
			t.Errorf("%s and %s have the same signed bytes", name, other)
		}
		seen[message] = name
	}
}

func TestAgentGoReadsQueryResponses(t *testing.T) {
	node, _ := queryNode(t)
	var resp agent.Response
	if err := cbor.Unmarshal(EncodeQueryResponse(QueryResponse{Reply: []byte("r")}, RequestID{}, instant, node), &resp); err != nil {
		t.Fatal(err)
	}
	if resp.Status != "replied" || len(resp.Signatures) != 1 || principal.MustFromBytes(resp.Signatures[0].Identity.Raw) != stranger {
		t.Errorf("got %+v", resp)
	}
	body := EncodeQueryResponse(QueryResponse{Rejection: &Rejection{5, "m", "IC0503"}}, RequestID{}, instant, node)
	if err := cbor.Unmarshal(body, &resp); err != nil {
		t.Fatal(err)
	}
	if resp.Status != "rejected" || resp.RejectCode != 5 || resp.RejectMsg != "m" || resp.ErrorCode != "IC0503" {
		t.Errorf("got %+v", resp)
	}
}

func TestTheClientReadsWhatTheServerWrites(t *testing.T) {
	status := Status{RootKey: []byte("k"), ImplVersion: "v", ImplHash: "h", Health: "healthy", CertifiedHeight: 9}
	if got, err := DecodeStatus(EncodeStatus(status)); err != nil || !reflect.DeepEqual(got, status) {
		t.Errorf("status: %+v, %v", got, err)
	}
	if got, err := DecodeCallResponse(EncodeCallReplied([]byte("c"))); err != nil || string(got.Certificate) != "c" || got.Rejection != nil {
		t.Errorf("call: %+v, %v", got, err)
	}
	rejection := Rejection{1, "m", "IC0101"}
	for _, body := range [][]byte{EncodeNonReplicatedRejection(rejection), EncodeAsyncRejection(rejection)} {
		if got, err := DecodeCallResponse(body); err != nil || got.Rejection == nil || *got.Rejection != rejection {
			t.Errorf("rejection: %+v, %v", got, err)
		}
	}
	if got, err := DecodeReadStateResponse(EncodeReadState([]byte("c"))); err != nil || string(got) != "c" {
		t.Errorf("read_state: %q, %v", got, err)
	}
}

func TestTheClientRefusesAnswersThatSayNothing(t *testing.T) {
	empty := encodeMap()
	if _, err := DecodeCallResponse(empty); err == nil {
		t.Error("call: an empty answer is taken")
	}
	if _, _, err := DecodeQueryResponse(empty); err == nil {
		t.Error("query: an empty answer is taken")
	}
	if _, err := DecodeReadStateResponse(empty); err == nil {
		t.Error("read_state: an empty answer is taken")
	}
	if _, err := DecodeStatus([]byte{0xff}); err == nil {
		t.Error("status: a stop code is taken")
	}
	if _, err := DecodeCallResponse(encodeMap(pair{"status", text("replied")}, pair{"status", text("replied")})); err == nil {
		t.Error("call: a duplicate field is taken")
	}
}
