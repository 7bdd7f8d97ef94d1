package certify

import (
	"math/big"
	"strconv"
	"testing"

	bls "github.com/consensys/gnark-crypto/ecc/bls12-381"
	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"
	"pgregory.net/rapid"
)

// edgeScalars are the numbers at which digits, carries and sums of terms are special.
func edgeScalars() (all []fr.Element) {
	add := func(k *big.Int) {
		all = append(all, fr.Element{})
		all[len(all)-1].SetBigInt(k)
	}
	for _, n := range []int64{1, 2, 3, 127, 128, 129, 255, 256, 257, 1 << 15, 1<<15 + 1, 1 << 16, 1<<32 - 1, 1<<63 - 1} {
		add(big.NewInt(n))
		add(big.NewInt(-n))
	}
	one := big.NewInt(1)
	for bit := uint(8); bit < fr.Bits; bit += 8 {
		power := new(big.Int).Lsh(one, bit)
		add(power)
		add(new(big.Int).Sub(power, one))
	}
	// The lower half of the digits is the negative of the order's lower half, and the upper half its upper half: the same point twice.
	half := new(big.Int).Mod(fr.Modulus(), new(big.Int).Lsh(one, 8*digits/2))
	add(half.Mul(half, big.NewInt(-2)))
	return all
}

func wantMultiples(t rapid.TB, got []bls.G2Affine, scalars []fr.Element) {
	t.Helper()
	for i := range scalars {
		var k big.Int
		var want bls.G2Affine
		want.ScalarMultiplicationBase(scalars[i].BigInt(&k))
		if !got[i].Equal(&want) {
			t.Fatalf("%s times the generator is %s, want %s", &k, &got[i], &want)
		}
	}
}

func TestTheTableMultipliesTheGeneratorAsTheGeneralAlgorithmDoes(t *testing.T) {
	table, edges := newGeneratorTable(), edgeScalars()
	for _, at := range []int{1, 2, 3, 5, len(edges)} {
		for from := 0; from < len(edges); from += at {
			scalars := edges[from:min(from+at, len(edges))]
			got := make([]bls.G2Affine, len(scalars))
			table.multiply(got, scalars)
			wantMultiples(t, got, scalars)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		raw := rapid.SliceOfN(rapid.SliceOfN(rapid.Byte(), 0, 40), 1, 9).Draw(t, "scalars")
		scalars := make([]fr.Element, len(raw), len(raw)+1)
		for i := range raw {
			scalars[i].SetBytes(raw[i])
		}
		scalars = append(scalars, scalars[0]) // one twice
		got := make([]bls.G2Affine, len(scalars))
		table.multiply(got, scalars)
		wantMultiples(t, got, scalars)
	})
}

func TestPointsThatAreEqualOppositeOrAtInfinityAreAddedToo(t *testing.T) {
	_, _, _, g := bls.Generators()
	var minus, double, infinity bls.G2Affine
	minus.Neg(&g)
	double.Double(&g)
	for _, c := range []struct{ p, q, want bls.G2Affine }{
		{g, g, double},
		{g, minus, infinity},
		{minus, g, infinity},
		{g, infinity, g},
		{infinity, g, g},
		{infinity, infinity, infinity},
		{double, minus, g},
		{minus, double, g},
	} {
		// Between others, whose denominators are inverted with it.
		p, q := []bls.G2Affine{g, c.p, double}, []bls.G2Affine{double, c.q, minus}
		var third bls.G2Affine
		third.Add(&g, &double)
		addEach(p, q, make([]bls.E2, 3))
		if !p[0].Equal(&third) || !p[1].Equal(&c.want) || !p[2].Equal(&g) {
			t.Errorf("%s and %s are %s, want %s, next to %s and %s", &c.p, &c.q, &p[1], &c.want, &p[0], &p[2])
		}
	}
}

func TestKeysOfASeedAreTheSameWithAndWithoutTheTable(t *testing.T) {
	seeds := []Seed{{1, 2, 3}, {4}, {1, 2, 3}}
	multiplied.Store(0)
	plain := NewSubnetKeys(seeds...)
	multiplied.Store(tableKeys)
	for i, fast := range NewSubnetKeys(seeds...) {
		if string(fast.Public().DER()) != string(plain[i].Public().DER()) {
			t.Errorf("key %d: %x with the table, %x without it", i, fast.Public().DER(), plain[i].Public().DER())
		}
	}
}

func BenchmarkMultiplyGenerator(b *testing.B) {
	table := newGeneratorTable()
	scalars := make([]fr.Element, 16)
	for i := range scalars {
		scalars[i].SetBytes(Seed{byte(i)}.expand("scalar", 48))
	}
	products := make([]bls.G2Affine, len(scalars))
	for _, n := range []int{1, 2, 16} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			for b.Loop() {
				for i := range n {
					scalars[i].Square(&scalars[i]) // others each time: the branches of an inversion that is repeated are predicted
				}
				table.multiply(products[:n], scalars[:n])
			}
		})
	}
	b.Run("general", func(b *testing.B) {
		var k big.Int
		for b.Loop() {
			products[0].ScalarMultiplicationBase(scalars[0].BigInt(&k))
		}
	})
	b.Run("make", func(b *testing.B) {
		for b.Loop() {
			newGeneratorTable()
		}
	})
}
