package certify

import (
	"math/big"
	"testing"

	bls "github.com/consensys/gnark-crypto/ecc/bls12-381"
	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"
)

func TestTheCombMultipliesTheGeneratorAsTheGeneralAlgorithmDoes(t *testing.T) {
	c := newComb()
	var scalars []fr.Element
	for _, n := range []int64{1, 2, 3, -1, -2, 255, 1 << 16, 1<<31 - 1, 1 << 32} {
		scalars = append(scalars, fr.NewElement(0))
		scalars[len(scalars)-1].SetInt64(n)
	}
	for i := range byte(20) {
		var s fr.Element
		s.SetBytes(Seed{i}.expand("scalar", 48))
		scalars = append(scalars, s)
	}
	for i := range scalars {
		var k big.Int
		var want bls.G2Affine
		want.ScalarMultiplicationBase(scalars[i].BigInt(&k))
		if got := c.multiply(&scalars[i]); !got.Equal(&want) {
			t.Errorf("%s times the generator is %s, want %s", &k, &got, &want)
		}
	}
}

func TestKeysOfASeedAreTheSameWithAndWithoutTheComb(t *testing.T) {
	multiplied.Store(0)
	plain := NewSubnetKey(Seed{1, 2, 3})
	multiplied.Store(combKeys)
	if fast := NewSubnetKey(Seed{1, 2, 3}); string(fast.Public().DER()) != string(plain.Public().DER()) {
		t.Errorf("%x with the comb, %x without it", fast.Public().DER(), plain.Public().DER())
	}
}

func BenchmarkMultiplyGenerator(b *testing.B) {
	c := newComb()
	var s fr.Element
	s.SetBytes(Seed{1}.expand("scalar", 48))
	b.Run("comb", func(b *testing.B) {
		for b.Loop() {
			c.multiply(&s)
		}
	})
	b.Run("general", func(b *testing.B) {
		var k big.Int
		var p bls.G2Affine
		for b.Loop() {
			p.ScalarMultiplicationBase(s.BigInt(&k))
		}
	})
	b.Run("make", func(b *testing.B) {
		for b.Loop() {
			newComb()
		}
	})
}
