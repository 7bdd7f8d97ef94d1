package callbudget_test

import (
	"sync"
	"testing"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/callbudget"
)

var (
	bank     = principal.MustParse("7tjcv-pp777-77776-qaaaa-cai")
	withdraw = callbudget.Method{Canister: bank, Name: "withdraw"}
	deposit  = callbudget.Method{Canister: bank, Name: "deposit"}
	balance  = callbudget.Method{Canister: bank, Name: "balance"}
)

func TestACallTakesWhatAllItsMessagesTake(t *testing.T) {
	b := callbudget.New()
	b.Set(withdraw, 1000)
	b.Set(deposit, 1000)
	b.Count(withdraw, true, 0, 600)
	b.Count(withdraw, true, 0, 300)     // another call
	b.Count(withdraw, false, 600, 1000) // the callback of the first one: all of its budget
	b.Count(withdraw, false, 1000, 1001)
	b.Count(withdraw, false, 1001, 1500)
	b.Count(balance, true, 0, 1<<40) // without a budget
	want := []callbudget.Use{
		{Method: deposit, Budget: 1000},
		{Method: withdraw, Budget: 1000, Calls: 2, Exceeded: 1, Most: 1500},
	}
	got := b.Uses()
	if len(got) != 2 || got[0] != want[0] || got[1] != want[1] {
		t.Errorf("the budgets are %+v, want %+v", got, want)
	}
	b.Set(withdraw, 2000)
	if got := b.Uses()[1]; got != (callbudget.Use{Method: withdraw, Budget: 2000}) {
		t.Errorf("a budget that is set again is %+v", got)
	}
}

func TestTheLargestExcessComesFirst(t *testing.T) {
	exceeded := callbudget.Exceeded([]callbudget.Use{
		{Method: balance, Budget: 500, Calls: 1, Most: 500},
		{Method: deposit, Budget: 100, Calls: 1, Exceeded: 1, Most: 1100},
		{Method: withdraw, Budget: 2_000_000, Calls: 1200, Exceeded: 3, Most: 2_345_678},
	})
	const want = "  bank.withdraw: a call took 2_345_678 instructions, 345_678 more than its budget of 2_000_000; 3 of 1_200 calls took more\n" +
		"  bank.deposit: a call took 1_100 instructions, 1_000 more than its budget of 100"
	if got := callbudget.Text(exceeded, func(principal.Principal) string { return "bank" }); got != want {
		t.Errorf("the text is\n%s\nwant\n%s", got, want)
	}
}

func TestGoroutinesCountInOneBudget(t *testing.T) {
	b := callbudget.New()
	b.Set(withdraw, 10)
	var running sync.WaitGroup
	for i := range uint64(8) {
		running.Go(func() {
			for range 100 {
				b.Count(withdraw, true, 0, i+5)
			}
		})
	}
	running.Wait()
	if got := b.Uses()[0]; got.Calls != 800 || got.Exceeded != 200 || got.Most != 12 {
		t.Errorf("the budget is %+v", got)
	}
}
