package certify

import (
	"math/big"
	"sync"
	"sync/atomic"

	bls "github.com/consensys/gnark-crypto/ecc/bls12-381"
	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"
)

// generatorTable has the multiples of the generator of G2 that are the terms of any other (Brickell, Gordon, McCurley and Wilson,
// "Fast exponentiation with precomputation", 1992). Entry [d-1][i] is d*256^i times the generator. The digits of a scalar are from
// -maxDigit to maxDigit, so that the table needs no entries for the negatives of others.
type generatorTable [maxDigit][digits]bls.G2Affine

const (
	digits   = fr.Bytes
	maxDigit = 128
)

var (
	multiplied atomic.Int64 // scalars
	generator  = sync.OnceValue(newGeneratorTable)
)

// multiplyGenerator sets each product to the generator of G2 times a scalar. A process that makes many subnet keys does so with a
// table, which takes 31 additions; the algorithm for any point takes about 64, and as many doublings.
func multiplyGenerator(products []bls.G2Affine, scalars []fr.Element) {
	if multiplied.Add(int64(len(scalars))) > tableKeys {
		generator().multiply(products, scalars)
		return
	}
	for i := range scalars {
		var k big.Int
		products[i].ScalarMultiplicationBase(scalars[i].BigInt(&k))
	}
}

func newGeneratorTable() *generatorTable {
	t := new(generatorTable)
	_, power, _, _ := bls.Generators()
	for i := range digits {
		t[0][i].FromJacobian(&power)
		for range 8 {
			power.DoubleAssign()
		}
	}
	var spare [digits]bls.E2
	for d := 1; d < maxDigit; d++ {
		t[d] = t[d-1]
		addEach(t[d][:], t[0][:], spare[:])
	}
	return t
}

// sums are the terms of products until these are added up.
type sums struct {
	terms []bls.G2Affine // digits of each product, those for the same digit side by side
	spare []bls.E2
}

// spareSums saves the garbage of about 8 KB a key.
var spareSums = sync.Pool{New: func() any { return new(sums) }}

// multiply adds up all products together, pair by pair: half as many inversions for each product if there are twice as many.
func (t *generatorTable) multiply(products []bls.G2Affine, scalars []fr.Element) {
	s := spareSums.Get().(*sums)
	defer spareSums.Put(s)
	n := len(scalars)
	s.grow(n)
	for at := range scalars {
		for i, digit := range digitsOf(&scalars[at]) {
			s.terms[i*n+at] = t.multiple(digit, i)
		}
	}
	for half := n * digits / 2; half >= n; half /= 2 {
		addEach(s.terms[:half], s.terms[half:2*half], s.spare)
	}
	copy(products, s.terms[:n])
}

// grow makes room for so many products.
func (s *sums) grow(products int) {
	if terms := products * digits; len(s.terms) < terms {
		s.terms, s.spare = make([]bls.G2Affine, terms), make([]bls.E2, terms/2)
	}
}

// multiple returns digit*256^i times the generator.
func (t *generatorTable) multiple(digit, i int) (p bls.G2Affine) {
	switch {
	case digit > 0:
		p = t[digit-1][i]
	case digit < 0:
		p.Neg(&t[-digit-1][i])
	}
	return p
}

// digitsOf returns the digits of a scalar to the base 256, the lowest first. The highest byte of the order of the group is less than
// maxDigit, so that nothing is carried from the last digit.
func digitsOf(scalar *fr.Element) (ds [digits]int) {
	words := scalar.Bits()
	carry := 0
	for i := range ds {
		ds[i] = int(byte(words[i/8]>>(i%8*8))) + carry
		if carry = 0; ds[i] > maxDigit {
			ds[i] -= 256
			carry = 1
		}
	}
	return ds
}

// addEach adds to each point of p that of q. It inverts the product of all denominators, and takes the inverse of each from it, from the
// last on (Montgomery 1987). spare has room for as many denominators as there are points.
func addEach(p, q []bls.G2Affine, spare []bls.E2) {
	var inverse bls.E2 // of the product of the denominators up to a point
	inverse.SetOne()
	for i := range p {
		spare[i] = inverse // the product of those before
		d := denominator(&p[i], &q[i])
		inverse.Mul(&inverse, &d)
	}
	inverse.Inverse(&inverse)
	for i := len(p) - 1; i >= 0; i-- {
		spare[i].Mul(&spare[i], &inverse)
		d := denominator(&p[i], &q[i])
		inverse.Mul(&inverse, &d)
		add(&p[i], &q[i], &spare[i])
	}
}

// denominator returns that of the slope of the line through two points, or of the tangent to one that is added to itself. It is not
// zero, also if the sum needs none.
func denominator(p, q *bls.G2Affine) (d bls.E2) {
	if d.Sub(&q.X, &p.X); d.IsZero() {
		d.Double(&p.Y)
	}
	if d.IsZero() {
		d.SetOne()
	}
	return d
}

// add adds q to p, with the inverse of their denominator.
func add(p, q *bls.G2Affine, inverse *bls.E2) {
	var slope, x bls.E2
	switch {
	case q.IsInfinity():
		return
	case p.IsInfinity():
		*p = *q
		return
	case !p.X.Equal(&q.X):
		slope.Sub(&q.Y, &p.Y)
	case p.Y.Equal(&q.Y):
		slope.Square(&p.X)
		x.Double(&slope)
		slope.Add(&slope, &x)
	default:
		p.SetInfinity()
		return
	}
	slope.Mul(&slope, inverse)
	x.Square(&slope).Sub(&x, &p.X).Sub(&x, &q.X)
	p.X.Sub(&p.X, &x)
	slope.Mul(&slope, &p.X)
	p.Y.Sub(&slope, &p.Y)
	p.X = x
}
