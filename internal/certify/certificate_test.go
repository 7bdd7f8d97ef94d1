package certify

import (
	"strings"
	"testing"

	"github.com/canisterd/canisterd/candid/principal"
)

// network is a root subnet and a second one it delegates to.
type network struct {
	root, other   *SubnetKey
	rootID        principal.Principal
	otherID       principal.Principal
	rootAt        *SignedState
	otherAt       *SignedState
	request       [32]byte
	canister      principal.Principal // on other
	strange       principal.Principal // on neither
	rootCanister  principal.Principal
	otherMetadata []byte
}

func newNetwork() *network {
	n := &network{
		root: NewSubnetKey(Seed{1}), other: NewSubnetKey(Seed{2}),
		request: [32]byte{9}, rootCanister: principal.Canister(5), canister: principal.Canister(0x100005), strange: principal.Canister(0x500000),
		otherMetadata: []byte("service : {}"),
	}
	n.rootID, n.otherID = n.root.Public().Principal(), n.other.Public().Principal()
	rootRanges := Ranges{{principal.Canister(0), principal.Canister(0xfffff)}}
	otherRanges := Ranges{
		{principal.Canister(0x100000), principal.Canister(0x1fffff)},
		{principal.Canister(0x300000), principal.Canister(0x3fffff)},
		{principal.Canister(0x700000), principal.Canister(0x7fffff)},
	}
	both := Tree{}
	for _, s := range []struct {
		key    *SubnetKey
		ranges Ranges
	}{{n.root, rootRanges}, {n.other, otherRanges}} {
		id := s.key.Public().Principal()
		both = both.Set(Leaf(s.key.Public().DER()), SubnetPath(id, "public_key")...).
			Set(Leaf(s.ranges.Encode()), SubnetPath(id, "canister_ranges")...).
			Set(s.ranges.Shards(2), RangesPath(id)...)
	}
	both = both.Set(Leaf(Nat(1_700_000_000_000_000_000)), TimePath()...)
	n.rootAt = NewHeight(both.Set(Leaf([]byte{1, 2}), CanisterPath(n.rootCanister, "module_hash")...), n.root)
	n.otherAt = NewHeight(both.
		Set(Leaf([]byte{3, 4}), CanisterPath(n.canister, "module_hash")...).
		Set(Leaf(n.otherMetadata), MetadataPath(n.canister, "candid:service")...).
		Set(Map(Entry{"status", Leaf([]byte("replied"))}, Entry{"reply", Leaf([]byte("DIDL"))}), RequestStatusPath(n.request)...), n.other)
	return n
}

