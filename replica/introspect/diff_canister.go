package introspect

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"strings"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
)

// canisters compares two canisters with one id, and what waits for them.
func (d *differ) canisters(x, y *entry) {
	a, b := x.canister.Canister, y.canister.Canister
	differing(d, "subnet", x.subnet.ID, y.subnet.ID, principal.Principal.String)
	differing(d, "status", a.Status, b.Status, canister.Status.String)
	d.texts("module", module(a), module(b))
	differing(d, "installed", a.Installed, b.Installed, timeText)
	differing(d, "version", a.Version, b.Version, number)
	d.settings(a.Settings, b.Settings)
	differing(d, "balance", a.Balance, b.Balance, amount)
	differing(d, "reserved cycles", a.Reserved, b.Reserved, amount)
	differing(d, "cycles used", a.Consumed.Total(), b.Consumed.Total(), amount)
	differing(d, "features", a.Features, b.Features, func(f canister.Features) string { return strings.Join(f.Names(), ", ") })
	differing(d, "global timer", a.Timer, b.Timer, timeText)
	if !bytes.Equal(a.Certified, b.Certified) {
		d.note("certified data", fmt.Sprintf("%x", a.Certified), fmt.Sprintf("%x", b.Certified))
	}
	d.memories(a, b)
	differing(d, "queries", a.Queries.Calls, b.Queries.Calls, number)
	differing(d, "changes in its history", a.History.Total, b.History.Total, number)
	d.snapshots(&a.Snapshots, &b.Snapshots)
	d.logs(&a.Logs, &b.Logs)
	differing(d, "message in the middle of its code", x.canister.Running, y.canister.Running, yes)
	d.items("message", x.subnet.queuedItems(&x.canister.Mailbox), y.subnet.queuedItems(&y.canister.Mailbox))
	d.items("management call that waits for it", x.subnet.inputItems(x.canister.Waiting), y.subnet.inputItems(y.canister.Waiting))
	d.items("stop_canister that waits", x.subnet.stopItems(x.canister), y.subnet.stopItems(y.canister))
}

func module(c *canister.Canister) string {
	if c.Module() == nil {
		return ""
	}
	hash := c.Module().Hash()
	return fmt.Sprintf("%x", hash)
}

// digest abbreviates bytes by a prefix of their SHA-256.
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
		d.note("content of the heap", "", differingPages(heap))
	}
	if stable > 0 {
		d.note("content of stable memory", "", differingPages(stable))
	}
}

func differingPages(n uint64) string {
	if n == 1 {
		return "1 page of 4 KiB differs"
	}
	return fmt.Sprintf("%d pages of 4 KiB differ", n)
}

// logs records the newest log records that differ, the oldest of them first, and how many more records one of them has
// seen.
func (d *differ) logs(a, b *canister.Log) {
	differing(d, "log records so far", a.Next(), b.Next(), number)
	var as, bs []item
	for i, j := a.Len()-1, b.Len()-1; (i >= 0 || j >= 0) && max(len(as), len(bs)) < MaxDifferingRecords; {
		switch {
		case j < 0 || i >= 0 && a.At(i).Index > b.At(j).Index:
			as, i = append(as, record(a.At(i))), i-1
		case i < 0 || b.At(j).Index > a.At(i).Index:
			bs, j = append(bs, record(b.At(j))), j-1
		default:
			if x, y := a.At(i), b.At(j); x.Time != y.Time || !bytes.Equal(x.Content, y.Content) {
				as, bs = append(as, record(x)), append(bs, record(y))
			}
			i, j = i-1, j-1
		}
	}
	d.items("log record", as, bs)
}

// record returns a log record with the beginning of its content, quoted: a canister wrote it.
func record(r canister.LogRecord) item {
	text := r.Content[:min(len(r.Content), MaxDifferingText)]
	said := fmt.Sprintf("%s %q", timeText(r.Time), text)
	if len(text) < len(r.Content) {
		said += " and " + counted(len(r.Content)-len(text), "more byte")
	}
	return numbered(r.Index, said)
}

func (d *differ) snapshots(a, b *canister.Snapshots) {
	items := func(s *canister.Snapshots) (all []item) {
		for _, snapshot := range s.All() {
			all = append(all, numbered(snapshot.Number, "taken at "+timeText(snapshot.Taken)+", "+bytesOf(snapshot.Bytes())))
		}
		return all
	}
	d.items("snapshot", items(a), items(b))
}

// settings compares settings field by field, under their names in the interface.
func (d *differ) settings(a, b *canister.Settings) {
	d.texts("setting controllers", principals(a.Controllers), principals(b.Controllers))
	percent := func(n uint64) string { return fmt.Sprint(n, "%") }
	seconds := func(n uint64) string { return fmt.Sprint(n, " s") }
	differing(d, "setting compute_allocation", a.ComputeAllocation, b.ComputeAllocation, percent)
	differing(d, "setting memory_allocation", a.MemoryAllocation, b.MemoryAllocation, bytesOf)
	differing(d, "setting freezing_threshold", a.FreezingThreshold, b.FreezingThreshold, seconds)
	differing(d, "setting reserved_cycles_limit", a.ReservedLimit, b.ReservedLimit, amount)
	differing(d, "setting minimum_incoming_canister_call_cycles", a.MinimumIncoming, b.MinimumIncoming, amount)
	d.texts("setting log_visibility", visibility(&a.LogVisibility), visibility(&b.LogVisibility))
	d.texts("setting snapshot_visibility", visibility(&a.SnapshotVisibility), visibility(&b.SnapshotVisibility))
	d.texts("setting status_visibility", visibility(&a.StatusVisibility), visibility(&b.StatusVisibility))
	differing(d, "setting wasm_memory_limit", a.WasmMemoryLimit, b.WasmMemoryLimit, bytesOf)
	differing(d, "setting wasm_memory_threshold", a.WasmMemoryThreshold, b.WasmMemoryThreshold, bytesOf)
	differing(d, "setting log_memory_limit", a.LogMemoryLimit, b.LogMemoryLimit, bytesOf)
	variables := func(s *canister.Settings) (all []item) {
		for _, v := range s.Environment {
			all = append(all, item{name: v.Name, text: v.Value})
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
