package wire

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/internal/refusal"
	"github.com/fxamacker/cbor/v2"
)

// libraryMode is the CBOR library as strict as it can be set: the second opinion
// on what is well-formed. Our own limits are checked elsewhere.
var libraryMode = mustDecMode(cbor.DecOptions{
	DupMapKey:         cbor.DupMapKeyEnforcedAPF,
	MaxNestedLevels:   64,
	FieldNameMatching: cbor.FieldNameMatchingCaseSensitive,
	BignumTag:         cbor.BignumTagAllowed,
})

func seedBodies(f *testing.F) {
	f.Helper()
	alice := person(f, "alice")
	bob := delegate(f, alice, DelegationTerms{Targets: targets(hello, stranger), Permissions: PermitQueries}, DelegationTerms{})
	readState := NewReadState(Path{[]byte("time")}, Path{[]byte("request_status"), make([]byte, 32)})
	for _, d := range []*Draft{helloCall(), NewQuery(hello, "greet", []byte{1}), readState} {
		for _, id := range []Identity{{}, alice, bob} {
			f.Add(sign(f, d, id).Body)
		}
	}
	info := encodeMap(pair{"info", blob(nil)}, pair{"signer", blob(hello.Bytes())}, pair{"sig", blob(nil)})
	f.Add(envelopeOf(callContent(pair{"sender_info", info}, pair{"nonce", blob([]byte{1})})))
	for _, c := range badBodies {
		if len(c.body) < 4096 {
			f.Add(c.body)
		}
	}
}

// fuzzDecoder checks what holds of every body: a result or a *refusal.Refusal that is
// text, nothing kept beyond the body's size, and authentication that decides.
func fuzzDecoder[R Request](f *testing.F, decode func([]byte) (R, error)) {
	seedBodies(f)
	f.Fuzz(func(t *testing.T, body []byte) {
		before := bytes.Clone(body)
		req, err := decode(body)
		if !bytes.Equal(body, before) {
			t.Fatal("decoding changed the body")
		}
		if err != nil {
			var r *refusal.Refusal
			if !errors.As(err, &r) || r.Text == "" || r.Kind != refusal.Invalid && r.Kind != refusal.TooLarge {
				t.Fatalf("not a refusal: %#v", err)
			}
			return
		}
		var anything any
		if err := libraryMode.Unmarshal(body, &anything); err != nil {
			t.Fatalf("we take what the library does not: %v", err)
		}
		claims, err := Authenticate(req, instant, nil)
		if err == nil && claims.ID != req.envelope().ID {
			t.Fatal("the claims are of another request")
		}
		if env := req.envelope(); err == nil && env.Auth == nil && !env.Sender.IsAnonymous() {
			t.Fatalf("%s is let in without a signature", env.Sender)
		}
	})
}

func FuzzDecodeCall(f *testing.F)      { fuzzDecoder(f, DecodeCall) }
func FuzzDecodeQuery(f *testing.F)     { fuzzDecoder(f, DecodeQuery) }
func FuzzDecodeReadState(f *testing.F) { fuzzDecoder(f, DecodeReadState) }

// FuzzDocument holds the CBOR reader against the library in both directions.
func FuzzDocument(f *testing.F) {
	seedBodies(f)
	for _, s := range []string{"\xf6", "\xf8\xff", "\x9f\x01\xff", "\xbf\xff", "\x5f\x41a\xff", "\xc2\x41\x01", "\x3b\xff\xff\xff\xff\xff\xff\xff\xff"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		it, err := document(data)
		var anything any
		libErr := libraryMode.Unmarshal(data, &anything)
		if err == nil && libErr != nil {
			t.Fatalf("%x: we take it, the library says %v", data, libErr)
		}
		if err == nil {
			_, _ = hashOf(&it)
			readAgain(t, data, it)
		}
		// The library skips the self-describe tag in front of any item.
		tagged := err != nil && strings.Contains(err.Error(), "unexpected CBOR tag 55799")
		if err != nil && libErr == nil && !tagged && !ourOwnRule(anything, 0) {
			t.Fatalf("%x: the library takes it, we say %v", data, err)
		}
	})
}

// readAgain compares what the check of a document has read with the document read again, level by level.
func readAgain(t *testing.T, data []byte, it item) {
	t.Helper()
	same := func(a, b item) bool { return a.kind == b.kind && a.num == b.num && bytes.Equal(a.body, b.body) }
	again, _, err := next(bytes.TrimPrefix(data, selfDescribed))
	if err != nil || !same(it, again) {
		t.Fatalf("%x: checked as %+v, read as %+v (%v)", data, it, again, err)
	}
	outer, content, err := requestFields(data)
	if (err == nil) != (it.kind == kindMap) {
		t.Fatalf("%x: the fields of %s: %v", data, it.kind, err)
	}
	if err != nil {
		return
	}
	sameFields := func(what string, got fields, of item) {
		want, err := fieldsOf(of, what)
		if err != nil || !slices.EqualFunc(got, want, func(a, b field) bool { return bytes.Equal(a.key, b.key) && same(a.value, b.value) }) {
			t.Fatalf("%x: the fields of %s are %+v, want %+v (%v)", data, what, got, want, err)
		}
	}
	sameFields("the document", outer, it)
	if inner := outer.find("content"); inner != nil && inner.kind == kindMap {
		sameFields("its content", content, *inner)
	} else if content != nil {
		t.Fatalf("%x: there is no content, and its fields are %+v", data, content)
	}
}

// ourOwnRule reports whether what the library read has something that we refuse
// by a rule of our own: tags, keys that are not text, depth, or many fields.
func ourOwnRule(v any, depth int) bool {
	if depth > maxNesting {
		return true
	}
	switch v := v.(type) {
	case map[any]any:
		for key, value := range v {
			if _, ok := key.(string); !ok || ourOwnRule(value, depth+1) {
				return true
			}
		}
		return len(v) > maxPairs
	case []any:
		return slices.ContainsFunc(v, func(e any) bool { return ourOwnRule(e, depth+1) })
	case nil, bool, string, []byte, uint64, int64, float64, cbor.SimpleValue:
		return false
	}
	return true // tags, times, big numbers
}
