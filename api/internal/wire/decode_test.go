package wire

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/refusal"
)

func repeat(n int, element []byte) []byte {
	return append(appendArray(nil, n), bytes.Repeat(element, n)...)
}

func readStateContent(paths []byte) []byte {
	return callContent(pair{"request_type", text("read_state")}, pair{"paths", paths},
		pair{"canister_id", nil}, pair{"method_name", nil}, pair{"arg", nil})
}

func withDelegations(list []byte) []byte {
	return envelopeOf(callContent(), pair{"sender_pubkey", blob([]byte("k"))}, pair{"sender_sig", blob([]byte("s"))}, pair{"sender_delegation", list})
}

func delegationOf(changes ...pair) []byte {
	inner := changed([]pair{{"pubkey", blob([]byte("k"))}, {"expiration", nat(instant)}}, changes)
	return encodeMap(pair{"delegation", encodeMap(inner...)}, pair{"signature", blob([]byte("s"))})
}

// badBodies are bodies no decoder takes, with the text of the refusal.
var badBodies = []struct {
	name string
	kind string
	body []byte
	text string
}{
	{"empty", "call", nil, "Could not parse body as call message: Invalid CBOR encoding: the CBOR ends in the middle of a data item"},
	{"truncated", "query", envelopeOf(callContent())[:40], "Could not parse body as query message: Invalid CBOR encoding: the CBOR ends in the middle"},
	{"trailing bytes", "call", append(envelopeOf(callContent()), 0), "1 bytes after the end of the CBOR data item"},
	{"an array", "call", array(), "the envelope is an array, not a map"},
	{"duplicate field", "call", envelopeOf(callContent(), pair{"content", callContent()}), "duplicate field `content`"},
	{"duplicate field deep in an unknown field", "call", envelopeOf(callContent(), pair{"x", array(encodeMap(pair{"a", nat(1)}, pair{"a", nat(2)}))}), "duplicate field `a`"},
	{"key that is no text", "call", []byte{0xa1, 0x01, 0x02}, "a CBOR map key is a natural number, not a text"},
	{"self-describe tag inside", "call", envelopeOf(append([]byte{0xd9, 0xd9, 0xf7}, callContent()...)), "unexpected CBOR tag 55799"},
	{"another tag", "call", append([]byte{0xc0}, text("2020")...), "unexpected CBOR tag 0"},
	{"tagged deeper and deeper", "call", bytes.Repeat([]byte{0xc2}, 1<<20), "a CBOR bignum that is not a blob"},
	{"nested deeper and deeper", "call", bytes.Repeat([]byte{0x81}, 1<<20), "CBOR nested more than 12 deep"},
	{"nested without lengths", "call", bytes.Repeat([]byte{0x9f}, 1<<20), "CBOR nested more than 12 deep"},
	{"bignum of nested arrays", "call", append([]byte{0xc2}, bytes.Repeat([]byte{0x81}, 1<<20)...), "a CBOR bignum that is not a blob"},
	{"array of 2^62", "call", []byte{0x9b, 0x40, 0, 0, 0, 0, 0, 0, 0}, "the CBOR ends in the middle"},
	{"blob of 2^62", "call", []byte{0x5b, 0x40, 0, 0, 0, 0, 0, 0, 0}, "the CBOR ends in the middle"},
	{"more items than any request", "call", envelopeOf(callContent(), pair{"x", repeat(maxItems, nat(0))}), "more than 262144 CBOR data items"},
	{"text that is not UTF-8", "call", envelopeOf(callContent(pair{"method_name", text("\xff")})), "a CBOR text is not UTF-8"},
	{"other case", "call", envelopeOf(callContent(pair{"arg", nil}, pair{"Arg", blob(nil)})), "missing field `arg`"},
	{"no content", "call", envelopeOf([]byte{0xf6}), "missing field `content`"},
	{"null argument", "call", envelopeOf(callContent(pair{"arg", []byte{0xf6}})), "missing field `arg`"},
	{"text for a blob", "call", envelopeOf(callContent(pair{"arg", text("x")})), "field `arg` is a text, not a blob"},
	{"floating point expiry", "call", envelopeOf(callContent(pair{"ingress_expiry", []byte{0xf9, 0x3c, 0}})), "field `ingress_expiry`: a simple value or floating point number has no"},
	{"negative expiry", "call", envelopeOf(callContent(pair{"ingress_expiry", []byte{0x20}})), "field `ingress_expiry` is a negative number"},
	{"expiry of 65 bits", "call", envelopeOf(callContent(pair{"ingress_expiry", append([]byte{0xc2}, blob(bytes.Repeat([]byte{1}, 9))...)})), "a natural number of more than 64 bits"},
	{"sender of 30 bytes", "call", envelopeOf(callContent(pair{"sender", blob(make([]byte, 30))})), "field `sender`: a principal has at most 29 bytes, got 30"},
	{"wrong endpoint", "query", envelopeOf(callContent()), "field `request_type` is \"call\", but this endpoint takes \"query\""},
	{"nonce of 33 bytes", "call", envelopeOf(callContent(pair{"nonce", blob(make([]byte, 33))})), "Nonce in request is too big: got 33 bytes, but at most 32 are allowed."},
	{"1,001 paths", "read_state", envelopeOf(readStateContent(repeat(1001, array()))), "Too many paths in read state request: got 1001 paths, but at most 1000 are allowed."},
	{"128 labels", "read_state", envelopeOf(readStateContent(array(repeat(128, blob(nil))))), "At least one path in read state request is too deep: got 128 labels, but at most 127 are allowed."},
	{"a label that is text", "read_state", envelopeOf(readStateContent(array(array(text("time"))))), "a label in field `paths` is a text, not a blob"},
	{"a path that is a blob", "read_state", envelopeOf(readStateContent(array(blob(nil)))), "a path in field `paths` is a blob, not an array"},
	{"21 delegations", "call", withDelegations(repeat(21, delegationOf())), "Invalid delegation: Chain of delegations is too long: got 21 delegations, but at most 20 are allowed."},
	{"1,001 targets", "call", withDelegations(array(delegationOf(pair{"targets", repeat(1001, blob(nil))}))), "Invalid delegation: Delegation target error: expected at most 1000 targets per delegation, but got 1001"},
	{"a target of 30 bytes", "call", withDelegations(array(delegationOf(pair{"targets", array(blob(make([]byte, 30)))}))), "Invalid delegation: Delegation target error: Error parsing canister ID: "},
	{"a delegation without key", "call", withDelegations(array(delegationOf(pair{"pubkey", nil}))), "delegation: missing field `pubkey`"},
	{"empty permissions", "call", withDelegations(array(delegationOf(pair{"permissions", text("")}))), "Invalid delegation: Delegation permissions error: got \"\", but only \"queries\" and \"all\" are known"},
	{"key without signature", "call", envelopeOf(callContent(), pair{"sender_pubkey", blob(nil)}), "missing pubkey or signature: sender_pubkey is present, sender_sig is absent"},
	{"delegations alone", "call", envelopeOf(callContent(), pair{"sender_delegation", array()}), "missing pubkey or signature: "},
	{"sender_info without signer", "call", envelopeOf(callContent(pair{"sender_info", encodeMap(pair{"info", blob(nil)}, pair{"sig", blob(nil)})})), "sender_info: missing field `signer`"},
}

