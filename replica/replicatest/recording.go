package replicatest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/canisterd/canisterd/internal/trace"
	"github.com/canisterd/canisterd/replica"
)

// Recording is the events of a script, the oldest first, for the commands
//
//	record                    begins a recording; events are not told any more
//	told [KIND,KIND]          tells them with all their fields, or those of some kinds
//	forget COUNT              forgets the oldest
//	trace FORM [REQUEST]      the call tree of the last ingress message, or of another
//	trace FORM context C N    of context N of canister C's subnet
//
// The forms are text, mermaid and json.
type Recording struct {
	On     bool
	events []replica.Event
}

// Begin drops the recording and starts a new one.
func (r *Recording) Begin() { r.On, r.events = true, nil }

// Add records an event. It returns false if there is no recording.
func (r *Recording) Add(e *replica.Event) bool {
	if r.On {
		r.events = append(r.events, *e)
	}
	return r.On
}

// Forget removes the oldest events.
func (r *Recording) Forget(count int) { r.events = r.events[min(count, len(r.events)):] }

// Told returns the events of some kinds, or of all if none are named, with their fields; names converts ids to those of
// the script.
func (r *Recording) Told(kinds string, names trace.Names) string {
	var out strings.Builder
	for i := range r.events {
		e := &r.events[i]
		if kinds != "" && !slices.Contains(strings.Split(kinds, ","), strings.ReplaceAll(e.Kind.String(), " ", "-")) {
			continue
		}
		out.WriteString(e.Kind.String() + ":")
		for name, value := range e.Fields() {
			if name == "request" || name == "subnet" || strings.HasSuffix(name, "time") {
				continue // hashes and nanoseconds have no meaning for readers
			}
			fmt.Fprintf(&out, " %s=%s", name, shown(value, e, names))
		}
		out.WriteString("\n")
	}
	return out.String()
}

func shown(value any, e *replica.Event, names trace.Names) string {
	switch v := value.(type) {
	case []replica.Caller:
		frames := make([]string, len(v))
		for i, f := range v {
			frames[i] = fmt.Sprintf("%s.%s(context %d)", names(f.Canister), f.Method, f.Context)
			if f.Origin.Call != 0 {
				frames[i] += fmt.Sprintf(" for #%d", f.Origin.Call)
			}
		}
		return strings.Join(frames, " < ")
	case string:
		switch v {
		case e.Canister.String():
			return names(e.Canister)
		case e.Peer.String():
			return names(e.Peer)
		case e.Origin.Caller.String():
			return names(e.Origin.Caller)
		}
		return fmt.Sprintf("%q", v)
	}
	return fmt.Sprint(value)
}

// Show returns a tree in a form: the tree of a root, or of the last ingress message if root is nil.
func (r *Recording) Show(form string, root *trace.Root, names trace.Names) (string, error) {
	if root == nil {
		last, ok := trace.LastIngress(r.events)
		if !ok {
			return "", fmt.Errorf("no ingress message is recorded")
		}
		root = &last
	}
	tree := trace.Build(*root, r.events)
	switch form {
	case "text":
		return trace.Text(tree, names), nil
	case "mermaid":
		return trace.Mermaid(tree, names), nil
	case "json":
		out, err := trace.TraceEvents(tree, names)
		return string(out), err
	}
	return "", fmt.Errorf("there is no form %q", form)
}
