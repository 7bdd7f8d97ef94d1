package rewrite_test

import (
	"errors"
	"testing"

	"github.com/canisterd/canisterd/canister/internal/rewrite"
	"github.com/canisterd/canisterd/test/canistertest/wat"
)

// The engine passes over an element segment that does not fit its table, where
// a replica's traps: a canister with one must be refused before.
func TestACanisterWithElementsBeyondItsTableIsRefused(t *testing.T) {
	none := func(string, bool) (params, results []byte, ok bool) { return nil, nil, false }
	for text, fits := range map[string]bool{
		`(table 10 funcref) (func $f) (elem (i32.const 9) $f)`:                                       true,
		`(table 10 funcref) (func $f) (elem (i32.const 10) $f)`:                                      false,
		`(table 10 20 funcref) (func $f) (elem (i32.const 9) $f $f)`:                                 false,
		`(table 10 funcref) (elem (i32.const 10))`:                                                   true,
		`(table 10 funcref) (elem (i32.const 11))`:                                                   false,
		`(table 10 funcref) (elem (i32.const -1))`:                                                   false,
		`(table 1 funcref) (func $f) (elem func $f $f) (elem declare func $f)`:                       true,
		`(memory i64 1) (table i64 10 funcref) (func $f) (elem (i64.const 0x100000000) $f)`:          false,
		`(memory i64 1) (table i64 10 funcref) (func $f) (elem (i64.const 0) funcref (ref.func $f))`: true,
	} {
		_, err := rewrite.Rewrite(wat.MustAssemble(text), rewrite.Options{SystemAPI: none})
		var invalid *rewrite.Invalid
		if refused := errors.As(err, &invalid) && invalid.Rule == rewrite.RuleInstantiation; refused == fits || fits && err != nil {
			t.Errorf("%s: fits %v, got %v", text, fits, err)
		}
	}
}
