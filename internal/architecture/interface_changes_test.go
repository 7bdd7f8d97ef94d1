package architecture

import (
	"fmt"
	"strings"
)

// change is a change of the specification or of the Rust CDK after version 0.66.0, what we do, and
// the script or test that shows it; none where we differ.
type change struct{ from, what, here, proof string }

// changes are all since 0.66.0 (2026-08-17), and before them where we differ on purpose.
var changes = []change{
	{"0.67.0", "`log_memory_limit` is a setting, 0 or 4,096 to 2,097,152; `log_memory_store_size` is in `memory_metrics`", "built", "management_settings.txt"},
	{"0.67.0", "the oldest logs go first; the store is billed whole", "built", "management_logs.txt"},
	{"0.67.0", "a canister that runs out of cycles has its `log_memory_limit` reset", "built: to the default, 4,096, like the allocations; the changelog does not name the value", "charging.txt"},
	{"0.67.0", "`fetch_canister_logs` has a `filter`, and as many records as a response holds", "built", "TestALogFilterIsHalfOpen"},
	{"0.67.0", "canisters call `fetch_canister_logs`", "built: free, attached cycles come back", "TestCanistersFetchLogsWithoutAFee"},
	{"0.67.0", "users and composite queries query `canister_info`", "built", "TestCanisterInfoIsQueriedByEveryone"},
	{"0.67.0", "`secp256r1` of `ecdsa_curve`; curve 1 of `cost_sign_with_ecdsa`", "built: every ECDSA key has it, although mainnet has no such key yet", "TestACanisterOfTheNewestRustCDKSignsOverSecp256r1"},
	{"ic0 1.2", "`subnet_self_node_count`, `cost_http_request_v2`", "built; not in the specification yet", "TestACanisterOfTheNewestRustCDKKnowsNodesAndPrices"},
	{"types 0.10", "`pricing_version` of `http_request`", "built: every value except 2 means version 1, as in the replica", "outcalls_pricing.txt"},
	{"types 0.10", "`flexible_http_request`", "built; one daemon makes the requests of all nodes", "TestAFlexibleOutcallIsMadeOnceForEachNodeOfItsCommittee"},
	{"types 0.10", "`subnet_metrics`", "built; consumed cycles are as of the last count", "real/subnets.txt"},
	{"types 0.11", "`million_round_instructions_total` of `subnet_metrics`", "built", "real/subnets.txt"},
	{"all", "the service declares `canister_status` and `canister_metrics` as queries", "differs: declared as calls, because clients follow the declaration and a call is certified; both forms work", ""},
	{"all", "outcalls go by https to the public internet", "differs: http is allowed unless outcalls are strict; this computer is allowed if a flag names it", ""},
	{"all", "all nodes make the request of an outcall", "differs: one request answers for all nodes unless outcalls are replicated or strict", ""},
	{"all", "provisional methods are for testing environments", "differs: they are open to everyone, as in other local networks", ""},
	{"all", "the bitcoin methods", "differs: deprecated, and rejected without a bitcoin canister", ""},
}

// specification lists the changes. A proof that is not there is a fault of the page.
func (p *page) specification() {
	p.section("Changes of the specification", "These are the newest available versions: interface specification 0.67.0 (2026-08-31), `ic0` 1.2.0,\n`ic-cdk` 0.20.3, `ic-cdk-management-canister` 0.3.0 and\n"+
		"`ic-management-canister-types` 0.11.0 (types, 2026-10-02). The rest of this page follows 0.66.0.\nThe table lists the changes since then, and intended differences.",
		"since", "change", "here", "shown by")
	for _, c := range changes {
		shown := "–"
		if c.proof != "" {
			shown = p.named(c.proof)
		}
		fmt.Fprintf(p, "| %s |\n", strings.Join([]string{c.from, c.what, c.here, shown}, " | "))
	}
}

// named is the first proof with a name: the name of a test, or of a script's file.
func (p *page) named(name string) string {
	for _, one := range p.proofs {
		if one.test == name || one.script() && strings.HasSuffix(one.file, "/"+name) {
			return one.String()
		}
	}
	p.faults = append(p.faults, "a change is shown by "+name+", which is not there")
	return ""
}
