//go:build wasip1

// Command counter is a canister that counts.
package main

import (
	"time"

	"github.com/canisterd/canisterd/examples/gocanister/ic"
)

var total uint64

//go:wasmexport canister_update_add
func add() {
	ic.Run(func() {
		var n uint64
		ic.Argument(&n)
		total += n
		println("the total is", total)
		ic.Reply(total)
	})
}

//go:wasmexport canister_query_total
func read() { ic.Reply(total) }

// addLater adds after an hour. The canister takes no other message until then.
//
//go:wasmexport canister_update_addLater
func addLater() {
	ic.Run(func() {
		var n uint64
		ic.Argument(&n)
		begun := time.Now()
		done := make(chan uint64)
		go func() {
			time.Sleep(time.Hour)
			done <- total + n
		}()
		total = <-done
		ic.Reply(total, time.Since(begun).String())
	})
}

//go:wasmexport canister_update_fail
func fail() { ic.Run(divide) }

func divide() {
	zero := total - total
	ic.Reply(total / zero)
}

//go:wasmexport canister_pre_upgrade
func save() { ic.Save(total) }

//go:wasmexport canister_post_upgrade
func load() { ic.Load(&total) }

func main() {}