func TestBadBodiesAreRefusedByName(t *testing.T) {
	for _, c := range badBodies {
		t.Run(c.name, func(t *testing.T) {
			_, err := decodeAny(c.kind, c.body)
			wantRefusal(t, err, refusal.Invalid, c.text)
		})
	}
}

func TestABodyOverTheLimitIsTooLarge(t *testing.T) {
	_, err := DecodeCall(make([]byte, MaxBodyBytes+1))
	wantRefusal(t, err, refusal.TooLarge, "The request body has 5242881 bytes, but at most 5242880 are allowed.")
}

func wantRefusal(t *testing.T, err error, kind refusal.Kind, text string) {
	t.Helper()
	var r *refusal.Refusal
	if !errors.As(err, &r) {
		t.Fatalf("got %v, want a refusal with %q", err, text)
	}
	if r.Kind != kind || !strings.Contains(r.Text, text) {
		t.Errorf("got %s: %s\nwant %s: …%s…", r.Kind, r.Text, kind, text)
	}
}

func TestRequestsAtTheLimitsAreTaken(t *testing.T) {
	label := blob([]byte("label"))
	rs, err := DecodeReadState(envelopeOf(readStateContent(repeat(MaxPaths, repeat(MaxLabelsPerPath, label)))))
	if err != nil {
		t.Fatal(err)
	}
	if len(rs.Paths) != MaxPaths || len(rs.Paths[999]) != MaxLabelsPerPath || string(rs.Paths[999][126]) != "label" {
		t.Errorf("read %d paths", len(rs.Paths))
	}
	targets := appendArray(nil, MaxTargetsPerDelegation)
	for i := range uint64(MaxTargetsPerDelegation) {
		targets = appendBlob(targets, principal.Canister(i).Bytes())
	}
	call, err := DecodeCall(withDelegations(repeat(MaxDelegations, delegationOf(pair{"targets", targets}))))
	if err != nil {
		t.Fatal(err)
	}
	if len(call.Auth.Delegations) != MaxDelegations || len(call.Auth.Delegations[19].Targets) != MaxTargetsPerDelegation {
		t.Errorf("read %d delegations", len(call.Auth.Delegations))
	}
}

func TestSenderInfoIsRead(t *testing.T) {
	info := encodeMap(pair{"info", blob([]byte("i"))}, pair{"signer", blob(hello.Bytes())}, pair{"sig", blob([]byte("s"))})
	call, err := DecodeCall(envelopeOf(callContent(pair{"sender_info", info})))
	if err != nil {
		t.Fatal(err)
	}
	if s := call.SenderInfo; s == nil || string(s.Info) != "i" || s.Signer != hello || string(s.Sig) != "s" {
		t.Errorf("got %+v", call.SenderInfo)
	}
}
