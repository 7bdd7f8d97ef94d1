package replica

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"strings"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/intercanister/cycles"
)

// residents compares two canisters with one id, and what waits for them.
func (d *differ) residents(x, y *entry) {
	a, b := x.resident.Canister, y.resident.Canister
	differing(d, "subnet", x.machine.ID, y.machine.ID, principal.Principal.String)
	differing(d, "status", a.Status, b.Status, canister.Status.String)
	d.texts("module", module(a), module(b))
	differing(d, "installed", a.Installed, b.Installed, moment)
	differing(d, "version", a.Version, b.Version, number)
	d.settings(&a.Settings, &b.Settings)
	differing(d, "balance", a.Balance, b.Balance, cycles.Amount.String)
	differing(d, "reserved cycles", a.Reserved, b.Reserved, cycles.Amount.String)
	differing(d, "cycles used", a.Consumed.Total(), b.Consumed.Total(), cycles.Amount.String)
	differing(d, "global timer", a.Timer, b.Timer, moment)
	if !bytes.Equal(a.Certified, b.Certified) {
		d.note("certified data", fmt.Sprintf("%x", a.Certified), fmt.Sprintf("%x", b.Certified))
	}
	d.memories(a, b)
	differing(d, "queries", a.Queries.Calls, b.Queries.Calls, number)
	differing(d, "changes in its history", a.History.Total, b.History.Total, number)
	d.snapshots(&a.Snapshots, &b.Snapshots)
	differing(d, "log records so far", a.Logs.Next(), b.Logs.Next(), number)
	differing(d, "message in the middle of its code", x.resident.Running, y.resident.Running, yes)
	d.items("message", x.machine.queuedItems(&x.resident.Mailbox), y.machine.queuedItems(&y.resident.Mailbox))
	differing(d, "management calls that wait for it", len(x.resident.Waiting), len(y.resident.Waiting), number)
	differing(d, "callers that wait for it to stop", len(x.resident.Stops), len(y.resident.Stops), number)
}

func module(c *canister.Canister) string {
	if c.Module() == nil {
		return ""
	}
	hash := c.Module().Hash()
	return fmt.Sprintf("%x", hash)
}

// digest names bytes by the beginning of their SHA-256.
func digest(b []byte) string {
	hash := sha256.Sum256(b)
	return fmt.Sprintf("%x…", hash[:8])
}

// memories compares sizes, and counts the pages that differ.
func (d *differ) memories(a, b *canister.Canister) {
	u, v := a.MemoryUsage(), b.MemoryUsage()
	differing(d, "heap", u.Heap, v.Heap, bytesOf)
	differing(d, "stable memory", u.Stable, v.Stable, bytesOf)
	differing(d, "chunk store", u.Chunks, v.Chunks, bytesOf)
	differing(d, "memory in all", u.Total(), v.Total(), bytesOf)
	heap, stable, err := a.PagesDiffering(b)
	if err != nil && d.err == nil {
		d.err = fmt.Errorf("compare the memories of canister %s: %w", a.ID, err)
	}
	if heap > 0 {
		d.note("content of the heap", "", fmt.Sprintf("%d pages of 4 KiB differ", heap))
	}
	if stable > 0 {
		d.note("content of stable memory", "", fmt.Sprintf("%d pages of 4 KiB differ", stable))
	}
}

func (d *differ) snapshots(a, b *canister.Snapshots) {
	items := func(s *canister.Snapshots) (all []item) {
		for _, snapshot := range s.All() {
			all = append(all, item{fmt.Sprintf("#%d", snapshot.Number), fmt.Sprintf("taken at %s, %d bytes", moment(snapshot.Taken), snapshot.Bytes())})
		}
		return all
	}
	d.items("snapshot", items(a), items(b))
}

// settings compares settings field by field, under the names they have in the interface.
func (d *differ) settings(a, b *canister.Settings) {
	d.texts("setting controllers", principals(a.Controllers), principals(b.Controllers))
	percent := func(n uint64) string { return fmt.Sprint(n, "%") }
	seconds := func(n uint64) string { return fmt.Sprint(n, " s") }
	differing(d, "setting compute_allocation", a.ComputeAllocation, b.ComputeAllocation, percent)
	differing(d, "setting memory_allocation", a.MemoryAllocation, b.MemoryAllocation, bytesOf)
	differing(d, "setting freezing_threshold", a.FreezingThreshold, b.FreezingThreshold, seconds)
	differing(d, "setting reserved_cycles_limit", a.ReservedLimit, b.ReservedLimit, cycles.Amount.String)
	differing(d, "setting minimum_incoming_canister_call_cycles", a.MinimumIncoming, b.MinimumIncoming, cycles.Amount.String)
	d.texts("setting log_visibility", visibility(&a.LogVisibility), visibility(&b.LogVisibility))
	d.texts("setting snapshot_visibility", visibility(&a.SnapshotVisibility), visibility(&b.SnapshotVisibility))
	d.texts("setting status_visibility", visibility(&a.StatusVisibility), visibility(&b.StatusVisibility))
	differing(d, "setting wasm_memory_limit", a.WasmMemoryLimit, b.WasmMemoryLimit, bytesOf)
	differing(d, "setting wasm_memory_threshold", a.WasmMemoryThreshold, b.WasmMemoryThreshold, bytesOf)
	differing(d, "setting log_memory_limit", a.LogMemoryLimit, b.LogMemoryLimit, bytesOf)
	variables := func(s *canister.Settings) (all []item) {
		for _, v := range s.Environment {
			all = append(all, item{v.Name, v.Value})
		}
		return all
	}
	d.items("setting environment_variables", variables(a), variables(b))
}

func principals(list []principal.Principal) string {
	all := make([]string, len(list))
	for i, p := range list {
		all[i] = p.String()
	}
	return strings.Join(all, ", ")
}

func visibility(v *canister.Visibility) string {
	switch v.Kind {
	case canister.Public:
		return "public"
	case canister.AllowedViewers:
		return "controllers and " + principals(v.Viewers)
	default:
		return "controllers"
	}
}
