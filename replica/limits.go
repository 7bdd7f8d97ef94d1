package replica

// SpecificationVersion is the version of the interface specification that networks follow (docs/internals/interface.md).
const SpecificationVersion = "0.67.0"

// Limits of a round and of the inputs of a subnet.
const (
	// RoundInstructions is how many instructions a subnet runs in a round before it waits for the next (the replica's:
	// 4 billion on application subnets, 7 on system subnets; ours is less, so that answers are visible soon).
	RoundInstructions = 50_000_000
	// RoundMessages is how many messages a subnet executes in a round. Ours.
	RoundMessages = 2_000
	// RoundPages is how many heap pages of 4 KiB the messages of a round change before the
	// subnet waits for the next round. Ours: a page fault and its copy take as long as
	// thousands of instructions, so a count of instructions does not bound such a round.
	RoundPages = 4_096
	// SliceInstructions is how long a message runs before it is parked until the next round (the replica's: 2 billion;
	// ours is less, so that a canister in an endless loop does not delay others noticeably).
	SliceInstructions = 10_000_000
	// BenchmarkInstructions is how many instructions a message runs for on a subnet for
	// benchmarks (PocketIC's).
	BenchmarkInstructions = 99_999_999_999_999
	// ResumedPerRound is how many parked messages of a subnet resume in a round (the replica's: one of each of its 4
	// scheduler cores). The others wait, so that new messages do not wait for a slice of each of them.
	ResumedPerRound = 4

	// MaxIngressBytes is the size of an ingress message (specification: 2 MiB, on
	// system subnets 3.5 MiB).
	MaxIngressBytes       = 2 << 20
	MaxIngressBytesSystem = 3_670_016
	// MaxIngressTTL is how far in the future an ingress message may expire
	// (specification: 5 minutes), PermittedDrift what clocks may differ by (the
	// replica's: one minute).
	MaxIngressTTL  = 300_000_000_000
	PermittedDrift = 60_000_000_000

	// EnvelopeBytes is the size of the envelope of a signed call without its method and argument, about what agents
	// send. A call without an envelope pays as much as a signed one.
	EnvelopeBytes = 200

	// MaxRequestBytes is the size of the name and the payload of a request between subnets (the replica's: 2 MiB). On
	// one subnet only the System API bounds requests.
	MaxRequestBytes = 2 << 20

	// GuaranteedMessageBytes is the memory of a subnet for messages of calls with guaranteed response, including the
	// room for their responses; BestEffortMessageBytes is its memory for best-effort messages at the end of a round
	// (the replica's: 15 and 5 GiB).
	GuaranteedMessageBytes = 15 << 30
	BestEffortMessageBytes = 5 << 30
	// SubnetCallbacks is how many pending calls the canisters of a subnet may have before each is limited to its own
	// CanisterCallbacks (the replica's).
	SubnetCallbacks   = 1_000_000
	CanisterCallbacks = 50

	// MaxCanisters is how many canisters a subnet hosts (the replica's: 250,000, before 2026-08 120,000).
	MaxCanisters = 250_000
	// MaxStreamMessages is how many messages a stream between two subnets takes, StreamBytes after how many bytes it
	// takes no more, SystemStreamMessages how many messages except refunds are sent to a system subnet (the replica's).
	MaxStreamMessages    = 10_000
	StreamBytes          = 10 << 20
	SystemStreamMessages = 200
	// MaxSubnetAdmins is how many admins a subnet has (the replica's: 10).
	MaxSubnetAdmins = 10
	// MaxSubnets is the size of a network, and how many blocks of canister ids are reserved for it. Ours.
	MaxSubnets = 64
	// RangesPerShard is how many canister ranges one leaf under /canister_ranges
	// shows. Ours; the specification leaves it free.
	RangesPerShard = 32

	// CheckpointRounds is the number of rounds between two checkpoints of a subnet (the replica's: 500). A module that
	// was compiled since the last checkpoint costs less.
	CheckpointRounds = 500
	// maxKeptRecord is the maximum size of a buffer for a journal record that is kept for the next one, in bytes. Ours.
	maxKeptRecord = 64 << 10
	// MaxMarkedTraps is how many messages of a round whose code failed are marked in the journal, maxMarkedText the
	// maximum length of each of their texts, in bytes, and markedRootBytes the length of a certified root. A root is
	// marked if the certificate is made within lateHeights heights. Ours.
	MaxMarkedTraps  = 16
	maxMarkedText   = 200
	markedRootBytes = 8
	lateHeights     = 4
	// MaxMarkName is the maximum length of the name of a user's mark in the journal, in bytes. Ours.
	MaxMarkName = 64
	// MaxPrepared is how many modules that were compiled in the background a subnet remembers between two checkpoints;
	// it requests a forgotten one again. Ours.
	MaxPrepared = 4096
	// MaxCompositeDepth is how deep the calls of a composite query may nest, CompositeCallInstructions what each call
	// costs in addition to its own instructions (the replica's).
	MaxCompositeDepth         = 6
	CompositeCallInstructions = 50_000_000
	// MaxCompositeAttempts is how often a composite query restarts because the network moved on, before the network
	// waits for it. Ours.
	MaxCompositeAttempts = 4
	// ChargeInterval is how often canisters pay for memory and compute
	// allocation, in nanoseconds (the replica's: at least 10 seconds).
	ChargeInterval = 10_000_000_000
	// MaxUnstaged is how many parts of a certified tree may have changed before it is updated without a request for a
	// certificate: it bounds the wait of the first such request (some 25 ms). Ours. MaxUnstagedBytes is the maximum
	// size of their answers: the list of changes keeps answers that the ingress history has dropped. Ours.
	MaxUnstaged      = 16_384
	MaxUnstagedBytes = 16 << 20
	// MaxHeldBytes is the maximum size of held messages; above it messages pass. Ours.
	MaxHeldBytes = 1 << 30
	// MaxTraps is how many messages whose code failed are remembered, for the backtraces of answers. Ours.
	MaxTraps = 1024
	// MaxAncestry is how many call contexts up the subnet looks for re-entrance. Ours.
	MaxAncestry = 64
	// MaxKeptKeys is the number of subnets whose keys Keys caches. Ours.
	MaxKeptKeys = 256
	// maxArchivedNodes is the maximum number of nodes of an exported subnet. Ours.
	maxArchivedNodes = 1000
	// importBuffer is how many bytes of a file are read at a time.
	importBuffer = 64 << 10
)
