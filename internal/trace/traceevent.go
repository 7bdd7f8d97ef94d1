package trace

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/intercanister"
)

// TraceEvents returns a tree as JSON in the trace-event format, which ui.perfetto.dev and chrome://tracing open.
//
// Within a round no time passes, so the axis is work: the executions of the tree one after another in the order in
// which they ended, a microsecond for 1,000 instructions. A canister is a process, a call context one of its threads;
// an execution is a slice, a call an arrow from the execution that made it to the first that served it, and the answer
// an arrow from there to the callback. The arguments of a slice have its time.
func TraceEvents(t *Tree, names Names) ([]byte, error) {
	w := &track{names: names, pids: make(map[principal.Principal]int), tids: make(map[*Call]int)}
	if t.Root != nil {
		w.place(t)
		w.call(t.Root, 0)
	}
	return encode(append(w.meta, w.events...))
}

// encode writes one event a line.
func encode(events []traceEvent) ([]byte, error) {
	out := []byte(`{"displayTimeUnit":"ns","traceEvents":[`)
	for i := range events {
		line, err := json.Marshal(&events[i])
		if err != nil {
			return nil, fmt.Errorf("encode trace event %d: %w", i, err)
		}
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(out, '\n'), line...)
	}
	return append(out, "\n]}\n"...), nil
}

// traceEvent is one event of the format. Times are microseconds.
type traceEvent struct {
	Name     string         `json:"name"`
	Category string         `json:"cat,omitempty"`
	Phase    string         `json:"ph"`
	Time     float64        `json:"ts"`
	Duration float64        `json:"dur,omitempty"`
	Process  int            `json:"pid"`
	Thread   int            `json:"tid"`
	ID       int            `json:"id,omitempty"`
	Binding  string         `json:"bp,omitempty"`
	Scope    string         `json:"s,omitempty"`
	Args     map[string]any `json:"args,omitempty"`
}

// track is the layout of a tree.
type track struct {
	names  Names
	pids   map[principal.Principal]int
	tids   map[*Call]int
	begin  map[*Execution]uint64 // where on the axis, in instructions
	flows  int
	meta   []traceEvent
	events []traceEvent
}

// place assigns every execution its place on the axis.
func (w *track) place(t *Tree) {
	all := executions(t.Root)
	w.begin = make(map[*Execution]uint64, len(all))
	at := uint64(0)
	for _, x := range all {
		w.begin[x] = at
		at += x.width()
	}
}

// width returns the width of an execution on the axis: at least an instruction, so that every slice is visible.
func (x *Execution) width() uint64 { return max(x.Instructions, 1) }

func micros(instructions uint64) float64 { return float64(instructions) / 1000 }

func (w *track) process(id principal.Principal) int {
	if _, ok := w.pids[id]; !ok {
		w.pids[id] = len(w.pids) + 1
		w.meta = append(w.meta, traceEvent{
			Name: "process_name", Phase: "M", Process: w.pids[id], Args: map[string]any{"name": w.names.of(id), "id": id.String()},
		})
	}
	return w.pids[id]
}

func (w *track) thread(c *Call) (pid, tid int) {
	pid = w.process(c.Canister)
	if _, ok := w.tids[c]; !ok {
		w.tids[c] = len(w.tids) + 1
		w.meta = append(w.meta, traceEvent{
			Name: "thread_name", Phase: "M", Process: pid, Thread: w.tids[c], Args: map[string]any{"name": c.title(w.names)},
		})
	}
	return pid, w.tids[c]
}

// call draws a call that was made at a place on the axis.
func (w *track) call(c *Call, at uint64) {
	pid, tid := w.thread(c)
	for i, x := range c.Executions {
		e := traceEvent{
			Name: c.label(x), Category: x.Entry.String(), Phase: "X", Time: micros(w.begin[x]), Duration: micros(x.width()),
			Process: pid, Thread: tid, Args: x.arguments(),
		}
		if i == 0 {
			c.describe(e.Args, w.names)
		}
		w.events = append(w.events, e)
		for _, made := range x.Calls {
			w.call(made, w.begin[x])
			w.arrows(made, c, x)
		}
	}
	if n := len(c.Executions); n > 0 {
		at = w.begin[c.Executions[n-1]]
	}
	for i := range c.Notes {
		w.events = append(w.events, traceEvent{Name: c.Notes[i].line(), Category: "note", Phase: "i", Time: micros(at), Process: pid, Thread: tid, Scope: "t"})
	}
}

