package architecture

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/canisterd/canisterd/replica"
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

// replicaChange is a change of the replica that no version of the specification announces.
type replicaChange struct{ when, seen, before, after, here, proof string }

// replicaChanges are those from June to October 2026 that touch prices, management methods, the System API, limits or
// PocketIC, as far as public threads of the replica's repository and changelogs of libraries show them, by month and
// number.
var replicaChanges = []replicaChange{
	{"2026-06", "dfinity/ic#10398, #11119", "every call was accepted", "setting `minimum_incoming_canister_call_cycles`", "built", "management_settings.txt"},
	{"2026-06", "dfinity/ic#10430, #10475, #10816", "no limit of locals in a function", "a limit that every existing canister keeps; withdrawn, and set again in 2026-07", "the value cannot be seen: ours stays, 50,000, the engine's", ""},
	{"2026-06", "dfinity/ic#10574", "`wasm_memory_threshold` up to 2^64-1", "at most the maximum of `wasm_memory_limit`", "built", "management_settings.txt"},
	{"2026-06", "`pocket-ic` 15.0.0", "an instance of PocketIC kept all its subnets", "`delete_subnet`", "built", "pocketic/testdata/subnets.txt"},
	{"2026-06", "`pocket-ic` 15.0.0, types 0.9.0", "outcalls were GET, HEAD, POST, PUT or DELETE", "`PATCH` is in the types; the replica rejects it until all nodes have it", "rejected", "real/outcalls.txt"},
	{"2026-07", "dfinity/ic#10667, #11119", "only controllers read the status", "setting `status_visibility`", "built", "management_settings.txt"},
	{"2026-07", "dfinity/ic#10687, #10879", "canisters paid for `fetch_canister_logs`, behind a flag", "free for canisters, attached cycles come back", "built", "TestCanistersFetchLogsWithoutAFee"},
	{"2026-07", "dfinity/ic#10727, #10761", "the price of an outcall was fixed when it was made", "unused cycles of pricing version 2 come back after the answer", "built", "outcalls_pricing.txt"},
	{"2026-07", "dfinity/ic#10918", "instructions of installing a 64-bit module cost twice those of a 32-bit one", "both cost the same", "built, for `load_canister_snapshot` too: the thread names compiling, and no method", "width.txt"},
	{"2026-08", "dfinity/ic#10987, #11104", "composite queries did not call the management canister", "they call its query methods on their own subnet; other methods are rejected with \"Query method http_request not found.\"", "built", "queries_composite.txt"},
	{"2026-08", "dfinity/ic#11032", "the metrics of a subnet were in the certified tree only", "canisters call `subnet_metrics`", "built", "real/subnets.txt"},
	{"2026-08", "dfinity/ic#11036", "120,000 canisters on a subnet", "250,000", "built", "TestASubnetHosts250000Canisters"},
	{"2026-08", "dfinity/ic#11152", "only `install_code` counted for the rate limit of installations", "compiling in `load_canister_snapshot` counts, even if it fails later", "built", "rate_limits.txt"},
	{"2026-08", "dfinity/ic#11245", "PocketIC rejected flexible outcalls", "it has them, and pricing version 2", "built", "TestAFlexibleOutcallIsMadeOnceForEachNodeOfItsCommittee"},
	{"2026-09", "dfinity/ic#11414", "a callback was prepaid in the width of the call and refunded in its own", "the prepayment is adjusted before the callback; without the cycles for it the call is rejected, and only the fee of a message is kept", "built", "width.txt"},
	{"2026-09", "dfinity/ic#11431", "on free subnets the metrics of consumed cycles kept the width of the call", "adjusted like the balance", "differs: a free subnet counts no consumed cycles here", ""},
	{"2026-09", "dfinity/ic#11464", "a subnet split lost the prepayment of an interrupted `install_code`", "it returns", "does not apply: subnets are not split", ""},
	{"2026-09", "dfinity/ic#11517", "public types without flexible outcalls", "`flexible_http_request` and `pricing_version`", "built", "outcalls_pricing.txt"},
	{"2026-09", "`pocket-ic` 16.0.0", "any caller who may not read the status got IC0512", "`CanisterStatusAccessDenied`, IC0542", "built; older clients of PocketIC get IC0512", "TestOlderClientsReadErrorCodesThatTheyKnow"},
	{"2026-09", "`pocket-ic` 16.0.0", "", "`SubnetCoolingDown`, IC0211, for messages to a subnet that cools down", "does not apply: no subnet cools down", ""},
	{"2026-09", "`pocket-ic` 16.0.0", "flexible outcalls and pricing version 2 where outcalls are free", "everywhere, if `beta_features` are on", "differs: everywhere, always", ""},
	{"2026-09", "`pocket-ic` 16.0.0", "`auto_progress` answered before the time of the instance had moved", "it answers after the first round at the new time", "built", "live.txt"},
	{"2026-10", "`pocket-ic` 16.1.0, types 0.11", "ECDSA keys over secp256k1", "over secp256r1 too", "built", "TestACanisterOfTheNewestRustCDKSignsOverSecp256r1"},
	{"any", "the replica's stream builder", "", "a call to an id outside every subnet is rejected with \"No route to canister\", code 3", "the same: kept", "calls.txt"},
}

// replica lists the changes of the replica.
func (p *page) replica() {
	p.section("Changes of the replica", "From June to October 2026, as far as the threads of its repository and the changelogs of the crates `pocket-ic` and\n`ic-management-canister-types` (types) show them; those of `ic0` and `ic-cdk` have no others than the table above. A\nvalue that cannot be seen is marked so.",
		"when", "seen in", "before", "after", "here", "shown by")
	for _, c := range replicaChanges {
		shown := "–"
		if c.proof != "" {
			shown = p.named(c.proof)
		}
		fmt.Fprintf(p, "| %s |\n", strings.Join([]string{c.when, c.seen, cmp.Or(c.before, "–"), c.after, c.here, shown}, " | "))
	}
}

// specification lists the changes. A proof that is not there is a fault of the page.
func (p *page) specification() {
	p.section("Changes of the specification", "These are the newest available versions: interface specification "+replica.SpecificationVersion+" (2026-08-31), `ic0` 1.2.0,\n`ic-cdk` 0.20.3, `ic-cdk-management-canister` 0.3.0 and\n"+
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
