package management

import (
	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/management"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/intercanister/cycles"
)

// The Candid types of the management canister (interface specification, "The IC management canister", ic.did). Those that
// its callers need as well are in candid/management. Arguments of a single method are here too, so that one file shows the
// rest of the interface.

type (
	// settingsArg is canister_settings.
	settingsArg management.Settings
	variable    = management.Variable
	// visibility is log_visibility, snapshot_visibility and status_visibility.
	visibility = management.Visibility
	// installMode is canister_install_mode. A plain upgrade (null) is an upgrade without options.
	installMode    = management.InstallMode
	upgradeOptions = management.UpgradeOptions
	persistence    = management.Persistence
	chunkHash      = management.ChunkHash
	snapshotSource = management.SnapshotSource
	status         = management.RunStatus
)

type idArg struct {
	Canister principal.Principal `ic:"canister_id"`
}

type versionedArg struct {
	Canister principal.Principal `ic:"canister_id"`
	Version  *uint64             `ic:"sender_canister_version"`
}

type createArg struct {
	Settings *settingsArg `ic:"settings"`
	Version  *uint64      `ic:"sender_canister_version"`
}

type provisionalCreateArg struct {
	Amount    *candid.Nat          `ic:"amount"`
	Settings  *settingsArg         `ic:"settings"`
	Specified *principal.Principal `ic:"specified_id"`
	Version   *uint64              `ic:"sender_canister_version"`
}

type topUpArg struct {
	Canister principal.Principal `ic:"canister_id"`
	Amount   candid.Nat          `ic:"amount"`
}

type updateSettingsArg struct {
	Canister principal.Principal `ic:"canister_id"`
	Settings settingsArg         `ic:"settings"`
	Version  *uint64             `ic:"sender_canister_version"`
}

func (a *updateSettingsArg) bounds() error    { return a.Settings.bounds() }
func (a *provisionalCreateArg) bounds() error { return a.Settings.bounds() }

// bounds checks the lists that the interface bounds.
func (a *settingsArg) bounds() error {
	if a == nil {
		return nil
	}
	if a.Controllers != nil && len(*a.Controllers) > canister.MaxControllers {
		return tooManyElements(canister.MaxControllers)
	}
	for _, v := range []*visibility{a.LogVisibility, a.SnapshotVisibility, a.StatusVisibility} {
		if v != nil && v.Viewers != nil && len(*v.Viewers) > canister.MaxViewers {
			return tooManyElements(canister.MaxViewers)
		}
	}
	return nil
}

// settingsResult is definite_canister_settings.
type settingsResult struct {
	Controllers         []principal.Principal `ic:"controllers"`
	ComputeAllocation   candid.Nat            `ic:"compute_allocation"`
	MemoryAllocation    candid.Nat            `ic:"memory_allocation"`
	FreezingThreshold   candid.Nat            `ic:"freezing_threshold"`
	ReservedLimit       candid.Nat            `ic:"reserved_cycles_limit"`
	MinimumIncoming     candid.Nat            `ic:"minimum_incoming_canister_call_cycles"`
	LogVisibility       visibility            `ic:"log_visibility"`
	SnapshotVisibility  visibility            `ic:"snapshot_visibility"`
	StatusVisibility    visibility            `ic:"status_visibility"`
	WasmMemoryLimit     candid.Nat            `ic:"wasm_memory_limit"`
	WasmMemoryThreshold candid.Nat            `ic:"wasm_memory_threshold"`
	LogMemoryLimit      candid.Nat            `ic:"log_memory_limit"`
	Environment         []variable            `ic:"environment_variables"`
}

type installArg struct {
	Mode     installMode         `ic:"mode"`
	Canister principal.Principal `ic:"canister_id"`
	Module   []byte              `ic:"wasm_module"`
	Arg      []byte              `ic:"arg"`
	Version  *uint64             `ic:"sender_canister_version"`
}

