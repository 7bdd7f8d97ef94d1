package campaign

import (
	_ "embed"
	"fmt"
	"html"
	"slices"
	"strings"
	"time"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/explore/harness"
	"github.com/canisterd/canisterd/replica/sched"
)

// Sizes of a diagram in pixels.
const (
	laneWidth = 240
	laneStart = 90
	rowStart  = 70
	rowHeight = 46
)

// colors are the colors of operations: readable on white, and distinguishable with red-green color blindness.
var colors = []string{"#0b62a4", "#b35806", "#5e3c99", "#00796b", "#8c2d64", "#5d6d1e"}

// colorOf returns the color of an operation; system tasks are gray.
func colorOf(task string) string {
	position, err := positionOf(strings.TrimSuffix(task, harness.AgainOf("")))
	if err != nil {
		return "#555"
	}
	return colors[position%len(colors)]
}

// diagram draws the run of a finding: a lane for the user and each canister, a row for each message.
type diagram struct {
	body  strings.Builder
	setup *harness.Setup
	lanes []principal.Principal // after the user's
	made  map[string]int        // rows in which calls were made
}

// svgStyle is the style of all diagrams. It is in each, so that a diagram can be a file of its own.
//
//go:embed page_svg.css
var svgStyle string

// SVG returns the run of a finding as a sequence diagram in a self-contained file, "" if there is no run.
func (f *Finding) SVG(setup *harness.Setup) string {
	text, found := strings.CutPrefix(f.svg(setup), "<svg ")
	if !found {
		return ""
	}
	return `<svg xmlns="http://www.w3.org/2000/svg" ` + text + "\n"
}

// svg returns the run as a sequence diagram for a page.
func (f *Finding) svg(setup *harness.Setup) string {
	if len(f.Steps) == 0 {
		return ""
	}
	d := &diagram{setup: setup, made: make(map[string]int)}
	for i := range f.Steps {
		for _, id := range []principal.Principal{f.Steps[i].Canister, f.Steps[i].Peer} {
			if f.Steps[i].Kind != sched.Ingress || id == f.Steps[i].Canister {
				d.lane(f.Steps[i], id)
			}
		}
	}
	for i := range f.Steps {
		d.step(i, f.Steps[i])
	}
	last := rowStart + len(f.Steps)*rowHeight
	width, height := 2*laneStart+len(d.lanes)*laneWidth, last+40
	var all strings.Builder
	fmt.Fprintf(&all, `<svg viewBox="0 0 %d %d" width="%d" role="img" aria-label="sequence diagram"><style>%s</style>`, width, height, width, svgStyle)
	for i := range len(d.lanes) + 1 {
		name := "user"
		if i > 0 {
			name = setup.NameOf(d.lanes[i-1])
		}
		x := laneStart + i*laneWidth
		fmt.Fprintf(&all, `<line x1="%d" y1="36" x2="%[1]d" y2="%d" class="lane"/><rect x="%d" y="8" width="140" height="28" rx="5" class="head"/>`, x, last, x-70)
		fmt.Fprintf(&all, `<text x="%d" y="27" class="name">%s</text>`, x, html.EscapeString(clipped(name, 18)))
	}
	all.WriteString(d.body.String())
	_, class := f.kind()
	fmt.Fprintf(&all, `<rect x="10" y="%d" width="%d" height="28" rx="5" class="end %s"/><text x="%d" y="%d" class="verdict %[3]s">%[6]s</text></svg>`,
		last, width-20, class, width/2, last+18, html.EscapeString(clipped(f.Text, width/8)))
	return all.String()
}

// lane gives a canister its lane.
func (d *diagram) lane(s *harness.Step, id principal.Principal) {
	if s.Kind != sched.Request && s.Kind != sched.Response && id != s.Canister {
		return
	}
	if !slices.Contains(d.lanes, id) {
		d.lanes = append(d.lanes, id)
	}
}

func (d *diagram) x(id principal.Principal) int {
	return laneStart + (1+slices.Index(d.lanes, id))*laneWidth
}

// step draws one row.
func (d *diagram) step(row int, s *harness.Step) {
	y, to, color := rowStart+row*rowHeight, d.x(s.Canister), colorOf(harness.OperationOf(s.Move))
	label, from, dashed := s.Move, to, ""
	switch s.Kind {
	case sched.Ingress:
		from, label = laneStart, s.Move+": "+s.Method
	case sched.Request:
		from, label = d.x(s.Peer), s.Method
	case sched.Response:
		from, label, dashed = d.x(s.Peer), "answer to "+s.Method, ` stroke-dasharray="6 4"`
		if s.Rejected != nil {
			label = "reject of " + s.Method
		}
		if made, known := d.made[harness.CallOf(s.Move)]; known {
			offset := 4 * (1 + d.awaiting(s.Move))
			fmt.Fprintf(&d.body, `<rect x="%d" y="%d" width="4" height="%d" fill="%s" opacity=".35"><title>await of %s</title></rect>`,
				to+offset, made, y-made, color, html.EscapeString(harness.CallOf(s.Move)))
		}
	}
	for _, c := range s.Calls {
		d.made[c.Name] = y
	}
	if s.Waited > 0 {
		label += fmt.Sprintf(", %s later", time.Duration(s.Waited).Round(time.Millisecond))
	}
	d.arrow(from, to, y, color, dashed)
	at := (from + to) / 2
	if from == to {
		at = to + 75
	}
	fmt.Fprintf(&d.body, `<text x="%d" y="%d" class="label" fill="%s">%s</text><text x="14" y="%d" class="number">%d</text>`,
		at, y-7, color, html.EscapeString(clipped(label, laneWidth/8)), y+4, row+1)
	bad := ""
	if s.Fault != harness.NoFault {
		bad = s.Fault.Words()
	}
	if s.Failure != nil {
		bad = strings.TrimPrefix(bad+"; traps", "; ")
	}
	if bad != "" {
		fmt.Fprintf(&d.body, `<text x="%d" y="%d" class="fault">✗ %s</text>`, at, y+16, html.EscapeString(clipped(bad, laneWidth/6)))
	}
}

// awaiting is the position of an operation among the bars of a lane.
func (d *diagram) awaiting(move string) int {
	position, err := positionOf(harness.OperationOf(move))
	if err != nil {
		return 0
	}
	return position % len(colors)
}

// arrow draws the line of a message; one of a canister to itself, or of the system, is a dot.
func (d *diagram) arrow(from, to, y int, color, dashed string) {
	fmt.Fprintf(&d.body, `<circle cx="%d" cy="%d" r="4" fill="%s"/>`, to, y, color)
	if from == to {
		return
	}
	tip, back := to-5, to-14
	if from > to {
		tip, back = to+5, to+14
	}
	fmt.Fprintf(&d.body, `<line x1="%d" y1="%d" x2="%d" y2="%[2]d" stroke="%[4]s" stroke-width="2"%[5]s/>`, from, y, back, color, dashed)
	fmt.Fprintf(&d.body, `<polygon points="%d,%d %d,%d %d,%d" fill="%s"/>`, tip, y, back, y-5, back, y+5, color)
}

// clipped returns a text of at most some characters.
func clipped(text string, most int) string {
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return text
}
