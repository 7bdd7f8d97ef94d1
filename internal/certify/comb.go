package certify

import (
	"math/big"
	"sync"
	"sync/atomic"

	bls "github.com/consensys/gnark-crypto/ecc/bls12-381"
	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"
)

// comb has multiples of the generator of G2, for a scalar in combTeeth rows of digits (Lim and Lee, "More flexible
// exponentiation with precomputation", 1994). The digits are 1 and -1, so that a table needs no entries for the negatives of
// others. Entry d of the first table is the sum of ±2^(i*combRow) times the generator for each row i, with a plus for the bits
// of d and for the last row; each other table has those of the one before it times 2^combColumns.
type comb [combTables]combTable

type combTable [1 << (combTeeth - 1)]bls.G2Affine

const (
	combTeeth   = 10
	combTables  = 3
	combColumns = (fr.Bits + combTeeth*combTables) / (combTeeth * combTables) // of a row, for each table: one digit more than bits
	combRow     = combColumns * combTables
)

var (
	multiplied    atomic.Int64 // scalars
	generatorComb = sync.OnceValue(newComb)
)

// multiplyGenerator returns the generator of G2 times a scalar other than zero. A process that makes many subnet keys does so with a
// comb, which takes 27 additions and 8 doublings; the algorithm for any point takes about 64 of each.
func multiplyGenerator(scalar *fr.Element) (p bls.G2Affine) {
	if multiplied.Add(1) <= combKeys {
		var k big.Int
		p.ScalarMultiplicationBase(scalar.BigInt(&k))
		return p
	}
	return generatorComb().multiply(scalar)
}

func newComb() *comb {
	var rows [combTables][combTeeth]bls.G2Jac // what the digits of each row are multiplied with
	_, power, _, _ := bls.Generators()
	for i := range combTeeth * combTables {
		rows[i%combTables][i/combTables] = power
		for range combColumns {
			power.DoubleAssign()
		}
	}
	c := new(comb)
	for i := range c {
		fillTable(&c[i], &rows[i])
	}
	return c
}

// fillTable sets the sums of the rows with each combination of signs.
func fillTable(table *combTable, rows *[combTeeth]bls.G2Jac) {
	sums := make([]bls.G2Jac, len(table))
	sums[0] = rows[combTeeth-1]
	for tooth := range combTeeth - 1 {
		sums[0].SubAssign(&rows[tooth])
	}
	for tooth := range combTeeth - 1 {
		var twice bls.G2Affine
		double := rows[tooth]
		twice.FromJacobian(double.DoubleAssign())
		for lower := range 1 << tooth {
			sum := &sums[1<<tooth+lower]
			sum.Set(&sums[lower])
			sum.AddMixed(&twice)
		}
	}
	toAffine(table[:], sums)
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

// multiply takes a scalar other than zero. It negates an even one: those with digits of 1 and -1 are odd, and so is the order
// of the group.
func (c *comb) multiply(scalar *fr.Element) (p bls.G2Affine) {
	odd := *scalar
	words := odd.Bits()
	even := words[0]&1 == 0
	if even {
		words = odd.Neg(scalar).Bits()
	}
	var sum bls.G2Jac
	for column := combColumns - 1; column >= 0; column-- {
		sum.DoubleAssign()
		for table := range c {
			entry, minus := digits(&words, table*combColumns+column)
			term := c[table][entry]
			if minus {
				term.Neg(&term)
			}
			sum.AddMixed(&term)
		}
	}
	p.FromJacobian(&sum)
	if even {
		p.Neg(&p)
	}
	return p
}

// digits returns the digits of a column, one of each row: the entry for them, or for their negatives.
func digits(words *[fr.Limbs]uint64, column int) (entry int, minus bool) {
	for tooth := range combTeeth {
		entry |= digit(words, tooth*combRow+column) << tooth
	}
	const last = 1 << (combTeeth - 1)
	if entry&last == 0 {
		return last - 1 - entry, true
	}
	return entry - last, false
}

// digit returns 1 for a digit of 1, and 0 for -1. An odd scalar k is the sum of its digits times powers of two if they are the
// bits of k/2 with a 1 behind the last of them.
func digit(words *[fr.Limbs]uint64, at int) int {
	switch {
	case at == combTeeth*combRow-1:
		return 1
	case at+1 >= fr.Bits:
		return 0
	}
	return int(words[(at+1)/64] >> ((at + 1) % 64) & 1)
}
