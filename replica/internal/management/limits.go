package management

import "github.com/canisterd/canisterd/canister"

// Limits of the management canister, with those of the specification; limits of settings are in package canister.
const (
	// DefaultProvisionalBalance is the balance of a canister that
	// provisional_create_canister_with_cycles makes without an amount (the
	// replica's: 100 T cycles; the specification names none).
	DefaultProvisionalBalance = 100_000_000_000_000

	// ComputeCapacity is the compute allocation of a whole subnet in percent. One
	// percent always stays free, which leaves the 299 of the documentation.
	ComputeCapacity = 300

	// UploadChunkInstructions is what upload_chunk costs (the replica's: 200 M).
	UploadChunkInstructions = 200_000_000

	// InvalidModuleInstructions and InvalidModuleByteInstructions are the cost of finding that a module is invalid (the
	// replica's: 20 M and 6,000 for each byte).
	InvalidModuleInstructions     = 20_000_000
	InvalidModuleByteInstructions = 6_000

	// ListInstructions, and ListCanisterInstructions for each canister, are the cost of list_canisters in a composite
	// query; LogsInstructions, LogInstructions for each record and one for each byte of content the cost of
	// fetch_canister_logs (the replica's).
	ListInstructions         = 20_000_000
	ListCanisterInstructions = 16_000
	LogsInstructions         = 150_000
	LogInstructions          = 900
	// MaxLogsBytes is the maximum size of the result of fetch_canister_logs, where each record counts with
	// canister.LogRecordOverhead (the specification: 2 MB).
	MaxLogsBytes = 2_000_000

	// MaxChunksInModule is the maximum number of chunks of a module: those of a full chunk store.
	MaxChunksInModule = canister.MaxChunks

	// RegistryVersion is the version of the registry of every network. Ours: the registry never changes.
	RegistryVersion = 1

	// MaxDerivationPath is the maximum number of elements of a derivation path (the specification's).
	MaxDerivationPath = 255

	// PathInstructions, SignatureInstructions and VetKDInstructions count in the instructions of the round: the first
	// for each element of a derivation path, the second for a signature, the third for any other use of a VetKD key.
	// They are about the instructions that other code runs in that time. Ours; they cost no cycles.
	PathInstructions      = 100_000
	SignatureInstructions = 500_000
	VetKDInstructions     = 5_000_000

	// MessageHashBytes is the length of the hash that sign_with_ecdsa signs.
	MessageHashBytes = 32

	// MaxPendingSignatures is how many requests for one key wait on a subnet (the registry's on mainnet: 20; the
	// replica takes more while it has signatures prepared, which is not needed here).
	MaxPendingSignatures = 20
	// MaxSnapshots is the maximum number of snapshots of a canister (specification: 10).
	MaxSnapshots = 10
	// MaxSliceBytes is the maximum size of a result of read_canister_snapshot_data (the replica's: 2,000,000).
	MaxSliceBytes = 2_000_000
	// SnapshotInstructions is the cost of taking, loading and beginning to upload a snapshot in addition to its bytes,
	// SnapshotDataInstructions that for reading a slice (the replica's: 2,000 M and 5 M).
	SnapshotInstructions     = 2_000_000_000
	SnapshotDataInstructions = 5_000_000

	// LateFeeBytes is the longest argument of a method that is paid for after its execution (the replica's).
	LateFeeBytes = 366

	// HashBytes is the length of a SHA-256 hash.
	HashBytes = 32
)
