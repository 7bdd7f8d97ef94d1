package wire

import (
	"bytes"
	"crypto/sha256"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/certify"
	"github.com/canisterd/canisterd/internal/refusal"
)

// authority is a root subnet and a subnet it delegates to, which hosts hello, for
// canister signatures.
type authority struct {
	root, subnet *certify.SubnetKey
	kind         string // of the subnet in the delegation, empty for none
	hosted       certify.Ranges
	layout       certify.RangesLayout
	without      certify.Label // a field of the subnet, or the time, that the delegation lacks
	shown        []byte        // in place of the subnet's key
}

func newAuthority() *authority {
	return &authority{
		root:   certify.NewSubnetKey(certify.Seed{}.Derive("root", 0)),
		subnet: certify.NewSubnetKey(certify.Seed{}.Derive("subnet", 1)),
		kind:   "application",
		hosted: certify.Ranges{{Start: hello, End: hello}},
		layout: certify.ShardedRanges,
	}
}

func (a *authority) trust(t testing.TB) *Trust {
	t.Helper()
	trust, err := NewTrust(a.root.Public().DER())
	if err != nil {
		t.Fatal(err)
	}
	return trust
}

// delegation is how the root subnet vouches for the subnet.
func (a *authority) delegation() *certify.Delegation {
	var tree certify.Tree
	id := a.subnet.Public().Principal()
	tree = tree.Set(certify.Leaf(certify.Nat(instant)), "time")
	tree = tree.Set(certify.Leaf(a.subnet.Public().DER()), certify.SubnetPath(id, "public_key")...)
	if a.shown != nil {
		tree = tree.Set(certify.Leaf(a.shown), certify.SubnetPath(id, "public_key")...)
	}
	tree = tree.Set(certify.Leaf(a.hosted.Encode()), certify.SubnetPath(id, "canister_ranges")...)
	tree = tree.Set(a.hosted.Shards(1), certify.RangesPath(id)...)
	if a.kind != "" {
		tree = tree.Set(certify.Leaf([]byte(a.kind)), certify.SubnetPath(id, "type")...)
	}
	switch a.without {
	case "":
	case "time":
		tree = tree.Delete("time")
	default:
		tree = tree.Delete(certify.SubnetPath(id, a.without)...).Delete(certify.RangesPath(id)...)
	}
	return certify.NewHeight(tree, a.root).Delegate(id, a.layout)
}

// certificate is the data certificate of hello by the root subnet where key is
// its key, and else by the subnet.
func (a *authority) certificate(key *certify.SubnetKey, data []byte) []byte {
	var tree certify.Tree
	tree = tree.Set(certify.Leaf(certify.Nat(instant)), "time")
	tree = tree.Set(certify.Leaf(data), certify.CanisterPath(hello, "certified_data")...)
	var delegation *certify.Delegation
	if key == a.subnet {
		delegation = a.delegation()
	}
	return certify.NewHeight(tree, key).Certificate(delegation, certify.CanisterPath(hello, "certified_data"))
}

// signatures is the tree of a canister that signs a message for a seed, beside
// others.
func signatures(seed string, message []byte) certify.Tree {
	s, m := sha256.Sum256([]byte(seed)), sha256.Sum256(message)
	other := sha256.Sum256([]byte("other"))
	var tree certify.Tree
	tree = tree.Set(certify.Leaf([]byte{}), "sig", certify.Label(s[:]), certify.Label(m[:]))
	return tree.Set(certify.Leaf([]byte{}), "sig", certify.Label(other[:]), certify.Label(other[:]))
}

// sign is hello's signature of a message.
func (a *authority) sign(key *certify.SubnetKey, seed string, message []byte) []byte {
	tree := signatures(seed, message)
	s, root := sha256.Sum256([]byte(seed)), tree.Root()
	signed := certify.CanisterSignature{Certificate: a.certificate(key, root[:]), Tree: tree.Prune(certify.Path{"sig", certify.Label(s[:])})}
	return signed.Append(nil)
}

// identity is a user hello signs for.
func (a *authority) identity(key *certify.SubnetKey) Identity {
	return NewIdentity(canisterKey(hello, "seed"), func(message []byte) ([]byte, error) {
		return a.sign(key, "seed", message), nil
	})
}

