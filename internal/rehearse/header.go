package rehearse

import (
	"bytes"
	"context"
	"fmt"
)

// managers are the first bytes of stable memory under libraries that manage it.
var managers = []struct{ magic, name string }{
	{"MGR", "the memory manager of ic-stable-structures"},
	{"BTR", "a B-tree of ic-stable-structures"},
	{"SLG", "a log of ic-stable-structures"},
}

// manager names the library that wrote the beginning of stable memory.
func manager(header []byte) string {
	for _, m := range managers {
		if bytes.HasPrefix(header, []byte(m.magic)) {
			return m.name
		}
	}
	return "other data"
}

// stableHeader finds that another library took over the beginning of stable memory.
func (r *rehearsal) stableHeader(ctx context.Context) error {
	const name = "stable memory"
	if r.before.GetStableBytes() == 0 {
		r.verdict.skip(name, "the old module has no stable memory")
		return nil
	}
	old, err := r.control.stable(ctx, HeaderBytes)
	if err != nil {
		return err
	}
	now, err := r.after.stable(ctx, HeaderBytes)
	if err != nil {
		return err
	}
	var findings []string
	if from, to := manager(old), manager(now); from != to && len(bytes.Trim(old, "\x00")) > 0 {
		findings = append(findings, fmt.Sprintf("it began with %s (%q), and begins with %s (%q): two libraries write to the same place", from, old, to, now))
	}
	r.verdict.add(name, "its first bytes belong to the same library", Failed, findings...)
	return nil
}