func (c *Call) label(x *Execution) string {
	if x.AnswersNumber != 0 || c.Method == "" {
		return x.title()
	}
	return fmt.Sprintf("%s %s", x.title(), printable(c.Method))
}

// arrows draws a call from the execution that made it, and its answer to the callback.
func (w *track) arrows(made, by *Call, from *Execution) {
	if len(made.Executions) == 0 {
		w.leaf(made, by, from)
		return
	}
	first, last := made.Executions[0], made.Executions[len(made.Executions)-1]
	w.arrow(made.title(w.names), by, from, made, first)
	for _, x := range by.Executions {
		if x.Answers == made {
			w.arrow("answer of "+made.title(w.names), made, last, by, x)
		}
	}
}

// leaf draws a call without recorded executions, such as one of the management canister, from where it was made to the
// callback that got its answer.
func (w *track) leaf(made, by *Call, from *Execution) {
	pid, tid := w.thread(made)
	e := traceEvent{
		Name: printable(made.Method), Category: "leaf", Phase: "X", Time: micros(w.begin[from]), Duration: micros(from.width()),
		Process: pid, Thread: tid, Args: make(map[string]any),
	}
	for _, x := range by.Executions {
		if x.Answers == made {
			e.Duration = micros(w.begin[x] - w.begin[from])
		}
	}
	made.describe(e.Args, w.names)
	w.events = append(w.events, e)
}

func (w *track) arrow(name string, from *Call, at *Execution, to *Call, found *Execution) {
	w.flows++
	pid, tid := w.thread(from)
	w.events = append(w.events, traceEvent{Name: name, Category: "call", Phase: "s", Time: micros(w.begin[at]), Process: pid, Thread: tid, ID: w.flows})
	pid, tid = w.thread(to)
	w.events = append(w.events, traceEvent{Name: name, Category: "call", Phase: "f", Binding: "e", Time: micros(w.begin[found]), Process: pid, Thread: tid, ID: w.flows})
}

// arguments returns what a viewer shows of a slice, by the names of the vocabulary of events. Times are decimal digits
// in a string: to viewers a number is a float, which would round them.
func (x *Execution) arguments() map[string]any {
	args := map[string]any{"instructions": x.Instructions, "cycles": x.Cycles.String(), "began_height": x.Begun.Height, "began_time": decimal(x.Begun.Time)}
	if x.Ended.Recorded() {
		args["height"], args["time"] = x.Ended.Height, decimal(x.Ended.Time)
	}
	if x.Wall != 0 {
		args["wall_ns"] = x.Wall
	}
	if x.DirtyPages != 0 {
		args["dirty_pages"] = x.DirtyPages
	}
	if x.Trap != nil {
		args["trap"] = x.Trap.String()
	}
	if len(x.Backtrace) > 0 {
		lines := make([]string, len(x.Backtrace))
		for i := range x.Backtrace {
			lines[i] = x.Backtrace[i].String()
		}
		args["backtrace"] = strings.Join(lines, "\n")
	}
	if x.CleanupRan {
		args["cleanup_ran"] = true
	}
	for i := range x.Logs {
		args[fmt.Sprintf("log %d", i+1)] = x.Logs[i].Text
	}
	return args
}

func decimal(nanoseconds uint64) string { return strconv.FormatUint(nanoseconds, 10) }

// describe adds the properties of a call and of its end.
func (c *Call) describe(args map[string]any, names Names) {
	if c.Source != intercanister.SourceTasks {
		args["caller"] = names.of(c.Caller)
	}
	if c.ArgText != "" {
		args["argument"] = printable(c.ArgText)
	}
	if c.Answered() {
		args["answer"] = c.answer()
	}
	if details := c.details(); len(details) > 0 {
		args["call"] = details
	}
	if len(c.Missing) > 0 {
		args["missing"] = c.Missing
	}
}