func TestACanisterSignsForAUser(t *testing.T) {
	a := newAuthority()
	for name, key := range map[string]*certify.SubnetKey{"on the root subnet": a.root, "on a subnet": a.subnet} {
		for _, layout := range []certify.RangesLayout{certify.FlatRanges, certify.ShardedRanges} {
			a.layout = layout
			id := a.identity(key)
			claims, err := Authenticate(decodedCall(t, id), instant, a.trust(t))
			if err != nil || claims.Sender != id.Sender() {
				t.Errorf("%s: %+v, %v", name, claims, err)
			}
			session := delegate(t, id, DelegationTerms{}, DelegationTerms{Targets: targets(hello)})
			claims, err = Authenticate(decodedCall(t, session), instant, a.trust(t))
			if err != nil || claims.Sender != id.Sender() {
				t.Errorf("%s, delegated: %+v, %v", name, claims, err)
			}
		}
	}
}

func TestTheFirstTrustedRootKeyTellsWhatIsWrong(t *testing.T) {
	a, b := newAuthority(), newAuthority()
	b.root = certify.NewSubnetKey(certify.Seed{}.Derive("another root", 0))
	trust, err := NewTrust(b.root.Public().DER(), a.root.Public().DER())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Authenticate(decodedCall(t, a.identity(a.subnet)), instant, trust); err != nil {
		t.Errorf("signed under the second root key: %v", err)
	}
	a.kind = ""
	_, err = Authenticate(decodedCall(t, a.identity(a.subnet)), instant, trust)
	wantRefusal(t, err, refusal.Invalid, "failed to verify threshold signature: ")
}

func TestMainnetsRootKeyIsAKey(t *testing.T) {
	key, err := certify.ParseSubnetPublicKey(certify.MainnetRootKey())
	if err != nil || key.Principal().String() != "tdb26-jop6k-aogll-7ltgs-eruif-6kk7m-qpktf-gdiqx-mxtrf-vb5e6-eqe" {
		t.Errorf("%s, %v", key.Principal(), err)
	}
}