type installChunkedArg struct {
	Mode    installMode          `ic:"mode"`
	Target  principal.Principal  `ic:"target_canister"`
	Store   *principal.Principal `ic:"store_canister"`
	Chunks  []chunkHash          `ic:"chunk_hashes_list"`
	Hash    []byte               `ic:"wasm_module_hash"`
	Arg     []byte               `ic:"arg"`
	Version *uint64              `ic:"sender_canister_version"`
}

func (a *installChunkedArg) bounds() error {
	if len(a.Chunks) > MaxChunksInModule {
		return tooManyElements(MaxChunksInModule)
	}
	return nil
}

type uploadArg struct {
	Canister principal.Principal `ic:"canister_id"`
	Chunk    []byte              `ic:"chunk"`
}

type infoArg struct {
	Canister principal.Principal `ic:"canister_id"`
	Changes  *uint64             `ic:"num_requested_changes"`
}

type infoResult struct {
	Total       uint64                `ic:"total_num_changes"`
	Recent      []change              `ic:"recent_changes"`
	Module      *[]byte               `ic:"module_hash"`
	Controllers []principal.Principal `ic:"controllers"`
}

type metadataArg struct {
	Canister principal.Principal `ic:"canister_id"`
	Name     string              `ic:"name"`
}

type metadataResult struct {
	Value []byte `ic:"value"`
}

// change is one entry of a canister's history.
type change struct {
	Time    uint64  `ic:"timestamp_nanos"`
	Version uint64  `ic:"canister_version"`
	Origin  origin  `ic:"origin"`
	Details details `ic:"details"`
}

type origin struct {
	User     *originUser     `ic:"from_user,variant"`
	Canister *originCanister `ic:"from_canister,variant"`
}

type originUser struct {
	User principal.Principal `ic:"user_id"`
}

type originCanister struct {
	Canister principal.Principal `ic:"canister_id"`
	Version  *uint64             `ic:"canister_version"`
}

type details struct {
	Creation    *creation          `ic:"creation,variant"`
	Uninstall   *candid.Null       `ic:"code_uninstall,variant"`
	Deployment  *deployment        `ic:"code_deployment,variant"`
	Snapshot    *snapshotLoad      `ic:"load_snapshot,variant"`
	Controllers *controllersChange `ic:"controllers_change,variant"`
	Rename      *renaming          `ic:"rename_canister,variant"`
}

type creation struct {
	Controllers     []principal.Principal `ic:"controllers"`
	EnvironmentHash *[]byte               `ic:"environment_variables_hash"`
}

type deployment struct {
	Mode plainMode `ic:"mode"`
	Hash []byte    `ic:"module_hash"`
}

type plainMode struct {
	Install   *candid.Null `ic:"install,variant"`
	Reinstall *candid.Null `ic:"reinstall,variant"`
	Upgrade   *candid.Null `ic:"upgrade,variant"`
}

type snapshotLoad struct {
	From     *principal.Principal `ic:"from_canister_id"`
	Snapshot []byte               `ic:"snapshot_id"`
	Version  uint64               `ic:"canister_version"`
	TakenAt  uint64               `ic:"taken_at_timestamp"`
	Source   snapshotSource       `ic:"source"`
}

type controllersChange struct {
	Controllers []principal.Principal `ic:"controllers"`
}

type renaming struct {
	Canister    principal.Principal `ic:"canister_id"`
	Total       uint64              `ic:"total_num_changes"`
	To          renamedTo           `ic:"rename_to"`
	RequestedBy principal.Principal `ic:"requested_by"`
}

type renamedTo struct {
	Canister principal.Principal `ic:"canister_id"`
	Version  uint64              `ic:"version"`
	Total    uint64              `ic:"total_num_changes"`
}

