package certify

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/aviate-labs/agent-go/certification"
	"github.com/aviate-labs/agent-go/certification/bls"
	"github.com/aviate-labs/agent-go/certification/hashtree"
	agentprincipal "github.com/aviate-labs/agent-go/principal"
	bls12381 "github.com/consensys/gnark-crypto/ecc/bls12-381"
	"github.com/fxamacker/cbor/v2"

	"github.com/canisterd/canisterd/candid/principal"
)

// agent-go's verification is the oracle of this file: it is not ours.

func agentID(p principal.Principal) agentprincipal.Principal {
	return agentprincipal.Principal{Raw: p.Bytes()}
}

func agentLabels(p Path) []hashtree.Label {
	out := make([]hashtree.Label, len(p))
	for i, l := range p {
		out[i] = hashtree.Label(l)
	}
	return out
}

func TestAgentGoVerifiesOurCertificates(t *testing.T) {
	n := newNetwork()
	for name, c := range map[string]struct {
		encoded  []byte
		canister principal.Principal
		subnet   principal.Principal
	}{
		"root":    {n.rootAt.Certificate(nil, CanisterPath(n.rootCanister)), n.rootCanister, n.rootID},
		"flat":    {n.otherAt.Certificate(n.rootAt.Delegate(n.otherID, FlatRanges), CanisterPath(n.canister)), n.canister, n.otherID},
		"sharded": {n.otherAt.Certificate(n.rootAt.Delegate(n.otherID, ShardedRanges), CanisterPath(n.canister)), n.canister, n.otherID},
	} {
		var certificate certification.Certificate
		if err := cbor.Unmarshal(c.encoded, &certificate); err != nil {
			t.Fatalf("%s: agent-go does not read it: %v", name, err)
		}
		rootKey := n.root.Public().DER()
		if err := certification.VerifyCertificate(certificate, agentID(c.canister), rootKey); err != nil {
			t.Errorf("%s: agent-go refuses it for the canister: %v", name, err)
		}
		if err := certification.VerifySubnetCertificate(certificate, agentID(c.subnet), rootKey); err != nil {
			t.Errorf("%s: agent-go refuses it for the subnet: %v", name, err)
		}
		if name != "root" && certification.VerifyCertificate(certificate, agentID(n.strange), rootKey) == nil {
			t.Errorf("%s: agent-go accepts it for a strange canister", name)
		}
		value, err := certificate.Tree.Lookup(agentLabels(CanisterPath(c.canister, "module_hash"))...)
		if err != nil || len(value) != 2 {
			t.Errorf("%s: agent-go finds module hash %x, %v", name, value, err)
		}
	}
}

func TestAgentGoAcceptsOurSignaturesAndWeItsOwn(t *testing.T) {
	message := []byte("a message")
	ours := NewSubnetKey(Seed{7})
	signature := ours.Sign(message)
	key, err := certification.PublicBLSKeyFromDER(ours.Public().DER())
	if err != nil {
		t.Fatal(err)
	}
	theirs, err := bls.SignatureFromBytes(signature[:])
	if err != nil || !theirs.Verify(key, message) {
		t.Errorf("agent-go refuses our signature: %v", err)
	}

	secret := bls.NewSecretKeyByCSPRNG()
	point := bls12381.G2Affine(*secret.PublicKey())
	raw := point.Bytes()
	der, err := certification.PublicBLSKeyToDER(raw[:])
	if err != nil {
		t.Fatal(err)
	}
	public, err := ParseSubnetPublicKey(der)
	if err != nil {
		t.Fatal(err)
	}
	made, err := secret.Sign(message)
	if err != nil {
		t.Fatal(err)
	}
	madePoint := bls12381.G1Affine(*made)
	madeRaw := madePoint.Bytes()
	if err := public.Verify(message, madeRaw[:]); err != nil {
		t.Errorf("we refuse agent-go's signature: %v", err)
	}
}

func TestAgentGoReadsCertificatesOfALargeSubnet(t *testing.T) {
	tr, canisters, requests := largeTree(100_000, 600_000)
	h := NewHeight(tr, NewSubnetKey(Seed{3}))
	deepest := 0
	for i := range 2000 {
		for _, path := range []Path{
			MetadataPath(canisters[i*49%len(canisters)], "candid:service"),
			RequestStatusPath(requests[i*299%len(requests)]),
		} {
			encoded := tr.AppendWitness(nil, path, TimePath())
			deepest = max(deepest, decodeTree(t, encoded).Nesting())
		}
	}
	if tr.Nesting()+1 > MaxNesting {
		t.Errorf("the deepest value nests %d levels with the certificate's own; agents read %d", tr.Nesting()+1, MaxNesting)
	}
	var certificate certification.Certificate
	encoded := h.Certificate(nil, MetadataPath(canisters[77], "candid:service"), RequestStatusPath(requests[99]))
	if err := cbor.Unmarshal(encoded, &certificate); err != nil {
		t.Fatal(err)
	}
	if root := h.Root(); certificate.Tree.Digest() != root {
		t.Errorf("agent-go computes root %x, want %x", certificate.Tree.Digest(), root)
	}
	t.Logf("sampled witnesses nest up to %d levels, the tree %d, a certificate of two paths has %d bytes", deepest, tr.Nesting(), len(encoded))
}

func TestAgentGoAgreesOnWitnessesAndTheirLookups(t *testing.T) {
	tr := exampleData()
	for i := range 500 {
		tr = tr.Set(Leaf(fmt.Append(nil, i)), "canister", Label(fmt.Sprint(i)), "f")
	}
	encoded := tr.AppendWitness(nil, Path{"canister", "17"}, Path{"canister", "1x"}, Path{"ax"})
	node, err := hashtree.Deserialize(encoded)
	if err != nil {
		t.Fatal(err)
	}
	if node.Reconstruct() != tr.Root() {
		t.Error("agent-go computes another root")
	}
	if value, err := hashtree.Lookup(node, agentLabels(Path{"canister", "17", "f"})...); err != nil || !bytes.Equal(value, []byte("17")) {
		t.Errorf("agent-go finds %q, %v", value, err)
	}
	for _, absent := range []Path{{"ax"}, {"canister", "1x"}} {
		_, err := hashtree.Lookup(node, agentLabels(absent)...)
		if lookup, ok := err.(hashtree.LookupError); !ok || lookup.Type != hashtree.LookupResultAbsent {
			t.Errorf("agent-go on absent %s: %v", absent, err)
		}
	}
}
