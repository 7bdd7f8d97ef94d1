package certify

import (
	"math/big"
	"sync"
	"sync/atomic"

	bls "github.com/consensys/gnark-crypto/ecc/bls12-381"
	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"
)

// comb has multiples of the generator of G2, for a scalar in combTeeth rows of bits (Lim and Lee, "More flexible
// exponentiation with precomputation", 1994). Entry d of its first table is the sum of 2^(i*combRow) for the bits i of
// d, times the generator; each other table has those of the one before it times 2^combColumns.
type comb [combTables][1 << combTeeth]bls.G2Affine

const (
	combTeeth   = 9
	combTables  = 3
	combColumns = (fr.Bits + combTeeth*combTables - 1) / (combTeeth * combTables) // of a row, for each table
	combRow     = combColumns * combTables
)

var (
	multiplied    atomic.Int64 // scalars
	generatorComb = sync.OnceValue(newComb)
)

// multiplyGenerator returns the generator of G2 times a scalar. A process that makes many subnet keys does so with a
// comb, which takes 30 additions and 9 doublings; the algorithm for any point takes about 64 of each.
func multiplyGenerator(scalar *fr.Element) (p bls.G2Affine) {
	if multiplied.Add(1) <= combKeys {
		var k big.Int
		p.ScalarMultiplicationBase(scalar.BigInt(&k))
		return p
	}
	return generatorComb().multiply(scalar)
}

func newComb() *comb {
	sums := new([combTables][1 << combTeeth]bls.G2Jac)
	_, power, _, _ := bls.Generators()
	for i := range combTeeth * combTables {
		tooth, table := i/combTables, &sums[i%combTables]
		var base bls.G2Affine
		base.FromJacobian(&power)
		for lower := range 1 << tooth {
			sum := &table[1<<tooth+lower]
			sum.Set(&table[lower])
			sum.AddMixed(&base)
		}
		for range combColumns {
			power.DoubleAssign()
		}
	}
	c := new(comb)
	for i := range c {
		toAffine(c[i][1:], sums[i][1:])
	}
	return c
}

// toAffine converts points other than the one at infinity with one inversion (Montgomery 1987): it inverts the product
// of all z, and takes the inverse of each from it, from the last on.
func toAffine(to []bls.G2Affine, from []bls.G2Jac) {
	before := make([]bls.E2, len(from)) // the product of the z before each
	var inverse bls.E2
	inverse.SetOne()
	for i := range from {
		before[i] = inverse
		inverse.Mul(&inverse, &from[i].Z)
	}
	inverse.Inverse(&inverse)
	for i := len(from) - 1; i >= 0; i-- {
		var z, square bls.E2
		z.Mul(&inverse, &before[i])
		inverse.Mul(&inverse, &from[i].Z)
		square.Square(&z)
		to[i].X.Mul(&from[i].X, &square)
		to[i].Y.Mul(&from[i].Y, &square).Mul(&to[i].Y, &z)
	}
}

func (c *comb) multiply(scalar *fr.Element) (p bls.G2Affine) {
	words := scalar.Bits()
	var sum bls.G2Jac
	for column := combColumns - 1; column >= 0; column-- {
		sum.DoubleAssign()
		for table := range c {
			sum.AddMixed(&c[table][digit(&words, table*combColumns+column)])
		}
	}
	p.FromJacobian(&sum)
	return p
}

// digit returns the bits of a column, one of each row.
func digit(words *[fr.Limbs]uint64, column int) (d int) {
	for tooth := range combTeeth {
		if at := tooth*combRow + column; at < fr.Bits {
			d |= int(words[at/64]>>(at%64)&1) << tooth
		}
	}
	return d
}
