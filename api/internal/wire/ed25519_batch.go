package wire

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha512"
	"runtime"
	"sync"

	"filippo.io/edwards25519"
)

// ed25519Batches checks signatures of concurrent requests together. A batch shares the doublings of points, half of the
// work of a single check, and requests by one key share the multiplication of its point.
type ed25519Batches struct {
	mu    sync.Mutex // guards all below, and the checks of the open batch
	open  *ed25519Batch
	alone int // signatures since the last batch of several
}

// ed25519Batch is a group of signatures that are checked at once by the first caller.
type ed25519Batch struct {
	checks  []ed25519Check
	checked chan struct{} // closed when valid is set
	valid   bool          // all of them
}

// ed25519Check is a signature of 64 bytes with its key and message.
type ed25519Check struct{ key, message, sig []byte }

// valid reports whether a signature is valid. It may report false for a valid one that has no batch, or shared one with
// an invalid one: a check of its own decides.
func (b *ed25519Batches) valid(c ed25519Check) bool {
	batch, leads := b.join(c)
	switch {
	case batch == nil:
		return false
	case !leads:
		<-batch.checked
		return batch.valid
	}
	runtime.Gosched() // goroutines that are ready reach join
	b.close(batch)
	defer close(batch.checked)
	if len(batch.checks) > 1 {
		batch.valid = verifyZIP215Batch(batch.checks)
	}
	return batch.valid
}

// join adds a check to the open batch. If there is none, the caller opens and leads one, or gets nil if several signatures
// were alone before it: to yield the processor wakes another thread. Some of these
// callers open a batch nevertheless, and so find out that there are others again.
func (b *ed25519Batches) join(c ed25519Check) (batch *ed25519Batch, leads bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if leads = b.open == nil; leads {
		if b.alone++; b.alone > maxEd25519Alone && b.alone%ed25519Probe != 0 {
			return nil, false
		}
		b.open = &ed25519Batch{checked: make(chan struct{})}
	} else {
		b.alone = 0
	}
	batch = b.open
	if batch.checks = append(batch.checks, c); len(batch.checks) == maxEd25519Batch {
		b.open = nil
	}
	return batch, leads
}

func (b *ed25519Batches) close(batch *ed25519Batch) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.open == batch {
		b.open = nil
	}
}

// verifyZIP215Batch checks [8](ΣzsB - ΣzkA - ΣzR) = 0, with a random z of 128 bits for each signature: it is true if all
// signatures are valid by ZIP 215, and otherwise false, except with a probability of 2^-128.
func verifyZIP215Batch(checks []ed25519Check) bool {
	s := ed25519Sum{
		scalars: make([]*edwards25519.Scalar, 1, 2*len(checks)+1),
		points:  make([]*edwards25519.Point, 1, 2*len(checks)+1),
	}
	s.scalars[0], s.points[0] = edwards25519.NewScalar(), edwards25519.NewGeneratorPoint()
	var z [32]byte
	for _, c := range checks {
		_, _ = rand.Read(z[:len(z)/2]) // it never returns an error
		if !s.add(c, z) {
			return false
		}
	}
	p := new(edwards25519.Point).VarTimeMultiScalarMult(s.scalars, s.points)
	return p.MultByCofactor(p).Equal(edwards25519.NewIdentityPoint()) == 1
}

// ed25519Sum is a sum of multiples of points, the first of which is B.
type ed25519Sum struct {
	scalars []*edwards25519.Scalar
	points  []*edwards25519.Point
	keys    []ed25519Key
}

// ed25519Key is the place of a key's point in the sum.
type ed25519Key struct {
	raw []byte
	at  int
}

// add adds z times the terms of a signature. It is false if the signature has none.
func (e *ed25519Sum) add(c ed25519Check, z [32]byte) bool {
	zs, err := edwards25519.NewScalar().SetCanonicalBytes(z[:])
	if err != nil {
		panic("wire: 128 bits are not a scalar: " + err.Error())
	}
	r, err := new(edwards25519.Point).SetBytes(c.sig[:32])
	if err != nil {
		return false
	}
	s, err := edwards25519.NewScalar().SetCanonicalBytes(c.sig[32:])
	if err != nil {
		return false
	}
	at, ok := e.keyAt(c.key)
	if !ok {
		return false
	}
	e.scalars[0].MultiplyAdd(zs, s, e.scalars[0])
	e.scalars[at].MultiplyAdd(zs, c.challenge(), e.scalars[at])
	e.scalars, e.points = append(e.scalars, zs), append(e.points, r.Negate(r))
	return true
}

// keyAt returns the place of -A in the sum.
func (e *ed25519Sum) keyAt(raw []byte) (at int, ok bool) {
	for _, k := range e.keys {
		if bytes.Equal(k.raw, raw) {
			return k.at, true
		}
	}
	a, err := new(edwards25519.Point).SetBytes(raw)
	if err != nil {
		return 0, false
	}
	at = len(e.points)
	e.scalars, e.points = append(e.scalars, edwards25519.NewScalar()), append(e.points, a.Negate(a))
	e.keys = append(e.keys, ed25519Key{raw, at})
	return at, true
}

// challenge returns k, the hash of R, A and the message as a scalar.
func (c ed25519Check) challenge() *edwards25519.Scalar {
	h := sha512.New()
	h.Write(c.sig[:32])
	h.Write(c.key)
	h.Write(c.message)
	var sum [sha512.Size]byte
	k, err := edwards25519.NewScalar().SetUniformBytes(h.Sum(sum[:0]))
	if err != nil {
		panic("wire: a SHA-512 hash is not 64 bytes: " + err.Error())
	}
	return k
}

// verifyEd25519 checks a signature, with those of concurrent requests if there are any.
func (t *Trust) verifyEd25519(key publicKey, message, sig []byte) error {
	if t != nil && len(sig) == ed25519.SignatureSize && t.batches.valid(ed25519Check{key.raw, message, sig}) {
		return nil
	}
	return verifyEd25519(key, message, sig)
}
