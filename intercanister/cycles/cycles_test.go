package cycles

import (
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

func amounts() *rapid.Generator[Amount] {
	return rapid.Custom(func(t *rapid.T) Amount {
		return Amount{rapid.Uint64().Draw(t, "hi"), rapid.Uint64().Draw(t, "lo")}
	})
}

func TestArithmeticAgreesWithBigIntegersAndSaturates(t *testing.T) {
	limit := new(big.Int).Lsh(big.NewInt(1), 128)
	clamp := func(n *big.Int) string {
		if n.Sign() < 0 {
			return "0"
		}
		if n.Cmp(limit) >= 0 {
			return Max.String()
		}
		return n.String()
	}
	rapid.Check(t, func(t *rapid.T) {
		a, b := amounts().Draw(t, "a"), amounts().Draw(t, "b")
		n := rapid.Uint64Min(1).Draw(t, "n")
		big64 := new(big.Int).SetUint64(n)
		for name, pair := range map[string][2]string{
			"sum":        {a.Add(b).String(), clamp(new(big.Int).Add(a.Big(), b.Big()))},
			"difference": {a.Sub(b).String(), clamp(new(big.Int).Sub(a.Big(), b.Big()))},
			"product":    {a.Mul(n).String(), clamp(new(big.Int).Mul(a.Big(), big64))},
			"quotient":   {a.Div(n).String(), new(big.Int).Div(a.Big(), big64).String()},
		} {
			if pair[0] != pair[1] {
				t.Fatalf("%s of %s, %s, %d: got %s, want %s", name, a, b, n, pair[0], pair[1])
			}
		}
		if back, ok := FromBig(a.Big()); !ok || back != a {
			t.Fatalf("%s came back as %s", a, back)
		}
	})
}

func TestPricesOfAThirteenNodeSubnetAreTheQuotedOnes(t *testing.T) {
	s := Application(13)
	for name, pair := range map[string][2]string{
		"a call's transmission":  {s.CallTransmission(0).Add(s.ResponseTransmission(MaxResponseBytes)).String(), "2097412000"},
		"the longest callback":   {s.Execution(40_000_000_000, false).String(), "40005000000"},
		"the same, wide":         {s.Execution(40_000_000_000, true).String(), "80005000000"},
		"an ingress of 100 B":    {s.IngressMessage(100).String(), "1400000"},
		"a GiB for a second":     {s.Memory(1<<30, 1).String(), "317500"},
		"no bytes, no base fee":  {s.Base(0, 10).String(), "0"},
		"one percent, a second":  {s.Compute(1, 1).String(), "10000000"},
		"growth under threshold": {s.Reservation(0, 1<<30).String(), "0"},
	} {
		if pair[0] != pair[1] {
			t.Errorf("%s costs %s, want %s", name, pair[0], pair[1])
		}
	}
	if system := System(13); !system.Execution(1, false).IsZero() || !system.CallPrepayment(9, 9, true).IsZero() {
		t.Error("a system subnet charges for execution or calls")
	}
}
