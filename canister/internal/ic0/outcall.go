package ic0

import (
	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/intercanister/cycles"
)

// outcallUsage is the argument of ic0.cost_http_request_v2.
type outcallUsage struct {
	Request      uint64       `ic:"request_bytes"`
	Milliseconds uint64       `ic:"http_roundtrip_time_ms"`
	Raw          uint64       `ic:"raw_response_bytes"`
	Transformed  uint64       `ic:"transformed_response_bytes"`
	Instructions uint64       `ic:"transform_instructions"`
	Type         *outcallType `ic:"outcall_type"`
}

type outcallType struct {
	FullyReplicated *candid.Reserved `ic:"fully_replicated,variant"`
	NonReplicated   *candid.Reserved `ic:"non_replicated,variant"`
	Flexible        **replication    `ic:"flexible,variant"`
}

type replication struct {
	Min   uint32 `ic:"min_responses"`
	Max   uint32 `ic:"max_responses"`
	Total uint32 `ic:"total_requests"`
}

// reservedValue is the quota of skipped values in an argument: the value of a case of its variant. A field that the
// type does not have is an error, as in the replica.
const reservedValue = 1

// outcallPrice returns the cost of an outcall with a usage. As in the replica, impossible counts are priced like any
// others.
func (x *Execution) outcallPrice(argument []byte) cycles.Amount {
	var a outcallUsage
	if err := (candid.Quota{Skip: reservedValue}).Unmarshal(argument, &a); err != nil {
		x.misuse("Failed to decode HttpRequestV2CostParams from Candid: %s", err)
	}
	usage := cycles.Usage{Milliseconds: a.Milliseconds, Raw: a.Raw, Transformed: a.Transformed, Instructions: a.Instructions}
	return x.Subnet.Fees.OutcallPrice(a.Request, usage, a.Type.committee(x.Subnet.Fees.Nodes))
}

// committee returns the committee of an outcall; an outcall without a type is fully replicated.
func (t *outcallType) committee(nodes uint64) cycles.Committee {
	switch {
	case t == nil || t.FullyReplicated != nil:
		return cycles.Committee{}
	case t.NonReplicated != nil:
		return cycles.Committee{Replication: cycles.NonReplicated}
	case *t.Flexible == nil:
		return cycles.DefaultCommittee(nodes)
	}
	counts := *t.Flexible
	return cycles.Committee{Replication: cycles.Flexible, Total: counts.Total, Min: counts.Min, Max: counts.Max}
}
