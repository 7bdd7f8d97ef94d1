package cycles

// Rates are the pay-as-you-go prices of HTTP outcalls (interface specification, "IC
// method http_request", pricing_version 2). The zero value is free. Source: the replica's
// https_outcalls/pricing/src/fees.rs.
type Rates struct {
	// The base fee, for each node of the subnet.
	Request                uint64 // every outcall
	RequestByte            uint64
	ReplicatedNode         uint64 // of a fully replicated outcall, for each node
	ReplicatedNodePair     uint64 // and for each pair of nodes
	CommitteeNode          uint64 // of any other outcall, for each node
	CommitteeNodeResponse  uint64 // and for each node and response
	CommitteeResponseExtra uint64 // and for each response

	// What a node pays from its allowance.
	DownloadedByte uint64
	Millisecond    uint64
	GossipByte     uint64 // for each node of the subnet; not if the outcall is fully replicated

	// The price of responses in a block, for each node of the subnet.
	BlockNodeByte uint64 // for each node and byte
	BlockByte     uint64
}

func payAsYouGo() Rates {
	return Rates{
		Request:                1_000_000,
		RequestByte:            50,
		ReplicatedNode:         140_000,
		ReplicatedNodePair:     800,
		CommitteeNode:          90_000,
		CommitteeNodeResponse:  2_000,
		CommitteeResponseExtra: 100_000,
		DownloadedByte:         50,
		Millisecond:            300,
		GossipByte:             50,
		BlockNodeByte:          10,
		BlockByte:              600,
	}
}

const (
	// TransformDivisor is how many instructions of a transform cost one cycle, on a subnet of any size.
	TransformDivisor = 13
	// MaxOutcallReject is the length of the largest reject of a node for an outcall. Any response may turn out to be
	// one, so responses are charged as if they were at least as long.
	MaxOutcallReject = 1_025
	// FlexibleResponseOverhead is the size of a response to a flexible outcall in a block in addition to its content,
	// in bytes.
	FlexibleResponseOverhead = 181
)

// Replication says which nodes of a subnet make an outcall.
type Replication uint8

// The kinds of replication.
const (
	FullyReplicated Replication = iota // all of them, and they agree on one response
	NonReplicated                      // one
	Flexible                           // a committee, whose responses are all delivered
)

// Committee is the replication of an outcall. The counts are for a flexible one.
type Committee struct {
	Replication Replication
	Total       uint32 // nodes that make the request
	Min         uint32 // responses that are needed for success
	Max         uint32 // responses that are delivered
}

// DefaultCommittee returns the committee of a flexible outcall that names none, on a subnet with a number of nodes.
func DefaultCommittee(nodes uint64) Committee {
	n := uint32(nodes)
	return Committee{Flexible, n, 2*n/3 + 1, n}
}

// Nodes returns how many nodes make the request on a subnet of a given size.
func (c *Committee) Nodes(subnet uint64) uint64 {
	switch c.Replication {
	case NonReplicated:
		return 1
	case Flexible:
		return uint64(c.Total)
	}
	return subnet
}

// responses returns the number of responses that the base fee covers.
func (c *Committee) responses() uint64 {
	if c.Replication == NonReplicated {
		return 1
	}
	return uint64(c.Min)
}

// Usage is what one node uses for an outcall.
type Usage struct {
	Milliseconds uint64 // from the request to the end of the response
	Raw          uint64 // bytes of the response as it arrives
	Transformed  uint64 // bytes of the response after the transform
	Instructions uint64 // of the transform
}

// OutcallThreshold returns how many of n nodes must agree on the response to an outcall.
func OutcallThreshold(n uint64) uint64 { return n - (n-1)/3 }