func decodeCertificate(t testing.TB, encoded []byte) *Certificate {
	t.Helper()
	c, err := DecodeCertificate(encoded)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestCertificatesOfBothSubnetsVerifyForTheirCanisters(t *testing.T) {
	n := newNetwork()
	rootKey := n.root.Public()
	c := decodeCertificate(t, n.rootAt.Certificate(nil, CanisterPath(n.rootCanister)))
	if err := c.VerifyForCanister(rootKey, n.rootCanister); err != nil {
		t.Error(err)
	}
	if err := c.VerifyForSubnet(rootKey, n.rootID); err != nil {
		t.Error(err)
	}
	for _, layout := range []RangesLayout{FlatRanges, ShardedRanges} {
		c := decodeCertificate(t, n.otherAt.Certificate(n.rootAt.Delegate(n.otherID, layout), RequestStatusPath(n.request)))
		if err := c.VerifyForCanister(rootKey, n.canister); err != nil {
			t.Errorf("layout %d: %v", layout, err)
		}
		if err := c.VerifyForSubnet(rootKey, n.otherID); err != nil {
			t.Errorf("layout %d: %v", layout, err)
		}
		if value, status := c.Tree.Lookup(RequestStatusPath(n.request, "reply")...); status != Found || string(value) != "DIDL" {
			t.Errorf("reply is %s %q", status, value)
		}
		if at, err := c.Time(); err != nil || at != 1_700_000_000_000_000_000 {
			t.Errorf("time %d, %v", at, err)
		}
	}
}

func TestCertificatesThatDoNotHoldAreRefusedWithTheReason(t *testing.T) {
	n := newNetwork()
	rootKey := n.root.Public()
	path := CanisterPath(n.canister)
	good := n.rootAt.Delegate(n.otherID, ShardedRanges)
	encoded := n.otherAt.Certificate(good, path)
	nested := &Delegation{n.otherID, n.rootAt.Certificate(nil)}
	nested.Certificate = (&Certificate{decodeCertificate(t, good.Certificate).Tree, make([]byte, SignatureLen), nested}).Append(nil)
	forged := *decodeCertificate(t, encoded)
	forged.Tree = n.otherAt.Tree().Set(Leaf([]byte{6}), CanisterPath(n.canister, "module_hash")...).Prune(path)
	for _, c := range []struct {
		name string
		err  error
		want string
	}{
		{"out of range", decodeCertificate(t, encoded).VerifyForCanister(rootKey, n.strange), "in none of its 3 ranges"},
		{"of the root", decodeCertificate(t, encoded).VerifyForCanister(rootKey, n.rootCanister), "in none of its 3 ranges"},
		{"another subnet", decodeCertificate(t, encoded).VerifyForSubnet(rootKey, n.rootID), "not to"},
		{"not the root subnet", decodeCertificate(t, n.otherAt.Certificate(nil, path)).VerifyForSubnet(rootKey, n.otherID), "is not the root subnet"},
		{"no delegation", decodeCertificate(t, n.otherAt.Certificate(nil, path)).VerifyForCanister(rootKey, n.canister), "does not match"},
		{"wrong root", decodeCertificate(t, encoded).VerifyForCanister(n.other.Public(), n.canister), "does not match"},
		{"forged tree", forged.VerifyForCanister(rootKey, n.canister), "does not match"},
		{"nested delegation", decodeCertificate(t, n.otherAt.Certificate(nested, path)).VerifyForCanister(rootKey, n.canister), "only one is allowed"},
		{"delegation without ranges", decodeCertificate(t, n.otherAt.Certificate(&Delegation{n.otherID, n.rootAt.Certificate(nil, SubnetPath(n.otherID, "public_key"))}, path)).VerifyForCanister(rootKey, n.canister), "shows neither"},
		{"delegation without key", decodeCertificate(t, n.otherAt.Certificate(&Delegation{n.otherID, n.rootAt.Certificate(nil, RangesPath(n.otherID))}, path)).VerifyForCanister(rootKey, n.canister), "public_key: Unknown"},
		{"no signature", (&Certificate{Tree: forged.Tree}).VerifyForCanister(rootKey, n.canister), "has 48 bytes"},
	} {
		if c.err == nil || !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("%s: %v, want %q in it", c.name, c.err, c.want)
		}
	}
}

func TestBytesThatAreNotACertificateAreRefused(t *testing.T) {
	for name, encoded := range map[string]string{
		"nothing":             "",
		"only the tag":        "d9d9f7",
		"an empty map":        "d9d9f7a0",
		"no signature":        "a16474726565" + "8100",
		"a field twice":       "a26474726565" + "8100" + "6474726565" + "8100",
		"an unknown field":    "a163616263" + "00",
		"signature not bytes": "a26474726565" + "8100" + "697369676e6174757265" + "01",
		"something after it":  "a26474726565" + "8100" + "697369676e6174757265" + "40" + "00",
		"a long subnet id":    "a36474726565" + "8100" + "697369676e6174757265" + "40" + "6a64656c65676174696f6e" + "a2697375626e65745f6964" + "581e" + strings.Repeat("00", 30) + "6b6365727469666963617465" + "40",
	} {
		if c, err := DecodeCertificate(unhex(t, encoded)); err == nil {
			t.Errorf("%s: accepted as %+v", name, c)
		}
	}
	if _, err := DecodeCertificate(make([]byte, MaxCertificateBytes+1)); err == nil {
		t.Error("an oversized certificate was read")
	}
}

func TestACertificateReadsBackAsItWasWritten(t *testing.T) {
	n := newNetwork()
	encoded := n.otherAt.Certificate(n.rootAt.Delegate(n.otherID, FlatRanges), CanisterPath(n.canister))
	if again := decodeCertificate(t, encoded).Append(nil); string(again) != string(encoded) {
		t.Errorf("wrote %x, read and wrote %x", encoded, again)
	}
}

func FuzzDecodeCertificate(f *testing.F) {
	n := newNetwork()
	f.Add(n.rootAt.Certificate(nil, CanisterPath(n.rootCanister)))
	f.Add(n.otherAt.Certificate(n.rootAt.Delegate(n.otherID, ShardedRanges), CanisterPath(n.canister)))
	f.Fuzz(func(t *testing.T, encoded []byte) {
		c, err := DecodeCertificate(encoded)
		if err != nil {
			return
		}
		if _, err := DecodeCertificate(c.Append(nil)); err != nil {
			t.Fatalf("does not read what it wrote: %v", err)
		}
	})
}
