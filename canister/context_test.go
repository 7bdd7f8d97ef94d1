package canister_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/test/canistertest"
)

// allowed is the specification's matrix: which functions may be called where, by the
// letters it uses ("*" is everything but s), with the types of parameters and
// results (p is a pointer) of a module with 32-bit memory.
const allowed = `
msg_arg_data_size : ->p : I U RQ NRQ TQ CQ Ry CRy F
msg_arg_data_copy : ppp-> : I U RQ NRQ TQ CQ Ry CRy F
msg_caller_size : ->p : *
msg_caller_copy : ppp-> : *
msg_caller_info_data_size : ->p : U RQ NRQ CQ Ry Rt CRy CRt C F
msg_caller_info_data_copy : ppp-> : U RQ NRQ CQ Ry Rt CRy CRt C F
msg_caller_info_signer_size : ->p : U RQ NRQ CQ Ry Rt CRy CRt C F
msg_caller_info_signer_copy : ppp-> : U RQ NRQ CQ Ry Rt CRy CRt C F
msg_reject_code : ->i : Ry Rt CRy CRt C
msg_reject_msg_size : ->p : Rt CRt
msg_reject_msg_copy : ppp-> : Rt CRt
msg_deadline : ->l : U RQ NRQ TQ CQ Ry Rt CRy CRt
msg_reply_data_append : pp-> : U RQ NRQ TQ CQ Ry Rt CRy CRt
msg_reply : -> : U RQ NRQ TQ CQ Ry Rt CRy CRt
msg_reject : pp-> : U RQ NRQ TQ CQ Ry Rt CRy CRt
msg_cycles_available : ->l : U RQ Rt Ry
msg_cycles_available128 : p-> : U RQ Rt Ry
msg_cycles_refunded : ->l : Rt Ry
msg_cycles_refunded128 : p-> : Rt Ry
msg_cycles_accept : l->l : U RQ Rt Ry
msg_cycles_accept128 : llp-> : U RQ Rt Ry
cycles_burn128 : llp-> : I G U RQ Ry Rt C T
canister_self_size : ->p : *
canister_self_copy : ppp-> : *
subnet_self_size : ->p : *
subnet_self_copy : ppp-> : *
subnet_self_node_count : ->i : *
canister_cycle_balance : ->l : *
canister_cycle_balance128 : p-> : *
canister_liquid_cycle_balance128 : p-> : *
canister_status : ->i : *
canister_version : ->l : *
msg_method_name_size : ->p : F
msg_method_name_copy : ppp-> : F
accept_message : -> : F
call_new : pppppppp-> : U CQ Ry Rt CRy CRt T
call_on_cleanup : pp-> : U CQ Ry Rt CRy CRt T
call_data_append : pp-> : U CQ Ry Rt CRy CRt T
call_with_best_effort_response : i-> : U CQ Ry Rt CRy CRt T
call_cycles_add : l-> : U Ry Rt T
call_cycles_add128 : ll-> : U Ry Rt T
call_perform : ->i : U CQ Ry Rt CRy CRt T
stable_size : ->i : * s
stable_grow : i->i : * s
stable_write : iii-> : * s
stable_read : iii-> : * s
stable64_size : ->l : * s
stable64_grow : l->l : * s
stable64_write : lll-> : * s
stable64_read : lll-> : * s
root_key_size : ->p : I G U RQ Ry Rt C T
root_key_copy : ppp-> : I G U RQ Ry Rt C T
certified_data_set : pp-> : I G U Ry Rt T
data_certificate_present : ->i : *
data_certificate_size : ->p : NRQ CQ
data_certificate_copy : ppp-> : NRQ CQ
time : ->l : *
global_timer_set : l->l : I G U Ry Rt C T
performance_counter : i->l : * s
is_controller : pp->i : * s
in_replicated_execution : ->i : * s
cost_call : llp-> : * s
cost_create_canister : p-> : * s
cost_http_request : llp-> : * s
cost_http_request_v2 : ppp-> : * s
cost_sign_with_ecdsa : ppip->i : * s
cost_sign_with_schnorr : ppip->i : * s
cost_vetkd_derive_key : ppip->i : * s
env_var_count : ->p : *
env_var_name_size : p->p : *
env_var_name_copy : pppp-> : *
env_var_name_exists : pp->i : *
env_var_value_size : pp->p : *
env_var_value_copy : ppppp-> : *
debug_print : pp-> : * s
trap : pp-> : * s
`

// narrowOnly are the functions a module with 64-bit memory does not have.
const narrowOnly = " msg_cycles_available msg_cycles_refunded msg_cycles_accept canister_cycle_balance call_cycles_add" +
	" stable_size stable_grow stable_write stable_read "