// OutcallBaseFee returns the part of the price of an outcall that is taken in advance and kept.
func (s *Schedule) OutcallBaseFee(request uint64, c Committee) Amount {
	r := &s.PayAsYouGo
	each := Of(r.Request).Add(Of(r.RequestByte).Mul(request))
	if c.Replication == FullyReplicated {
		each = each.Add(Of(r.ReplicatedNode).Mul(s.Nodes)).Add(Of(r.ReplicatedNodePair).Mul(s.Nodes).Mul(s.Nodes))
	} else {
		each = each.Add(Of(r.CommitteeNode).Mul(s.Nodes)).
			Add(Of(r.CommitteeNodeResponse).Mul(s.Nodes).Mul(c.responses())).
			Add(Of(r.CommitteeResponseExtra).Mul(c.responses()))
	}
	return each.Mul(s.Nodes)
}

// OutcallDownload returns the price of a response for a node.
func (s *Schedule) OutcallDownload(bytes, milliseconds uint64) Amount {
	r := &s.PayAsYouGo
	return Of(r.DownloadedByte).Mul(bytes).Add(Of(r.Millisecond).Mul(milliseconds))
}

// OutcallTransform returns the price of the instructions of a transform for a node.
func (s *Schedule) OutcallTransform(instructions uint64) Amount {
	if s.PayAsYouGo == (Rates{}) {
		return Amount{}
	}
	return Of(instructions / TransformDivisor)
}

// OutcallGossip returns the price for a node of sending its content to the others.
func (s *Schedule) OutcallGossip(bytes uint64, c Committee) Amount {
	if c.Replication == FullyReplicated {
		return Amount{}
	}
	return Of(s.PayAsYouGo.GossipByte).Mul(bytes).Mul(s.Nodes)
}

// OutcallBlock returns the price of bytes of responses in a block.
func (s *Schedule) OutcallBlock(bytes uint64) Amount {
	return s.blockOf(Of(bytes))
}

// OutcallExtra returns the price of responses beyond those that the base fee covers.
func (s *Schedule) OutcallExtra(responses uint64) Amount {
	r := &s.PayAsYouGo
	return Of(r.CommitteeNodeResponse).Mul(s.Nodes).Add(Of(r.CommitteeResponseExtra)).Mul(s.Nodes).Mul(responses)
}

// OutcallUsage returns the maximum cost of an outcall in addition to its base fee if each node that makes the request
// needs u, for any result. It is a multiple of the number of those nodes: each gets an equal part as its allowance.
func (s *Schedule) OutcallUsage(u Usage, c Committee) Amount {
	nodes := c.Nodes(s.Nodes)
	if nodes == 0 {
		return Amount{}
	}
	response := max(u.Transformed, MaxOutcallReject)
	each := s.OutcallDownload(u.Raw, u.Milliseconds).Add(s.OutcallTransform(u.Instructions)).Add(s.OutcallGossip(response, c))
	return each.Add(s.deliveryShare(response, nodes, c)).Mul(nodes)
}

// deliveryShare returns the part of the price of delivering responses that each of the nodes must have: the nodes that
// contribute to a result pay for it from the rest of their budgets.
func (s *Schedule) deliveryShare(response, nodes uint64, c Committee) Amount {
	switch {
	case c.Replication == NonReplicated:
		return s.OutcallBlock(response)
	case c.Replication == FullyReplicated:
		return s.OutcallBlock(response).DivCeil(OutcallThreshold(nodes))
	case c.Max == 0:
		return Amount{} // nothing is delivered
	}
	bytes := Of(FlexibleResponseOverhead).Add(Of(response)).Mul(nodes)
	extra := uint64(c.Total - min(c.Min, c.Total))
	return s.blockOf(bytes).Add(s.OutcallExtra(extra)).DivCeil(nodes)
}

// blockOf is OutcallBlock for bytes that may be more than 2^64-1.
func (s *Schedule) blockOf(bytes Amount) Amount {
	r := &s.PayAsYouGo
	return bytes.Mul((r.BlockNodeByte*s.Nodes + r.BlockByte) * s.Nodes)
}

// OutcallPrice returns the result of ic0.cost_http_request_v2: what to attach to an outcall.
func (s *Schedule) OutcallPrice(request uint64, u Usage, c Committee) Amount {
	return s.OutcallBaseFee(request, c).Add(s.OutcallUsage(u, c))
}
