package replica_test

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/golden"
	"github.com/canisterd/canisterd/replica/replicatest"
	"github.com/canisterd/canisterd/replica/replicatest/real"
	"github.com/canisterd/canisterd/test/canistertest"
)

// words are numbers as the fixtures in Rust and C read and write them.
func words(numbers ...uint64) (raw []byte) {
	for _, n := range numbers {
		raw = binary.LittleEndian.AppendUint64(raw, n)
	}
	return raw
}

// told is an answer in the words of the golden file.
func (b *bill) told(a real.Answer) string {
	if a.Status != "replied" {
		return a.String()
	}
	return "replied: " + shownBytes(a.Reply)
}

func shownBytes(raw []byte) string {
	if len(raw) == 8 {
		return fmt.Sprint(binary.LittleEndian.Uint64(raw))
	}
	return "0x" + hex.EncodeToString(raw)
}

// does calls a method and writes down answer and cost.
func (b *bill) does(name, method, shown string, arg []byte) {
	b.t.Helper()
	b.of(fmt.Sprintf("%s.%s(%s)", name, method, shown), func() {
		fmt.Fprintf(&b.lines, "  %s\n", b.told(b.Call(name, method, arg)))
	})
}

// asks queries a method and writes down answer and cost.
func (b *bill) asks(name, method, shown string, arg []byte) {
	b.t.Helper()
	r := b.Query(name, method, arg)
	answer := "replied: " + shownBytes(r.Reply)
	if r.Reject != nil {
		answer = fmt.Sprintf("rejected %s: %s", r.Reject.Error, r.Reject.Text)
	}
	fmt.Fprintf(&b.lines, "query %s.%s(%s)\n  %s\n  %d instructions\n", name, method, shown, answer, r.Instructions)
}

func TestEveryMessageOfACanisterInRustOrCCostsWhatItCostBefore(t *testing.T) {
	b := newBill(t, false, "bank", "branch", "kernels", "other")
	b.compiled()
	golden.Compare(t, filepath.Join("testdata", "fixtures.golden"), b.lines.String())
}

// compiled runs what was compiled from Rust and C.
func (b *bill) compiled() {
	b.setUp("bank", "bank", words(500))
	b.setUp("branch", "bank", nil)
	b.setUp("kernels", "kernels", nil)
	b.setUp("other", "kernels", nil)
	b.banks()
	b.kernels()
	b.of("upgrade bank", func() { b.Install("bank", real.Upgrade, canistertest.Fixture("bank"), nil) })
	b.asks("bank", "balance", "", nil)
}

func (b *bill) setUp(name, fixture string, arg []byte) {
	b.of("install "+name, func() {
		b.expect(name, b.told(b.Install(name, real.Install, canistertest.Fixture(fixture), arg)), "replied: 0x4449444c0000")
	})
}

// banks has two banks in Rust pay each other: timers, cycles attached and accepted, callbacks,
// rejects and the money back.
func (b *bill) banks() {
	branch, none := b.ID("branch").Bytes(), principal.Canister(replicatest.First(0)+1000).Bytes()
	payment := func(sum, seconds uint64, to []byte) []byte {
		return append(append(words(sum, seconds), byte(len(to))), to...)
	}
	b.does("bank", "credit", "1,000,000", words(1_000_000))
	b.does("bank", "pay", "300,000 to branch", payment(300_000, 0, branch))
	b.does("bank", "pay", "200,000 within 10 s to branch", payment(200_000, 10, branch))
	b.does("bank", "pay", "100,000 to nobody", payment(100_000, 0, none))
	b.does("bank", "pay", "too much", payment(1_000_000, 0, branch))
	b.does("bank", "pay", "no words", nil)
	b.asks("bank", "balance", "", nil)
	b.asks("branch", "balance", "of bank", b.ID("bank").Bytes())
	b.of("a second", func() { b.at(b.View().Time + second) })
	b.asks("bank", "balance", "", nil)
	b.asks("bank", "sort", "canisterd", []byte("canisterd"))
}

// kernels runs what was compiled from C.
func (b *bill) kernels() {
	text := []byte("The quick brown fox jumps over the lazy dog, again and again and again.")
	sum := sha256.Sum256(text)
	b.expect("sha256", hex.EncodeToString(b.Query("kernels", "sha256", text).Reply), hex.EncodeToString(sum[:]))
	b.asks("kernels", "sha256", "71 bytes", text)
	b.does("kernels", "primes", "1,000", words(1000))
	b.does("kernels", "primes", "1,000,000", words(1_000_000))
	b.does("kernels", "matrix", "64", words(64))
	for _, sign := range "+-*/%^" {
		b.asks("kernels", "calculate", fmt.Sprintf("7 %c 3", sign), append(words(7, 3), byte(sign)))
	}
	b.asks("kernels", "calculate", "7 / 0", append(words(7, 0), '/'))
	b.asks("kernels", "calculate", "7 ? 3", append(words(7, 3), '?'))
	b.does("other", "log", "71 bytes", text)
	b.does("other", "log", "71 bytes", text)
	b.asks("other", "logged", "", nil)
	b.asks("kernels", "ask", "other", b.ID("other").Bytes())
	b.asks("kernels", "ask", "bank", b.ID("bank").Bytes())
	b.does("kernels", "cost", "", nil)
}
