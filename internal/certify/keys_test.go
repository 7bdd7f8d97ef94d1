package certify

import (
	"bytes"
	"encoding/hex"
	"math/big"
	"testing"

	bls "github.com/consensys/gnark-crypto/ecc/bls12-381"

	"github.com/canisterd/canisterd/candid/principal"
)

func TestKeysAreAFunctionOfTheSeedAndOfNothingElse(t *testing.T) {
	a, b, c := NewSubnetKey(Seed{1}), NewSubnetKey(Seed{1}), NewSubnetKey(Seed{2})
	if !bytes.Equal(a.Public().DER(), b.Public().DER()) || bytes.Equal(a.Public().DER(), c.Public().DER()) {
		t.Error("subnet keys do not follow their seeds")
	}
	x, y, z := NewNodeKey(Seed{1}), NewNodeKey(Seed{1}), NewNodeKey(Seed{2})
	if !bytes.Equal(x.DER(), y.DER()) || bytes.Equal(x.DER(), z.DER()) {
		t.Error("node keys do not follow their seeds")
	}
	seeds := map[Seed]bool{{1}: true}
	for _, purpose := range []string{"subnet", "node", "1/subnet"} {
		for i := range uint64(3) {
			seeds[Seed{1}.Derive(purpose, i)] = true
		}
	}
	if len(seeds) != 10 {
		t.Errorf("ten different seeds expected, got %d", len(seeds))
	}
}

// The keys of existing instances must not change: their canisters' agents
// trust them.
func TestTheKeysOfASeedStayTheSameForEver(t *testing.T) {
	const (
		wantSubnet = "308182301d060d2b0601040182dc7c0503010201060c2b0601040182dc7c05030201036100" +
			"aabd28fced13bbe6cc7369ad708fc1d0a78e6eb494c142e3067779fd75f235b005aed7c4cd438f3ad9212bc01e1cb708" +
			"0943278b1ec09089b0395ed4cffba5e39643e63429d8a17577349a3dc70cd5fb8778083e99d443d20092987188922909"
		wantNode = "302a300506032b657003210034678f47c46a3e39590b0f3480441f0da79a6e98fbc94313b95cf27087f310ba"
	)
	if got := hex.EncodeToString(NewSubnetKey(Seed{1, 2, 3}).Public().DER()); got != wantSubnet {
		t.Errorf("subnet key %s, want %s", got, wantSubnet)
	}
	if got := hex.EncodeToString(NewNodeKey(Seed{1, 2, 3}).DER()); got != wantNode {
		t.Errorf("node key %s, want %s", got, wantNode)
	}
}

func TestPublicKeysInDERHaveTheirLengthsAndNameTheirOwners(t *testing.T) {
	subnet := NewSubnetKey(Seed{4}).Public()
	if n := len(subnet.DER()); n != 133 {
		t.Errorf("a subnet key has %d bytes, want 133", n)
	}
	if subnet.Principal() != principal.SelfAuthenticating(subnet.DER()) {
		t.Error("the subnet's id is not that of its key")
	}
	again, err := ParseSubnetPublicKey(subnet.DER())
	if err != nil || !bytes.Equal(again.DER(), subnet.DER()) {
		t.Errorf("reads back as %x, %v", again.DER(), err)
	}
	node := NewNodeKey(Seed{4})
	if n := len(node.DER()); n != 44 {
		t.Errorf("a node key has %d bytes, want 44", n)
	}
	if node.Principal() != principal.SelfAuthenticating(node.DER()) {
		t.Error("the node's id is not that of its key")
	}
}

func TestInvalidSubnetPublicKeysAreRefused(t *testing.T) {
	good := NewSubnetKey(Seed{4}).Public().DER()
	var infinity bls.G2Affine
	atInfinity := infinity.Bytes()
	for name, der := range map[string][]byte{
		"nothing":               nil,
		"a node key":            NewNodeKey(Seed{4}).DER(),
		"one byte less":         good[:len(good)-1],
		"one byte more":         append(bytes.Clone(good), 0),
		"another algorithm":     append([]byte{0x31}, good[1:]...),
		"off the curve":         append(bytes.Clone(good[:len(good)-1]), good[len(good)-1]^1),
		"the point at infinity": append([]byte(blsDERPrefix), atInfinity[:]...),
		"outside the subgroup":  append([]byte(blsDERPrefix), outsideTheGroup()...),
	} {
		if _, err := ParseSubnetPublicKey(der); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

// outsideTheGroup is a point of the curve of G2 that is not in G2.
func outsideTheGroup() []byte {
	for x := int64(1); ; x++ {
		var raw [96]byte
		big.NewInt(x).FillBytes(raw[48:])
		raw[0] |= 0x80
		var p bls.G2Affine
		dec := bls.NewDecoder(bytes.NewReader(raw[:]), bls.NoSubgroupChecks())
		if dec.Decode(&p) == nil && !p.IsInSubGroup() {
			return raw[:]
		}
	}
}

func TestASignatureHoldsForItsKeyAndMessageOnly(t *testing.T) {
	key, other := NewSubnetKey(Seed{1}), NewSubnetKey(Seed{2})
	signature := key.Sign([]byte("m"))
	if err := key.Public().Verify([]byte("m"), signature[:]); err != nil {
		t.Error(err)
	}
	flipped := signature
	flipped[20] ^= 1
	infinity := append([]byte{0xc0}, make([]byte, 47)...)
	for name, err := range map[string]error{
		"another message": key.Public().Verify([]byte("n"), signature[:]),
		"another key":     other.Public().Verify([]byte("m"), signature[:]),
		"a flipped bit":   key.Public().Verify([]byte("m"), flipped[:]),
		"a short one":     key.Public().Verify([]byte("m"), signature[:47]),
		"infinity":        key.Public().Verify([]byte("m"), infinity),
		"the zero key":    SubnetPublicKey{}.Verify([]byte("m"), infinity),
		"an empty one":    key.Public().Verify([]byte("m"), nil),
	} {
		if err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	node := NewNodeKey(Seed{1})
	made := node.Sign([]byte("m"))
	if err := VerifyNodeSignature(node.DER(), []byte("m"), made); err != nil {
		t.Error(err)
	}
	if VerifyNodeSignature(node.DER(), []byte("n"), made) == nil || VerifyNodeSignature(key.Public().DER(), []byte("m"), made) == nil {
		t.Error("a node signature holds for another message or key")
	}
}
