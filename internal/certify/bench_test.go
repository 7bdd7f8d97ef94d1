package certify

import (
	"crypto/sha256"
	"encoding/binary"
	"math/big"
	"testing"

	bls "github.com/consensys/gnark-crypto/ecc/bls12-381"
	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/test/bench/ratio"
)

// Every row's floor is the part of the work that every solution needs.

// hashes makes n hashes of a fork.
func hashes(n int) func() {
	var l, r [32]byte
	return func() {
		for range n {
			l = forkHash(l, r)
		}
	}
}

// The floor is the hashes from the changed value up to the root.
func BenchmarkRatioChangeOneOf100000CanistersAndTakeTheRoot(b *testing.B) {
	tr, ids, _ := largeTree(100_000, 0)
	tr.Root()
	path := CanisterPath(ids[12345], "certified_data")
	floor := hashes(tr.Prune(path).Nesting())
	value := make([]byte, 32)
	i := 0
	ratio.Compare(b, 5, ratio.Each(func() {
		i++
		binary.LittleEndian.PutUint64(value, uint64(i))
		path[1] = LabelOf(ids[i*7919%len(ids)])
		tr = tr.Set(Leaf(append([]byte(nil), value...)), path...)
		tr.Root()
	}), ratio.Each(floor))
}

// The floor is the hashes from a new request's status up to the root.
func BenchmarkRatioAddARequestStatusTo100000AndTakeTheRoot(b *testing.B) {
	tr, _, rids := largeTree(0, 100_000)
	tr.Root()
	floor := hashes(tr.Prune(RequestStatusPath(rids[5], "status")).Nesting())
	i := uint64(0)
	ratio.Compare(b, 7, ratio.Each(func() {
		i++
		rid := sha256.Sum256(binary.LittleEndian.AppendUint64([]byte("new"), i))
		tr = tr.Set(repliedNode(), RequestStatusPath(rid)...)
		tr.Root()
	}), ratio.Each(floor))
}

// The cost of a message without a request for a proof; the floor is the hashes up to the root it saves.
func BenchmarkRatioAddARequestStatusTo100000Unhashed(b *testing.B) {
	tr, _, rids := largeTree(0, 100_000)
	tr.Root()
	floor := hashes(tr.Prune(RequestStatusPath(rids[5], "status")).Nesting())
	i := uint64(0)
	ratio.Compare(b, 2, ratio.Each(func() {
		i++
		rid := sha256.Sum256(binary.LittleEndian.AppendUint64([]byte("new"), i))
		tr = tr.Set(repliedNode(), RequestStatusPath(rid)...)
	}), ratio.Each(floor))
}

// The floor is copying the encoded witness.
func BenchmarkRatioWitnessOfARequestStatus(b *testing.B) {
	tr, _, rids := largeTree(100_000, 100_000)
	tr.Root()
	path, now := RequestStatusPath(rids[0]), TimePath()
	encoded := tr.AppendWitness(nil, path, now)
	var dst, into []byte
	i := 0
	ratio.Compare(b, 360, ratio.Each(func() {
		i++
		path[1] = Label(rids[i*7919%len(rids)][:])
		dst = tr.AppendWitness(dst[:0], path, now)
	}), ratio.Each(func() { into = append(into[:0], encoded...) }))
}

// The floor is hashing to the curve and one multiplication.
func BenchmarkRatioSignARoot(b *testing.B) {
	key := NewSubnetKey(Seed{1})
	var scalar fr.Element
	scalar.SetBytes(Seed{2}.expand("floor", 48))
	secret := scalar.BigInt(new(big.Int))
	message := rootMessage([32]byte{1})
	ratio.Compare(b, 1.5, ratio.Each(func() { key.Sign(message) }), ratio.Each(func() {
		p, _ := bls.HashToG1(message, []byte(blsSuite))
		p.ScalarMultiplication(&p, secret)
	}))
}

// The floor is the two pairings.
func BenchmarkRatioVerifyASignature(b *testing.B) {
	key := NewSubnetKey(Seed{1})
	message := rootMessage([32]byte{1})
	signature := key.Sign(message)
	_, _, g1, g2 := bls.Generators()
	public := key.Public()
	ratio.Compare(b, 1.7, ratio.Each(func() {
		if err := public.Verify(message, signature[:]); err != nil {
			b.Fatal(err)
		}
	}), ratio.Each(func() {
		_, _ = bls.PairingCheck([]bls.G1Affine{g1, g1}, []bls.G2Affine{g2, g2})
	}))
}

// The floor is the signature: what a certificate of a new height costs beside.
func BenchmarkRatioCertificateOfANewHeight(b *testing.B) {
	tr, ids, _ := largeTree(100_000, 0)
	key := NewSubnetKey(Seed{1})
	message := rootMessage(tr.Root())
	i := 0
	ratio.Compare(b, 1.9, ratio.Each(func() {
		i++
		id := ids[i*7919%len(ids)]
		tr = tr.Set(Leaf(Nat(uint64(i))), TimePath()...).Set(Leaf(Nat(uint64(i))), CanisterPath(id, "certified_data")...)
		NewHeight(tr, key).Certificate(nil, CanisterPath(id, "module_hash"))
	}), ratio.Each(func() { key.Sign(message) }))
}

// The floor is the hashes of every node of the tree.
func BenchmarkRatioBuildAndHash10000Canisters(b *testing.B) {
	metadata := Map(Entry{"candid:service", Leaf([]byte("service : {}"))})
	ratio.Compare(b, 2.1, ratio.Each(func() {
		es := make([]Entry, 10_000)
		for i := range es {
			es[i] = Entry{LabelOf(principal.Canister(uint64(i))), canisterNode(uint64(i), metadata)}
		}
		Map(es...).Hash()
	}), ratio.Each(hashes(10_000*(6*3+2))))
}
