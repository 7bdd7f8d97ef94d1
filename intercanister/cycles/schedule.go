package cycles

// Schedule is the price list of one subnet: the fees of a 13-node application subnet, scaled to the number of nodes.
// System subnets and the free schedule have separate lists. Source: the replica's cycles account manager, as the
// specification's cost tables quote it.
type Schedule struct {
	Nodes     uint64 // of this subnet
	Reference uint64 // nodes the fees are quoted for: 13

	CanisterCreation    uint64
	UpdateExecution     uint64 // per message, before instructions
	TenInstructions     uint64 // of a canister with 32-bit memory
	TenInstructionsWide uint64 // of a canister with 64-bit memory
	Call                uint64 // per call between canisters
	CallByte            uint64
	Ingress             uint64 // per ingress message
	IngressByte         uint64
	GiBSecond           uint64
	BaseSecond          uint64 // per canister that uses any memory
	ComputeSecond       uint64 // per percent of compute allocation
	Signature           uint64 // ECDSA, Schnorr, vetKD alike

	// HTTP outcalls, for each node: the call, again for each node, and bytes.
	OutcallBase         uint64
	OutcallNode         uint64
	OutcallRequestByte  uint64
	OutcallResponseByte uint64
	// PayAsYouGo are the prices of HTTP outcalls of pricing version 2.
	PayAsYouGo Rates

	// Growing past Threshold bytes of subnet memory reserves cycles for up to
	// ReservationSeconds at Capacity.
	ReservationSeconds uint64
}

// AsOf is the month whose prices of the Internet Computer the lists have.
const AsOf = "2026-09"

// Application returns the price list of an application subnet with this many nodes.
func Application(nodes uint64) Schedule {
	return Schedule{
		Nodes: nodes, Reference: 13,
		CanisterCreation:    500_000_000_000,
		UpdateExecution:     5_000_000,
		TenInstructions:     10,
		TenInstructionsWide: 20,
		Call:                260_000,
		CallByte:            1_000,
		Ingress:             1_200_000,
		IngressByte:         2_000,
		GiBSecond:           317_500,
		BaseSecond:          10_000,
		ComputeSecond:       10_000_000,
		Signature:           10_000_000_000,
		OutcallBase:         3_000_000,
		OutcallNode:         60_000,
		OutcallRequestByte:  400,
		OutcallResponseByte: 800,
		PayAsYouGo:          payAsYouGo(),
		ReservationSeconds:  300_000_000,
	}
}

// System returns the price list of a system subnet: only signatures cost cycles.
func System(nodes uint64) Schedule {
	return Schedule{Nodes: nodes, Reference: 13, Signature: 10_000_000_000}
}

const (
	// MaxResponseBytes is the size of response that a caller pays for in advance.
	MaxResponseBytes = 2 << 20
	secondsPerDay    = 86_400
	gib              = 1 << 30
)

// Scale returns floor(a*Nodes/Reference): fees grow with the subnet.
func (s *Schedule) Scale(a Amount) Amount {
	if s.Nodes == s.Reference {
		return a
	}
	return a.Mul(s.Nodes).Div(s.Reference)
}

func (s *Schedule) scaled(n uint64) Amount { return s.Scale(Of(n)) }

func (s *Schedule) instructions(n uint64, wide bool) Amount {
	fee := s.TenInstructions
	if wide {
		fee = s.TenInstructionsWide
	}
	return Of(n).Mul(fee).Div(10)
}

// Execution returns the price of one message that runs n instructions.
func (s *Schedule) Execution(n uint64, wide bool) Amount {
	return s.Scale(Of(s.UpdateExecution).Add(s.instructions(n, wide)))
}

// ExecutionRefund returns the refund for n instructions that were paid in advance and did not run. It is scaled
// separately, so on a subnet that is not of the reference size the prepayment minus the refund may differ by one from
// the price of the executed instructions.
func (s *Schedule) ExecutionRefund(n uint64, wide bool) Amount {
	return s.Scale(s.instructions(n, wide))
}

// ManagementWork returns the price of n instructions that the management canister ran for a canister.
func (s *Schedule) ManagementWork(n uint64) Amount { return s.Scale(s.instructions(n, false)) }

// IngressMessage returns the price of an ingress message whose signed envelope has this many bytes.
func (s *Schedule) IngressMessage(bytes int) Amount {
	return s.scaled(s.Ingress).Add(s.scaled(s.IngressByte).Mul(uint64(bytes)))
}

// CallTransmission returns the price of sending a request whose method name and
// argument have this many bytes together.
func (s *Schedule) CallTransmission(bytes uint64) Amount {
	return s.scaled(s.Call).Add(s.Scale(Of(s.CallByte).Mul(bytes)))
}