func TestCanisterSignaturesThatDoNotHoldAreNamed(t *testing.T) {
	const wrong = "Invalid signature: Invalid canister signature: IcCanisterSignature signature could not be verified: public key "
	const malformed = "Invalid signature: Invalid canister signature: Malformed IcCanisterSignature signature: ["
	one := certify.NewSubnetKey(certify.Seed{}.Derive("one", 0))
	for _, c := range []struct {
		name string
		sign func(a *authority, message []byte) []byte
		text []string
	}{
		{"no tag", func(a *authority, m []byte) []byte {
			return a.sign(a.root, "seed", m)[3:]
		}, []string{malformed, "error: 'signature CBOR doesn't have a self-describing tag'"}},
		{"no CBOR", func(*authority, []byte) []byte {
			return []byte("\xd9\xd9\xf7\xff")
		}, []string{malformed, "error: 'failed to parse signature CBOR: "}},
		{"a certificate that is none", func(*authority, []byte) []byte {
			return (&certify.CanisterSignature{Certificate: []byte{1}, Tree: &certify.HashTree{}}).Append(nil)
		}, []string{malformed, "error: 'malformed certificate: failed to deserialize certificate: failed to decode certificate: "}},
		{"another key's certificate", func(a *authority, m []byte) []byte {
			return a.sign(one, "seed", m)
		}, []string{wrong, "error: certificate verification failed: failed to verify threshold signature: "}},
		{"a delegation by another root", func(a *authority, m []byte) []byte {
			b := *a
			b.root = one
			return b.sign(a.subnet, "seed", m)
		}, []string{wrong, "error: certificate verification failed: failed to verify threshold signature: "}},
		{"a canister elsewhere", func(a *authority, m []byte) []byte {
			a.hosted = certify.Ranges{{Start: stranger, End: stranger}}
			return a.sign(a.subnet, "seed", m)
		}, []string{wrong, "error: certificate verification failed: canister id does not match the canister id range specified in the certificate"}},
		{"a subnet of no type", func(a *authority, m []byte) []byte {
			a.kind = ""
			return a.sign(a.subnet, "seed", m)
		}, []string{wrong, "error: certificate verification failed: canister signatures are not allowed from subnet "}},
		{"a cloud engine", func(a *authority, m []byte) []byte {
			a.kind = "cloud_engine"
			return a.sign(a.subnet, "seed", m)
		}, []string{wrong, "error: certificate verification failed: canister signatures are not allowed from subnet "}},
		{"a subnet without a key", func(a *authority, m []byte) []byte {
			a.without = "public_key"
			return a.sign(a.subnet, "seed", m)
		}, []string{malformed, "error: 'malformed certificate: hash tree in not well-formed: cannot find subnet information for subnet "}},
		{"a subnet whose key is none", func(a *authority, m []byte) []byte {
			a.shown = []byte("key")
			return a.sign(a.subnet, "seed", m)
		}, []string{malformed, "error: 'malformed certificate: failed to deserialize certificate: failed to deserialize public key: "}},
		{"a subnet without ranges", func(a *authority, m []byte) []byte {
			a.without = "canister_ranges"
			return a.sign(a.subnet, "seed", m)
		}, []string{malformed, "error: 'malformed certificate: failed to deserialize certificate: failed to unpack canister range: "}},
		{"a delegation of no time", func(a *authority, m []byte) []byte {
			a.without = "time"
			return a.sign(a.subnet, "seed", m)
		}, []string{malformed, "error: 'malformed certificate: failed to deserialize certificate: failed to unpack replica state from a labeled tree: "}},
		{"a delegation that is no certificate", func(a *authority, m []byte) []byte {
			var data certify.Tree
			data = data.Set(certify.Leaf(certify.Nat(instant)), "time")
			made := certify.NewHeight(data, a.subnet).Certificate(&certify.Delegation{Subnet: a.subnet.Public().Principal(), Certificate: []byte{1}})
			return (&certify.CanisterSignature{Certificate: made, Tree: &certify.HashTree{}}).Append(nil)
		}, []string{malformed, "error: 'malformed certificate: failed to deserialize certificate: failed to decode certificate: "}},
		{"other certified data", func(a *authority, m []byte) []byte {
			tree := signatures("seed", m)
			return (&certify.CanisterSignature{Certificate: a.certificate(a.root, []byte("data")), Tree: tree.Prune(certify.Path{})}).Append(nil)
		}, []string{wrong, "error: certificate verification failed: certified data values do not match: certificate value is 64617461, tree hash is "}},
		{"another canister's certificate", func(a *authority, m []byte) []byte {
			var tree certify.Tree
			tree = tree.Set(certify.Leaf(certify.Nat(instant)), "time").Set(certify.Leaf([]byte{}), certify.CanisterPath(stranger, "certified_data")...)
			made := certify.NewHeight(tree, a.root).Certificate(nil, certify.CanisterPath(stranger, "certified_data"))
			return (&certify.CanisterSignature{Certificate: made, Tree: &certify.HashTree{}}).Append(nil)
		}, []string{malformed, "error: 'malformed certificate: hash tree in not well-formed: cannot find certified_data for canister " + hello.String() + " in the tree'"}},
		{"another message", func(a *authority, _ []byte) []byte {
			return a.sign(a.root, "seed", []byte("another"))
		}, []string{wrong, "error: the signature tree doesn't contain sig/"}},
		{"another seed", func(a *authority, m []byte) []byte {
			return a.sign(a.root, "another seed", m)
		}, []string{wrong, "error: the signature tree doesn't contain sig/"}},
		{"a leaf that is not empty", func(a *authority, m []byte) []byte {
			s, h := sha256.Sum256([]byte("seed")), sha256.Sum256(m)
			tree := certify.Tree{}.Set(certify.Leaf([]byte("x")), "sig", certify.Label(s[:]), certify.Label(h[:]))
			root := tree.Root()
			return (&certify.CanisterSignature{Certificate: a.certificate(a.root, root[:]), Tree: tree.Prune(certify.Path{})}).Append(nil)
		}, []string{wrong, `error: The result of 'lookup_path' in the signature tree was not a leaf containing ""`}},
		{"nested delegations", func(a *authority, m []byte) []byte {
			tree := signatures("seed", m)
			root := tree.Root()
			var data certify.Tree
			data = data.Set(certify.Leaf(certify.Nat(instant)), "time").Set(certify.Leaf(root[:]), certify.CanisterPath(hello, "certified_data")...)
			d := &certify.Delegation{Subnet: a.subnet.Public().Principal(), Certificate: a.certificate(a.subnet, nil)}
			made := certify.NewHeight(data, a.subnet).Certificate(d, certify.CanisterPath(hello, "certified_data"))
			return (&certify.CanisterSignature{Certificate: made, Tree: tree.Prune(certify.Path{})}).Append(nil)
		}, []string{wrong, "error: certificate verification failed: expected certificate with a maximum of one delegations but found nested delegations in the certificate"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := newAuthority()
			id := NewIdentity(canisterKey(hello, "seed"), func(m []byte) ([]byte, error) { return c.sign(a, m), nil })
			_, err := Authenticate(decodedCall(t, id), instant, a.trust(t))
			for _, text := range c.text {
				wantRefusal(t, err, refusal.Invalid, text)
			}
		})
	}
	_, err := Authenticate(decodedCall(t, newAuthority().identity(newAuthority().root)), instant, nil)
	wantRefusal(t, err, refusal.Invalid, "no root key is trusted")
}