// statusResult is canister_status_result.
type statusResult struct {
	Status     status         `ic:"status"`
	Ready      bool           `ic:"ready_for_migration"`
	Version    uint64         `ic:"version"`
	Settings   settingsResult `ic:"settings"`
	Module     *[]byte        `ic:"module_hash"`
	Memory     candid.Nat     `ic:"memory_size"`
	Metrics    memoryMetrics  `ic:"memory_metrics"`
	Cycles     candid.Nat     `ic:"cycles"`
	Reserved   candid.Nat     `ic:"reserved_cycles"`
	IdlePerDay candid.Nat     `ic:"idle_cycles_burned_per_day"`
	Queries    queryStats     `ic:"query_stats"`
}

type memoryMetrics struct {
	Heap      candid.Nat `ic:"wasm_memory_size"`
	Stable    candid.Nat `ic:"stable_memory_size"`
	Globals   candid.Nat `ic:"global_memory_size"`
	Binary    candid.Nat `ic:"wasm_binary_size"`
	Custom    candid.Nat `ic:"custom_sections_size"`
	History   candid.Nat `ic:"canister_history_size"`
	Chunks    candid.Nat `ic:"wasm_chunk_store_size"`
	Snapshots candid.Nat `ic:"snapshots_size"`
	Logs      candid.Nat `ic:"log_memory_store_size"`
}

type queryStats struct {
	Calls         candid.Nat `ic:"num_calls_total"`
	Instructions  candid.Nat `ic:"num_instructions_total"`
	RequestBytes  candid.Nat `ic:"request_payload_bytes_total"`
	ResponseBytes candid.Nat `ic:"response_payload_bytes_total"`
}

// metricsResult is canister_metrics_result.
type metricsResult struct {
	Consumed consumed `ic:"cycles_consumed"`
}

type consumed struct {
	Memory       candid.Nat `ic:"memory"`
	Compute      candid.Nat `ic:"compute_allocation"`
	Ingress      candid.Nat `ic:"ingress_induction"`
	Instructions candid.Nat `ic:"instructions"`
	Transmission candid.Nat `ic:"request_and_response_transmission"`
	Uninstall    candid.Nat `ic:"uninstall"`
	Creation     candid.Nat `ic:"canister_creation"`
	Outcalls     candid.Nat `ic:"http_outcalls"`
	Burned       candid.Nat `ic:"burned_cycles"`
}

type logsArg struct {
	Canister principal.Principal `ic:"canister_id"`
	Filter   *logsFilter         `ic:"filter"`
}

type logsFilter struct {
	ByIndex *logsRange `ic:"by_idx,variant"`
	ByTime  *logsRange `ic:"by_timestamp_nanos,variant"`
}

type logsRange struct {
	Start uint64 `ic:"start"`
	End   uint64 `ic:"end"` // exclusive
}

type logsResult struct {
	Records []logRecord `ic:"canister_log_records"`
}

type logRecord struct {
	Index   uint64 `ic:"idx"`
	Time    uint64 `ic:"timestamp_nanos"`
	Content []byte `ic:"content"`
}

// null is the payload of a variant case without a value.
var null = new(candid.Null)

// reserved is the payload of a variant case that may have any value.
var reserved = new(candid.Reserved)

// natOf returns an amount as a nat.
func natOf(a cycles.Amount) candid.Nat {
	if a.Hi == 0 {
		return candid.NatOf(a.Lo)
	}
	n, err := candid.NatOfBig(a.Big())
	if err != nil {
		panic("management: an amount of cycles is negative: " + err.Error())
	}
	return n
}

// amountOf returns a nat as an amount, and false if it has more than 128 bits.
func amountOf(n candid.Nat) (cycles.Amount, bool) {
	if small, ok := n.Uint64(); ok {
		return cycles.Of(small), true
	}
	return cycles.FromBig(n.Big())
}

// bytesOf returns a number of bytes, or any other word, as a nat.
func bytesOf(n uint64) candid.Nat { return candid.NatOf(n) }
