package candid_test

import (
	"math"
	"math/big"
	"testing"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/did"
	"github.com/canisterd/canisterd/candid/principal"
)

func method(t *testing.T, signature string) did.Method {
	t.Helper()
	file, err := did.Parse("service : { m : " + signature + " }")
	if err != nil {
		t.Fatal(err)
	}
	m, _ := file.Method("m")
	return m
}

func TestGoNumbersTakeTheTypesOfTheInterface(t *testing.T) {
	type transfer struct {
		Amount uint64   `ic:"amount"`
		Parts  []int    `ic:"parts"`
		To     *string  `ic:"to"`
		Rate   float64  `ic:"rate"`
		Extra  *big.Int `ic:"-"`
	}
	m := method(t, "(nat, opt int8, record { amount : nat; parts : vec nat16; rate : float32; memo : opt nat64 }, service {}, opt text) -> ()")
	message, err := candid.MarshalAt(did.Types(m.Args), 100, -3, transfer{Amount: math.MaxUint64, Parts: []int{1, 65535}, Rate: 2}, principal.Anonymous)
	if err != nil {
		t.Fatal(err)
	}
	values, err := m.DecodeArgs(message)
	if err != nil {
		t.Fatal(err)
	}
	const want = `(100 : nat, opt (-3 : int8), record { memo = null; rate = 2.0 : float32; parts = vec { 1 : nat16; 65_535 : nat16 }; ` +
		`amount = 18_446_744_073_709_551_615 : nat }, service "2vxsx-fae", null)`
	if got := candid.FormatArgs(values); got != want {
		t.Errorf("the arguments are %s, want %s", got, want)
	}
}

func TestGoValuesThatDoNotFitTheInterfaceAreRefused(t *testing.T) {
	for signature, args := range map[string][]any{
		"(nat) -> ()":                {-1},
		"(nat8) -> ()":               {256},
		"(text) -> ()":               {1},
		"(int) -> ()":                {1.5},
		"(nat, nat) -> ()":           {1},
		"() -> ()":                   {1},
		"(record { a : nat }) -> ()": {struct{ B uint }{1}},
		"(bool) -> ()":               {nil},
	} {
		m := method(t, signature)
		if message, err := candid.MarshalAt(did.Types(m.Args), args...); err == nil {
			t.Errorf("%s takes %v as %x", signature, args, message)
		}
	}
}

func TestRepliesAreReadIntoAnyNumberThatTheyFit(t *testing.T) {
	message, err := candid.Marshal(uint(7), int8(-7), []uint{1, 2}, "left over")
	if err != nil {
		t.Fatal(err)
	}
	var small uint8
	var wide int64
	var all []int32
	if err := candid.UnmarshalFit(message, &small, &wide, &all); err != nil || small != 7 || wide != -7 || len(all) != 2 || all[1] != 2 {
		t.Errorf("read %d, %d, %v (%v)", small, wide, all, err)
	}
	var negative uint64
	if err := candid.UnmarshalFit(message, &small, &negative); err == nil {
		t.Errorf("-7 is read as %d", negative)
	}
	if err := candid.UnmarshalFit(message, small); err == nil {
		t.Error("a target that is no pointer is taken")
	}
}

func TestWhatDoesNotFitAnOptionIsNotLost(t *testing.T) {
	type reply struct {
		Left *uint8 `ic:"left"`
	}
	type sent struct {
		Left *uint `ic:"left"`
	}
	left := uint(300)
	message, err := candid.Marshal(sent{&left})
	if err != nil {
		t.Fatal(err)
	}
	var got reply
	if err := candid.UnmarshalFit(message, &got); err == nil {
		t.Errorf("300 is read as %v", got.Left)
	}
}