type systemFunction struct {
	name, params, results string
	where                 []string
}

func systemFunctions() []systemFunction {
	var all []systemFunction
	for line := range strings.Lines(strings.TrimSpace(allowed)) {
		parts := strings.Split(strings.TrimSpace(line), " : ")
		params, results, _ := strings.Cut(parts[1], "->")
		all = append(all, systemFunction{parts[0], params, results, strings.Fields(parts[2])})
	}
	return all
}

func (f systemFunction) allows(letter string) bool {
	for _, w := range f.where {
		if w == letter || w == "*" && letter != "s" {
			return true
		}
	}
	return false
}

func watTypes(types string, wide bool) string {
	pointer := "i32"
	if wide {
		pointer = "i64"
	}
	return strings.NewReplacer("p", pointer+" ", "i", "i32 ", "l", "i64 ").Replace(types)
}

// caller is a module that calls one function with zeros at every entry point; skip is an
// entry point that does not.
func (f systemFunction) caller(wide bool, entries string) string {
	var args strings.Builder
	for _, t := range strings.Fields(watTypes(f.params, wide)) {
		fmt.Fprintf(&args, "(%s.const 0)", t)
	}
	call := fmt.Sprintf("(call $f %s)", args.String())
	if f.results != "" {
		call = "(drop " + call + ")"
	}
	index := ""
	if wide {
		index = "i64 "
	}
	out := fmt.Sprintf(`(module
(import "ic0" %q (func $f (param %s) (result %s)))
(memory %s1) (table 2 funcref) (elem (i32.const 0) $closure)
(func $call %s)
(func $closure (param %s) (call $call))
(func $fail (param %s) unreachable)
(elem (i32.const 1) $fail)
`, f.name, watTypes(f.params, wide), watTypes(f.results, wide), index, call, watTypes("p", wide), watTypes("p", wide))
	for _, entry := range strings.Fields(entries) {
		if entry == "start" {
			out += "(start $call)\n"
			continue
		}
		out += fmt.Sprintf("(export %q (func $call))\n", strings.ReplaceAll(entry, "/", " "))
	}
	return out + ")"
}

const everyEntry = "canister_update/u canister_query/q canister_composite_query/c canister_inspect_message canister_heartbeat canister_global_timer canister_on_low_wasm_memory"

// outcomes runs the function in every context and gives what happened by letter.
func (f systemFunction) outcomes(p *canistertest.Place, wide bool) map[string]*intercanister.Reject {
	all := map[string]*intercanister.Reject{}
	install := func(entries string, mode canister.InstallMode) *intercanister.Reject {
		c := p.Empty()
		if mode == canister.Upgrade {
			c = p.Canister(p.Wat("(module)"), nil)
		}
		return c.Install(&p.Subnet, &canister.Install{Mode: mode, Module: p.Wat(f.caller(wide, entries)), Caller: canistertest.Controller}).Failure
	}
	all["s"] = install("start", canister.InstallFresh)
	all["I"] = install("canister_init", canister.InstallFresh)
	all["I (post_upgrade)"] = install("canister_post_upgrade", canister.Upgrade)
	old := p.Canister(p.Wat(f.caller(wide, "canister_pre_upgrade")), nil)
	all["G"] = old.Install(&p.Subnet, &canister.Install{Mode: canister.Upgrade, Module: p.Wat("(module)"), Caller: canistertest.Controller}).Failure

	c := p.Canister(p.Wat(f.caller(wide, everyEntry)), nil)
	execute := func(m canister.Message) *intercanister.Reject {
		m.Caller = canistertest.User
		return c.Execute(&p.Subnet, &m).Failure
	}
	query := func(m canister.Message) *intercanister.Reject {
		m.Caller = canistertest.User
		q, reject := c.PrepareQuery()
		if reject != nil {
			return reject
		}
		defer q.Release()
		return q.Run(&p.Subnet, &m).Failure
	}
	no := intercanister.Rejectf(intercanister.CanisterRejectedMessage, "no")
	all["U"] = execute(canister.Message{Context: canister.Update, Method: "u"})
	all["RQ"] = execute(canister.Message{Context: canister.ReplicatedQuery, Method: "q"})
	all["Ry"] = execute(canister.Message{Context: canister.ReplyCallback})
	all["Rt"] = execute(canister.Message{Context: canister.RejectCallback, Reject: no})
	all["C"] = execute(canister.Message{Context: canister.ReplyCallback, Closure: intercanister.Closure{Fn: 1}, Cleanup: &intercanister.Closure{Fn: 0}})
	all["T"] = execute(canister.Message{Context: canister.Heartbeat})
	all["T (timer)"] = execute(canister.Message{Context: canister.GlobalTimer})
	all["T (low)"] = execute(canister.Message{Context: canister.LowMemory})
	all["NRQ"] = query(canister.Message{Context: canister.Query, Method: "q", Certificate: []byte{1}})
	all["TQ"] = query(canister.Message{Context: canister.TransformQuery, Method: "q"})
	all["CQ"] = query(canister.Message{Context: canister.CompositeQuery, Method: "c", Certificate: []byte{1}})
	all["CRy"] = query(canister.Message{Context: canister.CompositeReply})
	all["CRt"] = query(canister.Message{Context: canister.CompositeReject, Reject: no})
	all["F"] = query(canister.Message{Context: canister.InspectMessage, Method: "u"})
	return all
}

