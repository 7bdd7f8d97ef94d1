package management

import (
	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/principal"
)

// Arguments and results of the methods for subnets.

type subnetInfoArg struct {
	Subnet principal.Principal `ic:"subnet_id"`
}

func (a *subnetInfoArg) destination() principal.Principal { return a.Subnet }

type subnetInfoResult struct {
	Version  string `ic:"replica_version"`
	Registry uint64 `ic:"registry_version"`
}

// subnetMetricsResult is subnet_metrics_result.
type subnetMetricsResult struct {
	Height       uint       `ic:"block_height"`
	Canisters    uint       `ic:"num_canisters"`
	StateBytes   uint       `ic:"canister_state_bytes"`
	Consumed     candid.Nat `ic:"consumed_cycles_total"`
	Transactions uint       `ic:"update_transactions_total"`
	Instructions uint       `ic:"million_round_instructions_total"`
}

type nodeMetricsArg struct {
	Subnet principal.Principal `ic:"subnet_id"`
	Start  uint64              `ic:"start_at_timestamp_nanos"`
}

func (a *nodeMetricsArg) destination() principal.Principal { return a.Subnet }

type nodeMetricsDay struct {
	Time  uint64        `ic:"timestamp_nanos"`
	Nodes []nodeMetrics `ic:"node_metrics"`
}

type nodeMetrics struct {
	Node   principal.Principal `ic:"node_id"`
	Made   uint64              `ic:"num_blocks_proposed_total"`
	Failed uint64              `ic:"num_block_failures_total"`
}

// subnetMethods returns the methods for subnets.
func subnetMethods() []method {
	return []method{
		withHandler(method{name: "node_metrics_history", result: of[[]nodeMetricsDay](), users: notByIngress}, read, nodeMetricsHistory),
		withHandler(method{name: "subnet_info", result: of[subnetInfoResult](), users: notByIngress}, read, subnetInfo),
		withHandler(method{name: "subnet_metrics", result: of[subnetMetricsResult](), users: notByIngress}, read, subnetMetrics),
	}
}
