package certify

import (
	"crypto/sha256"
	"encoding/binary"
	"math/big"
	"testing"
	"time"

	bls "github.com/consensys/gnark-crypto/ecc/bls12-381"
	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"

	"github.com/canisterd/canisterd/candid/principal"
)

// Every benchmark reports how many times its floor it takes; the floor is
// measured in the same run and is the part of the work nobody can leave out.

func perRun(runs int, f func()) float64 {
	start := time.Now()
	for range runs {
		f()
	}
	return float64(time.Since(start).Nanoseconds()) / float64(runs)
}

func reportRatio(b *testing.B, floor float64) {
	own := float64(b.Elapsed().Nanoseconds()) / float64(b.N)
	b.ReportMetric(own/floor, "x-floor")
	b.ReportMetric(floor, "floor-ns")
}

// hashes is the time of n hashes of a fork.
func hashes(n int) float64 {
	var l, r [32]byte
	return float64(n) * perRun(20_000, func() { l = forkHash(l, r) })
}

// The floor is the hashes from the changed value up to the root.
func BenchmarkChangeOneOf100000CanistersAndTakeTheRoot(b *testing.B) {
	tr, ids, _ := largeTree(100_000, 0)
	tr.Root()
	path := CanisterPath(ids[12345], "certified_data")
	floor := hashes(tr.Prune(path).Nesting())
	value := make([]byte, 32)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		binary.LittleEndian.PutUint64(value, uint64(i))
		path[1] = LabelOf(ids[i*7919%len(ids)])
		tr = tr.Set(Leaf(append([]byte(nil), value...)), path...)
		tr.Root()
	}
	reportRatio(b, floor)
}

// The floor is the hashes from a new request's status up to the root.
func BenchmarkAddARequestStatusTo100000AndTakeTheRoot(b *testing.B) {
	tr, _, rids := largeTree(0, 100_000)
	tr.Root()
	floor := hashes(tr.Prune(RequestStatusPath(rids[5], "status")).Nesting())
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		rid := sha256.Sum256(binary.LittleEndian.AppendUint64([]byte("new"), uint64(i)))
		tr = tr.Set(repliedNode(), RequestStatusPath(rid)...)
		tr.Root()
	}
	reportRatio(b, floor)
}

// The floor is the same update without a root: there is none, it is for the
// table. What it shows is what a message pays when nobody asks for a proof.
func BenchmarkAddARequestStatusTo100000Unhashed(b *testing.B) {
	tr, _, _ := largeTree(0, 100_000)
	tr.Root()
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		rid := sha256.Sum256(binary.LittleEndian.AppendUint64([]byte("new"), uint64(i)))
		tr = tr.Set(repliedNode(), RequestStatusPath(rid)...)
	}
}

// The floor is copying the encoded witness.
func BenchmarkWitnessOfARequestStatus(b *testing.B) {
	tr, _, rids := largeTree(100_000, 100_000)
	tr.Root()
	var dst []byte
	path, now := RequestStatusPath(rids[0]), TimePath()
	encoded := tr.AppendWitness(nil, path, now)
	var into []byte
	floor := perRun(100_000, func() { into = append(into[:0], encoded...) })
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		path[1] = Label(rids[i*7919%len(rids)][:])
		dst = tr.AppendWitness(dst[:0], path, now)
	}
	b.ReportMetric(float64(len(dst)), "bytes")
	reportRatio(b, floor)
}

// The floor is hashing to the curve and one multiplication.
func BenchmarkSignARoot(b *testing.B) {
	key := NewSubnetKey(Seed{1})
	var scalar fr.Element
	scalar.SetBytes(Seed{2}.expand("floor", 48))
	secret := scalar.BigInt(new(big.Int))
	message := rootMessage([32]byte{1})
	floor := perRun(1000, func() {
		p, _ := bls.HashToG1(message, []byte(blsSuite))
		p.ScalarMultiplication(&p, secret)
	})
	for b.Loop() {
		key.Sign(message)
	}
	reportRatio(b, floor)
}

// The floor is the two pairings.
func BenchmarkVerifyASignature(b *testing.B) {
	key := NewSubnetKey(Seed{1})
	message := rootMessage([32]byte{1})
	signature := key.Sign(message)
	_, _, g1, g2 := bls.Generators()
	floor := perRun(100, func() {
		_, _ = bls.PairingCheck([]bls.G1Affine{g1, g1}, []bls.G2Affine{g2, g2})
	})
	public := key.Public()
	for b.Loop() {
		if err := public.Verify(message, signature[:]); err != nil {
			b.Fatal(err)
		}
	}
	reportRatio(b, floor)
}

// The floor is the signature: what a certificate of a new height costs beside.
func BenchmarkCertificateOfANewHeight(b *testing.B) {
	tr, ids, _ := largeTree(100_000, 0)
	key := NewSubnetKey(Seed{1})
	tr.Root()
	message := rootMessage(tr.Root())
	floor := perRun(300, func() { key.Sign(message) })
	for i := 0; b.Loop(); i++ {
		id := ids[i*7919%len(ids)]
		tr = tr.Set(Leaf(Nat(uint64(i))), TimePath()...).Set(Leaf(Nat(uint64(i))), CanisterPath(id, "certified_data")...)
		NewHeight(tr, key).Certificate(nil, CanisterPath(id, "module_hash"))
	}
	reportRatio(b, floor)
}

// The floor is the Ed25519 signature.
func BenchmarkSignAQueryResponse(b *testing.B) {
	key := NewNodeKey(Seed{1})
	q := QueryResponse{Reply: make([]byte, 100), Time: 1_700_000_000_000_000_000}
	message := q.SignedBytes()
	floor := perRun(1000, func() { key.Sign(message) })
	b.ReportAllocs()
	for b.Loop() {
		key.Sign(q.SignedBytes())
	}
	reportRatio(b, floor)
}

// The floor is the hashes of every node of the tree.
func BenchmarkBuildAndHash100000Canisters(b *testing.B) {
	metadata := Map(Entry{"candid:service", Leaf([]byte("service : {}"))})
	floor := hashes(100_000 * (6*3 + 2))
	for b.Loop() {
		es := make([]Entry, 100_000)
		for i := range es {
			es[i] = Entry{LabelOf(principal.Canister(uint64(i))), canisterNode(uint64(i), metadata)}
		}
		Map(es...).Hash()
	}
	reportRatio(b, floor)
}
