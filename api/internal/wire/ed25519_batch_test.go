package wire

import (
	"crypto/ed25519"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
)

// checkBy returns a check of a valid signature by the key of a number.
func checkBy(key byte, text string) ed25519Check {
	private := ed25519.NewKeyFromSeed([]byte(strings.Repeat(string(rune('a'+key)), ed25519.SeedSize)))
	return ed25519Check{private.Public().(ed25519.PublicKey), []byte(text), ed25519.Sign(private, []byte(text))}
}

// spoiled returns the check with one part changed.
func spoiled(c ed25519Check, part int) ed25519Check {
	other := checkBy(25, "other")
	switch part {
	case 0:
		c.message = other.message
	case 1:
		c.key = other.key
	case 2:
		c.sig = append(c.sig[:32:32], other.sig[32:]...)
	case 3:
		c.sig = append(other.sig[:32:32], c.sig[32:]...)
	case 4:
		c.sig = append(c.sig[:32:32], hexBytes(groupOrder)...)
	case 5:
		c.sig = append(hexBytes("02"+strings.Repeat("00", 31)), c.sig[32:]...) // on no point
	case 6:
		c.key = hexBytes("02" + strings.Repeat("00", 31))
	}
	return c
}

func TestABatchIsValidIfAllOfItsSignaturesAre(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for size := 1; size <= maxEd25519Batch; size++ {
		checks := make([]ed25519Check, size)
		for i := range checks {
			checks[i] = checkBy(byte(random.IntN(4)), fmt.Sprint(i))
		}
		if !verifyZIP215Batch(checks) {
			t.Fatalf("%d valid signatures are not", size)
		}
		for part := range 7 {
			at := random.IntN(size)
			good := checks[at]
			checks[at] = spoiled(good, part)
			if verifyZIP215Batch(checks) {
				t.Errorf("%d signatures are valid though part %d of one is changed", size, part)
			}
			checks[at] = good
		}
	}
}

func TestFaultsOfTwoSignaturesDoNotCancelOut(t *testing.T) {
	a, b := checkBy(0, "x"), checkBy(0, "x y")
	a.sig, b.sig = append(a.sig[:32:32], b.sig[32:]...), append(b.sig[:32:32], a.sig[32:]...)
	if verifyZIP215Batch([]ed25519Check{a, b}) {
		t.Error("two signatures with exchanged halves are valid together")
	}
}

func TestABatchFollowsZIP215(t *testing.T) {
	var checks []ed25519Check
	for _, a := range smallOrderPoints {
		for _, r := range smallOrderPoints {
			checks = append(checks, ed25519Check{hexBytes(a), []byte("Zcash"), hexBytes(r + strings.Repeat("00", 32))})
		}
	}
	checks = append(checks, checkBy(0, "x"))
	if !verifyZIP215Batch(checks) {
		t.Error("points of small order are not taken")
	}
}

func TestTheSeventeenthSignatureBeginsABatch(t *testing.T) {
	var b ed25519Batches
	first, leads := b.join(checkBy(0, "1"))
	if !leads {
		t.Fatal("the first signature leads no batch")
	}
	for i := 2; i <= 16; i++ {
		if batch, leads := b.join(checkBy(0, fmt.Sprint(i))); batch != first || leads {
			t.Fatalf("signature %d is not in the first batch", i)
		}
	}
	second, leads := b.join(checkBy(0, "17"))
	if second == first || !leads {
		t.Fatal("signature 17 is in the first batch")
	}
	b.close(first)
	if batch, _ := b.join(checkBy(0, "18")); batch != second {
		t.Error("the first batch closed the second one")
	}
}

func TestAClientThatIsAloneOpensFewBatches(t *testing.T) {
	var b ed25519Batches
	opened := func(signatures int) (batches int) {
		for range signatures {
			if batch, leads := b.join(checkBy(0, "x")); leads {
				b.close(batch)
				batches++
			}
		}
		return batches
	}
	if got := opened(4 + 10*16); got != 4+10 {
		t.Errorf("164 signatures alone opened %d batches, want 14", got)
	}
	for batch, leads := b.join(checkBy(0, "x")); ; batch, leads = b.join(checkBy(0, "x")) {
		if !leads {
			continue
		}
		if _, leads := b.join(checkBy(1, "y")); leads {
			t.Fatal("a second signature is not in the open batch")
		}
		b.close(batch)
		break
	}
	if got := opened(4); got != 4 {
		t.Errorf("4 signatures after a batch of two opened %d batches", got)
	}
}

func TestAForgedSignatureSpoilsNoOtherOfItsBatch(t *testing.T) {
	trust := new(Trust)
	var all sync.WaitGroup
	for i := range byte(64) {
		all.Go(func() {
			c := checkBy(i%5, fmt.Sprint(i))
			forged := i%8 == 3
			if forged {
				c = spoiled(c, 0)
			}
			err := trust.verify(append([]byte(ed25519Prefix), c.key...), c.message, c.sig)
			if forged != (err != nil) {
				t.Errorf("signature %d: %v", i, err)
			}
		})
	}
	all.Wait()
}
