package control

import (
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
	"github.com/canisterd/canisterd/replica"
)

// Units of limits; numbers have none.
const (
	unitBytes       = "bytes"
	unitNanoseconds = "ns"
)

// networkLimits lists the limits of a network that users meet.
func networkLimits() []*controlv1.Limit {
	return []*controlv1.Limit{
		{What: "subnets of a network", Most: replica.MaxSubnets},
		{What: "canisters of a subnet", Most: replica.MaxCanisters},
		{What: "admins of a subnet", Most: replica.MaxSubnetAdmins},
		{What: "instructions of a subnet in a round", Most: replica.RoundInstructions},
		{What: "messages of a subnet in a round", Most: replica.RoundMessages},
		{What: "instructions of a message before it waits for the next round", Most: replica.SliceInstructions},
		{What: "user's message", Most: replica.MaxIngressBytes, Unit: unitBytes},
		{What: "user's message to a system subnet", Most: replica.MaxIngressBytesSystem, Unit: unitBytes},
		{What: "time until a user's message expires", Most: replica.MaxIngressTTL, Unit: unitNanoseconds},
		{What: "call between subnets, its method and argument", Most: replica.MaxRequestBytes, Unit: unitBytes},
		{What: "messages on the way from one subnet to another", Most: replica.MaxStreamMessages},
		{What: "unanswered calls of the canisters of a subnet", Most: replica.SubnetCallbacks},
		{What: "messages of calls with guaranteed response, of a subnet", Most: replica.GuaranteedMessageBytes, Unit: unitBytes},
		{What: "messages of best-effort calls, of a subnet", Most: replica.BestEffortMessageBytes, Unit: unitBytes},
		{What: "messages that rules hold", Most: replica.MaxHeldBytes, Unit: unitBytes},
		{What: "depth of the calls of a composite query", Most: replica.MaxCompositeDepth},
	}
}
