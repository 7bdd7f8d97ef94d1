package ic0

import "testing"

// price is instructions for a call, and for each unit of some of its parameters.
type price struct {
	fixed uint64
	each  map[int]uint64
}

// prices are the functions that cost other than 500 instructions whatever they are called with.
var prices = map[string]price{
	"msg_arg_data_copy": {500, each(2, 1)}, "msg_caller_copy": {500, each(2, 1)}, "msg_reject_msg_copy": {500, each(2, 1)}, "msg_method_name_copy": {500, each(2, 1)},
	"msg_caller_info_data_copy": {500, each(2, 1)}, "msg_caller_info_signer_copy": {500, each(2, 1)},
	"canister_self_copy": {500, each(2, 1)}, "subnet_self_copy": {500, each(2, 1)}, "root_key_copy": {500, each(2, 1)}, "data_certificate_copy": {500, each(2, 1)},
	"env_var_name_copy": {500, each(3, 1)}, "env_var_value_copy": {500, each(4, 1)}, "certified_data_set": {500, each(1, 1)},
	"msg_reply_data_append": {500, each(1, 50)}, "msg_reject": {500, each(1, 50)}, "call_data_append": {500, each(1, 50)},
	"call_new": {1500, map[int]uint64{1: 1, 3: 1}}, "call_perform": {5000, nil}, "is_controller": {1000, each(1, 1)}, "performance_counter": {200, nil},
	"mint_cycles128":       {}, // the replica charges the operator alone
	"cost_http_request_v2": {10_000, nil}, "cost_sign_with_ecdsa": {500, each(1, 1)}, "cost_sign_with_schnorr": {500, each(1, 1)}, "cost_vetkd_derive_key": {500, each(1, 1)},
	"stable_size": {}, "stable64_size": {}, "stable_grow": {100, nil}, "stable64_grow": {100, nil},
	"stable_read": {20, each(2, 1)}, "stable64_read": {20, each(2, 1)}, "stable_write": {20, each(2, 1)}, "stable64_write": {20, each(2, 1)},
	// Without room in the log; with room they cost more.
	"debug_print": {100, nil}, "trap": {500, each(1, 1)},
}

func each(parameter int, instructions uint64) map[int]uint64 {
	return map[int]uint64{parameter: instructions}
}

func TestEveryFunctionHasItsPriceAndThatOfItsBytes(t *testing.T) {
	known := make(map[string]bool)
	for _, f := range functions() {
		known[f.name] = true
		want, special := prices[f.name]
		if !special {
			want.fixed = 500
		}
		stack := make([]uint64, len(f.params)+1)
		total := want.fixed
		for i := range f.params {
			stack[i] = 1000 << (4 * i)
			total += stack[i] * want.each[i]
		}
		if got := f.cost.of(&Execution{Subnet: new(Subnet), Message: new(Message)}, stack); got != total {
			t.Errorf("%s costs %d, want %d", f.name, got, total)
		}
	}
	for name := range prices {
		if !known[name] {
			t.Errorf("there is no function %s", name)
		}
	}
}

func TestWhatIsLoggedCostsAsLongAsTheLogHasRoom(t *testing.T) {
	for _, c := range []struct {
		function             string
		room, used, n, price uint64
		printing, system     bool
	}{
		{"debug_print", 4096, 0, 100, 100 + 200 + 5000, false, false},
		{"debug_print", 4096, 4046, 100, 100 + 200 + 50*50, false, false},
		{"debug_print", 4096, 4096, 100, 100 + 200, false, false},
		{"debug_print", 4096, 0, 10_000, 100 + 2*4096 + 50*4096, false, false},
		{"debug_print", 4096, 0, 100, 100 + 200 + 5000 + 100, true, false},
		{"debug_print", 4096, 0, 100, 100 + 200 + 5000 + 100, false, true},
		{"debug_print", 0, 0, 1 << 63, 100, false, false},
		{"debug_print", 0, 0, 1<<64 - 1, 1<<64 - 1, true, false},
		{"trap", 4096, 0, 100, 500 + 100 + 200 + 5000, false, false},
		{"trap", 4096, 0, 10_000, 500 + 10_000 + 2*4096 + 50*4096, true, true},
		{"trap", 4096, 0, 1<<64 - 1, 1<<64 - 1, false, false},
	} {
		x := &Execution{Subnet: new(Subnet), Message: new(Message)}
		x.Subnet.Unthrottled, x.Subnet.System, x.log.room, x.log.bytes = c.printing, c.system, c.room, c.used
		for _, f := range debugFunctions() {
			if got := f.cost.of(x, []uint64{0, c.n}); f.name == c.function && got != c.price {
				t.Errorf("%s of %d bytes costs %d, want %d", c.function, c.n, got, c.price)
			}
		}
	}
}

func TestASizeNoSliceHasInstructionsForIsMoreThanAnInt64(t *testing.T) {
	for _, f := range functions() {
		for i := range prices[f.name].each {
			stack := make([]uint64, len(f.params)+1)
			stack[i] = 1<<64 - 1
			got := f.cost.of(&Execution{Subnet: new(Subnet), Message: new(Message)}, stack)
			if f.native {
				if got != stableAccess-1 {
					t.Errorf("%s costs %d: the sum wraps", f.name, got)
				}
				continue
			}
			if got < 1<<63 {
				t.Errorf("%s costs %d for 2^64-1 bytes", f.name, got)
			}
		}
	}
}
