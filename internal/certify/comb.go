package certify

import (
	"math/big"
	"sync"
	"sync/atomic"

	bls "github.com/consensys/gnark-crypto/ecc/bls12-381"
	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"
)

// comb has multiples of the generator of G2, for a scalar of 256 bits in combTeeth rows (Lim and Lee, "More flexible
// exponentiation with precomputation", 1994). Entry d of its first table is the sum of 2^(i*combRow) for the bits i of
// d, times the generator; the second table has the same times 2^(combRow/2).
type comb [2][1 << combTeeth]bls.G2Affine

const (
	combTeeth = 8
	combRow   = 256 / combTeeth // bits
)

var (
	multiplied    atomic.Int64 // scalars
	generatorComb = sync.OnceValue(newComb)
)

// multiplyGenerator returns the generator of G2 times a scalar. A process that makes many subnet keys does so with a
// comb, which takes 32 additions and 16 doublings; the algorithm for any point takes about 64 of each.
func multiplyGenerator(scalar *fr.Element) (p bls.G2Affine) {
	if multiplied.Add(1) <= combKeys {
		var k big.Int
		p.ScalarMultiplicationBase(scalar.BigInt(&k))
		return p
	}
	return generatorComb().multiply(scalar)
}

func newComb() *comb {
	c := new(comb)
	_, power, _, _ := bls.Generators()
	for i := range combTeeth * len(c) {
		tooth, table := i/len(c), &c[i%len(c)]
		base := &table[1<<tooth]
		base.FromJacobian(&power)
		for lower := 1; lower < 1<<tooth; lower++ {
			table[1<<tooth+lower].Add(&table[lower], base)
		}
		for range combRow / len(c) {
			power.DoubleAssign()
		}
	}
	return c
}

func (c *comb) multiply(scalar *fr.Element) (p bls.G2Affine) {
	words := scalar.Bits()
	var sum bls.G2Jac
	for column := combRow/2 - 1; column >= 0; column-- {
		sum.DoubleAssign()
		for half := range c {
			sum.AddMixed(&c[half][digit(&words, column+half*combRow/2)])
		}
	}
	p.FromJacobian(&sum)
	return p
}

// digit returns the bits of a column, one of each row.
func digit(words *[fr.Limbs]uint64, column int) (d int) {
	for tooth := range combTeeth {
		at := tooth*combRow + column
		d |= int(words[at/64]>>(at%64)&1) << tooth
	}
	return d
}