// ResponseTransmission returns the price of a response of this many bytes. A caller pays for MaxResponseBytes in
// advance and gets the difference back.
func (s *Schedule) ResponseTransmission(bytes int) Amount {
	return s.Scale(Of(s.CallByte).Mul(uint64(bytes)))
}

// CallPrepayment returns all that ic0.call_perform takes in addition to the attached cycles: transmission both ways and
// the longest execution of the callback.
func (s *Schedule) CallPrepayment(bytes, limit uint64, wide bool) Amount {
	return s.CallTransmission(bytes).Add(s.ResponseTransmission(MaxResponseBytes)).Add(s.Execution(limit, wide))
}

// Outcall returns the price of an HTTP outcall by the size of its request and the limit of its response, in bytes
// (interface specification, "IC method http_request"). It is for this many nodes, not scaled.
func (s *Schedule) Outcall(request, response uint64) Amount {
	each := Of(s.OutcallBase).Add(Of(s.OutcallNode).Mul(s.Nodes)).Add(Of(request).Mul(s.OutcallRequestByte)).Add(Of(response).Mul(s.OutcallResponseByte))
	return each.Mul(s.Nodes)
}

// Memory returns the price of keeping bytes for a number of seconds.
func (s *Schedule) Memory(bytes, seconds uint64) Amount {
	return s.Scale(Of(bytes).Mul(s.GiBSecond).Mul(seconds).Div(gib))
}

// Base returns the fee of a canister that uses any memory for a number of seconds.
func (s *Schedule) Base(bytes, seconds uint64) Amount {
	if bytes == 0 {
		return Amount{}
	}
	return s.scaled(s.BaseSecond * seconds)
}

// Compute returns the price of a percentage of compute allocation for a number of seconds.
func (s *Schedule) Compute(percent, seconds uint64) Amount {
	return s.Scale(Of(s.ComputeSecond).Mul(seconds).Mul(percent))
}

// Holdings are the resources that a canister pays for over time.
type Holdings struct {
	Memory   uint64 // bytes: the maximum of its usage and its allocation
	Messages uint64 // bytes of messages in its queues
	Compute  uint64 // percent
}

// HoldingsOf returns the holdings of a canister from its usage and its allocation in bytes.
func HoldingsOf(used, allocated, messages, compute uint64) Holdings {
	return Holdings{Memory: max(used, allocated), Messages: messages, Compute: compute}
}

// DailyRates returns the prices of one day of holdings: memory with the base fee, messages, compute. They are charged
// separately, in this order.
func (s *Schedule) DailyRates(h Holdings) [3]Amount {
	return [3]Amount{
		s.Memory(h.Memory, secondsPerDay).Add(s.Base(h.Memory, secondsPerDay)),
		s.Memory(h.Messages, secondsPerDay),
		s.Compute(h.Compute, secondsPerDay),
	}
}

// IdlePerDay returns the cycles that holdings burn in a day.
func (s *Schedule) IdlePerDay(h Holdings) Amount {
	r := s.DailyRates(h)
	return r[0].Add(r[1]).Add(r[2])
}

// FreezingLimit returns the balance below which a canister is frozen: what it burns in its freezing threshold of
// seconds, minus what it has reserved.
func (s *Schedule) FreezingLimit(h Holdings, seconds uint64, reserved Amount) Amount {
	return s.IdlePerDay(h).Mul(seconds).Div(secondsPerDay).Sub(reserved)
}

// Charge returns the part of a daily rate for a number of seconds.
func Charge(rate Amount, seconds uint64) Amount { return rate.Mul(seconds).Div(secondsPerDay) }

const (
	// ReservationThreshold is the subnet memory above which growth reserves cycles.
	ReservationThreshold = 750 << 30
	// ReservationCapacity is the subnet memory at which growth reserves for the whole period.
	ReservationCapacity = 2 << 40
)

// Reservation returns the cycles that a canister must reserve for grown bytes if the subnet used used bytes before.
func (s *Schedule) Reservation(used, grown uint64) Amount {
	return s.reservedAt(used + grown).Sub(s.reservedAt(used))
}

func (s *Schedule) reservedAt(used uint64) Amount {
	used = min(used, ReservationCapacity)
	if used <= ReservationThreshold || s.ReservationSeconds == 0 {
		return Amount{}
	}
	over := used - ReservationThreshold
	seconds := Of(s.ReservationSeconds).Mul(over).Div(ReservationCapacity - ReservationThreshold).Div(2).Lo
	return s.Memory(over, seconds)
}