func TestEveryBitOfACanisterSignatureCounts(t *testing.T) {
	a := newAuthority()
	message := []byte("message")
	sig := a.sign(a.subnet, "seed", message)
	der := canisterKey(hello, "seed")
	trust := a.trust(t)
	if err := trust.verify(der, message, sig); err != nil {
		t.Fatal(err)
	}
	for i := range sig {
		bad := bytes.Clone(sig)
		bad[i] ^= 1
		if err := trust.verify(der, message, bad); err == nil {
			t.Errorf("byte %d of %d may be another", i, len(sig))
		}
	}
}

func TestAttestedInformationIsSignedByTheSendersCanister(t *testing.T) {
	a := newAuthority()
	attest := func(signer principal.Principal, info, signed string) *SenderInfo {
		return &SenderInfo{Info: []byte(info), Signer: signer, Sig: a.sign(a.subnet, "seed", []byte(domainSenderInfo+signed))}
	}
	for _, c := range []struct {
		name string
		id   Identity
		info *SenderInfo
		text string
	}{
		{"attested", a.identity(a.subnet), attest(hello, "info", "info"), ""},
		{"attested, by a session", delegate(t, a.identity(a.subnet), DelegationTerms{}), attest(hello, "info", "info"), ""},
		{"nothing attested", a.identity(a.subnet), nil, ""},
		{"something else attested", a.identity(a.subnet), attest(hello, "info", "else"), "Invalid sender info: signature verification failed: IcCanisterSignature signature could not be verified: public key "},
		{"by another", a.identity(a.subnet), attest(stranger, "info", "info"), "Invalid sender info: signer " + stranger.String() + " does not match canister ID " + hello.String() + " in sender_pubkey"},
		{"of a user with a key of his own", person(t, "alice"), attest(hello, "info", "info"), "Invalid sender info: sender_pubkey is not a valid canister signature public key: "},
		{"of an anonymous caller", Identity{}, attest(hello, "info", "info"), "Invalid sender info: sender_info requires an authenticated request with sender_pubkey"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, draft := range []*Draft{helloCall(), NewQuery(hello, "greet", nil)} {
				draft.SenderInfo = c.info
				req, err := decodeAny(draft.kind.String(), sign(t, draft, c.id).Body)
				if err != nil {
					t.Fatal(err)
				}
				claims, err := Authenticate(req, instant, a.trust(t))
				switch {
				case c.text != "":
					wantRefusal(t, err, refusal.Invalid, c.text)
				case err != nil:
					t.Error(err)
				case (claims.Info == nil) != (c.info == nil) || c.info != nil && (string(claims.Info.Info) != "info" || claims.Info.Signer != hello):
					t.Errorf("attested: %+v", claims.Info)
				}
			}
		})
	}
}

func TestWhatWasSeenToBeRightIsRemembered(t *testing.T) {
	a := newAuthority()
	trust := a.trust(t)
	message := []byte("message")
	sig := a.sign(a.subnet, "seed", message)
	check := func() error { return trust.verify(canisterKey(hello, "seed"), message, sig) }
	if err := check(); err != nil || len(trust.valid.seen) != 2 {
		t.Fatalf("%v, %d signatures remembered", err, len(trust.valid.seen))
	}
	key, root, wrong := a.root.Public().DER(), sha256.Sum256(nil), []byte("wrong")
	if err := trust.checkSubnet(key, root, wrong); err == nil || len(trust.valid.seen) != 2 {
		t.Fatalf("a wrong signature: %v, %d signatures remembered", err, len(trust.valid.seen))
	}
	trust.valid.Add(nameOf(key, root, wrong))
	if err := trust.checkSubnet(key, root, wrong); err != nil {
		t.Errorf("what is remembered is checked again: %v", err)
	}
	for i := range maxSeenSignatures {
		trust.valid.Add(sha256.Sum256([]byte{byte(i), byte(i >> 8)}))
		if n := len(trust.valid.seen) + len(trust.valid.older); n > maxSeenSignatures {
			t.Fatalf("%d are remembered", n)
		}
	}
	if err := check(); err != nil {
		t.Errorf("forgotten, and checked again: %v", err)
	}
}

func TestALongSignatureIsCutShortInTheText(t *testing.T) {
	err := noTrust.verify(canisterKey(hello, "seed"), nil, bytes.Repeat([]byte{1}, 1<<20))
	if err == nil || len(err.Error()) > 4096 || !strings.Contains(err.Error(), "(1048576 bytes)") {
		t.Errorf("%.200v", err)
	}
}
