//go:build wasip1

// Command caller is a canister that calls a counter.
package main

import (
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/examples/gocanister/ic"
)

// addThrice adds to a counter three times, and replies each total.
//
//go:wasmexport canister_update_addThrice
func addThrice() {
	ic.Run(func() {
		var counter principal.Principal
		var n uint64
		ic.Argument(&counter, &n)
		var totals []uint64
		for range 3 {
			var total uint64
			if err := ic.Call(counter, "add", []any{n}, &total); err != nil {
				panic(err)
			}
			totals = append(totals, total)
		}
		ic.Reply(totals)
	})
}

// tryFail calls a method that traps, and replies why it was rejected.
//
//go:wasmexport canister_update_tryFail
func tryFail() {
	ic.Run(func() {
		var counter principal.Principal
		ic.Argument(&counter)
		ic.Reply(ic.Call(counter, "fail", nil).Error())
	})
}

func main() {}