// modes are the replica's names of the contexts.
var modes = map[string]string{
	"s": "start", "I": "init", "I (post_upgrade)": "init", "G": "pre upgrade", "U": "update", "RQ": "replicated query",
	"NRQ": "non replicated query", "TQ": "non replicated query", "CQ": "composite query", "Ry": "reply callback", "Rt": "reject callback",
	"CRy": "composite reply callback", "CRt": "composite reject callback", "C": "cleanup", "F": "inspect message",
	"T": "heartbeat", "T (timer)": "global timer", "T (low)": "on low Wasm memory",
}

func TestEveryFunctionHasItsContexts(t *testing.T) {
	var known, listed []string
	for _, f := range canister.SystemAPI() {
		known = append(known, f.Name)
	}
	for _, f := range systemFunctions() {
		listed = append(listed, f.name)
	}
	listed = append(listed, "mint_cycles128") // of the cycles minting canister alone: replica/testdata/real/system_api_mint.txt
	slices.Sort(known)
	slices.Sort(listed)
	if !slices.Equal(known, listed) {
		t.Errorf("the functions are %q, the table has %q", known, listed)
	}
}

func TestEveryFunctionWorksInItsContextsAndTrapsInAllOthers(t *testing.T) {
	t.Parallel()
	p := canistertest.NewPlace(t)
	for _, f := range systemFunctions() {
		for _, wide := range []bool{false, true} {
			if wide && strings.Contains(narrowOnly, " "+f.name+" ") {
				continue
			}
			for context, reject := range f.outcomes(p, wide) {
				letter, _, _ := strings.Cut(context, " ")
				checkContext(t, f, wide, context, letter, reject)
			}
		}
	}
}

func checkContext(t *testing.T, f systemFunction, wide bool, context, letter string, reject *intercanister.Reject) {
	t.Helper()
	name := "ic0_" + f.name
	if f.name == "subnet_self_copy" || f.name == "root_key_copy" {
		name = "ic0." + f.name
	}
	want := fmt.Sprintf("Canister violated contract: %q cannot be executed in %s mode.\nCheck the ICP documentation to make sure APIs are being called in the correct message types. "+
		"See documentation: https://internetcomputer.org/docs/current/references/execution-errors#calling-a-system-api-from-the-wrong-mode", name, modes[context])
	if letter == "C" {
		want, _, _ = strings.Cut(want, ".\n")
	}
	refused := reject != nil && strings.Contains(reject.Text, "cannot be executed in "+modes[context]+" mode")
	switch {
	case f.allows(letter) && refused:
		t.Errorf("%s is refused in %s (wide: %v): %s", f.name, context, wide, reject.Text)
	case !f.allows(letter) && !refused:
		t.Errorf("%s is allowed in %s (wide: %v): %v", f.name, context, wide, reject)
	case refused && (reject.Error != intercanister.CanisterContractViolation && letter != "C" || !strings.HasSuffix(reject.Text, want)):
		t.Errorf("%s in %s says %s\nwant %s", f.name, context, reject.Text, want)
	}
}

func TestAModuleWith64BitMemoryCannotImportWhatIsOfOldTimes(t *testing.T) {
	p := canistertest.NewPlace(t)
	for _, f := range systemFunctions() {
		if !strings.Contains(narrowOnly, " "+f.name+" ") {
			continue
		}
		_, reject := p.Engine.Prepare(t.Context(), assemble(t, f.caller(true, "canister_init")))
		if reject == nil || reject.Error != intercanister.CanisterInvalidWasm || !strings.Contains(reject.Text, f.name) {
			t.Errorf("a wide module may import %s: %v", f.name, reject)
		}
	}
}
