package real

import (
	"encoding/binary"
	"fmt"
	"regexp"
	"strings"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/canister"
)

// snapshotMention is "#A.3": the id of snapshot 3 of canister A.
var snapshotMention = regexp.MustCompile(`"#(\w+)\.(\d+)"`)

// snapshotID returns the snapshot id that is mentioned, as a blob in Candid text.
func (p *performer) snapshotID(mentioned string) string {
	p.t.Helper()
	name, number, _ := strings.Cut(mentioned[2:len(mentioned)-1], ".")
	id := p.ID(name).Append(binary.BigEndian.AppendUint64(nil, uint64(p.number(number))))
	return candid.FormatArgs([]candid.Value{candid.Blob(id)})
}

// snapshot calls a method of the management canister about a canister with fields of
// the method's type in Candid; the reply is shown as Candid.
func (p *performer) snapshot(rest string) {
	method, rest := cut(rest)
	name, fields := cut(rest)
	decoded := p.decoded
	p.decoded = true
	defer func() { p.decoded = decoded }()
	p.answered(p.SubmitManagement(name, method, p.managementArg(method, fmt.Sprintf(`(record { canister_id = principal "@%s"; %s })`, name, fields))))
}

// history tells the newest changes of a canister.
func (p *performer) history(rest string) {
	name, count := cut(rest)
	h := &p.Canister(p.ID(name)).History
	for _, change := range h.Recent(uint64(p.number(count))) {
		p.say("version %d: %s", change.Version, p.change(change.Details))
	}
	p.say("%d changes in all", h.Total)
}

func (p *performer) change(d canister.ChangeDetails) string {
	switch d := d.(type) {
	case canister.SnapshotLoad:
		from := "its own"
		if d.From != nil {
			from = p.name(*d.From) + "'s"
		}
		kind := "taken"
		if d.Uploaded {
			kind = "uploaded"
		}
		return fmt.Sprintf("loaded %s snapshot 0x%x, %s at version %d", from, d.Snapshot, kind, d.Version)
	case canister.Deployment:
		return d.Mode.String()
	}
	return strings.ToLower(strings.TrimPrefix(fmt.Sprintf("%T", d), "canister."))
}
