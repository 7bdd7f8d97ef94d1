package campaign

import (
	_ "embed"
	"fmt"
	"html"
	"slices"
	"strings"
	"time"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/explore/harness"
	"github.com/canisterd/canisterd/replica"
)

// Sizes of a diagram in pixels.
const (
	laneWidth = 272
	laneStart = 80
	rowStart  = 70
	rowHeight = 46
	barWidth  = 4
	// Texts stand between the bars of a lane and the next lane.
	textStart = 8 + (operationColors+1)*barWidth
	textWidth = laneWidth - textStart - 8
	charWidth = 8 // of most characters of the widest usual font
)

// operationColors is the number of colors of operations in page_svg.css: readable on its background, and
// distinguishable with red-green color blindness.
const operationColors = 6

// colorOf returns the CSS class with the color of an operation; system tasks have one of their own.
func colorOf(task string) string {
	position, err := positionOf(strings.TrimSuffix(task, harness.AgainOf("")))
	if err != nil {
		return "system"
	}
	return fmt.Sprintf("color%d", position%operationColors)
}

// diagram draws the run of a finding: a lane for the user and each canister, a row for each message.
type diagram struct {
	body  strings.Builder
	setup *harness.Setup
	lanes []principal.Principal // after the user's
	made  map[string]int        // rows in which calls were made
	right int                   // the end of the texts
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
	steps := f.shown(setup)
	for _, s := range steps {
		for _, id := range []principal.Principal{s.Canister, s.Peer} {
			if s.Kind != replica.MoveIngress || id == s.Canister {
				d.lane(s, id)
			}
		}
	}
	for i, s := range steps {
		d.step(i, s)
	}
	last := rowStart + len(steps)*rowHeight
	width, height := max(2*laneStart+len(d.lanes)*laneWidth, d.right+8), last+40
	var all strings.Builder
	fmt.Fprintf(&all, `<svg viewBox="0 0 %d %d" width="%d" role="img" aria-label="sequence diagram"><style>%s</style>`, width, height, width, svgStyle)
	for i := range len(d.lanes) + 1 {
		name := "user"
		if i > 0 {
			name = setup.NameOf(d.lanes[i-1])
		}
		x := laneStart + i*laneWidth
		fmt.Fprintf(&all, `<line x1="%d" y1="36" x2="%[1]d" y2="%d" class="lane"/><rect x="%d" y="8" width="140" height="28" rx="5" class="head"/>`, x, last, x-70)
		fmt.Fprintf(&all, `<text x="%d" y="27" class="name">%s</text>`, x, fitted(name, 120))
	}
	all.WriteString(d.body.String())
	_, class := f.kind()
	fmt.Fprintf(&all, `<rect x="10" y="%d" width="%d" height="28" rx="5" class="end %s"/><text x="%d" y="%d" class="verdict %[3]s">%[6]s</text></svg>`,
		last, width-20, class, width/2, last+18, fitted(f.Text, width-30))
	return all.String()
}

// lane gives a canister its lane.
func (d *diagram) lane(s *harness.Step, id principal.Principal) {
	if s.Kind != replica.MoveRequest && s.Kind != replica.MoveResponse && id != s.Canister {
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
	y, from, to := rowStart+row*rowHeight, d.x(s.Canister), d.x(s.Canister)
	switch s.Kind {
	case replica.MoveIngress:
		from = laneStart
	case replica.MoveRequest, replica.MoveResponse:
		from = d.x(s.Peer)
	}
	fmt.Fprintf(&d.body, `<g class="%s">`, colorOf(harness.OperationOf(s.Move)))
	if made, known := d.made[harness.CallOf(s.Move)]; known && s.Kind == replica.MoveResponse {
		fmt.Fprintf(&d.body, `<rect x="%d" y="%d" width="%d" height="%d" class="await"><title>await of %s</title></rect>`,
			to+barWidth*(1+d.awaiting(s.Move)), made, barWidth, y-made, html.EscapeString(harness.CallOf(s.Move)))
	}
	for _, c := range s.Calls {
		d.made[c.Name] = y
	}
	d.arrow(from, to, y, s.Kind == replica.MoveResponse)
	fmt.Fprintf(&d.body, `<text x="14" y="%d" class="number">%d</text>`, y+4, row+1)
	d.text(from, to, y-7, "label", label(s))
	if bad := badOf(s); bad != "" {
		d.text(from, to, y+16, "fault", "✗ "+bad)
	}
	d.body.WriteString("</g>")
}

// label returns what a message is.
func label(s *harness.Step) string {
	text := s.Move
	switch {
	case s.Kind == replica.MoveIngress:
		text += ": " + s.Method
	case s.Kind == replica.MoveRequest:
		text = s.Method
	case s.Kind == replica.MoveResponse && s.Rejected != nil:
		text = "reject of " + s.Method
	case s.Kind == replica.MoveResponse:
		text = "answer to " + s.Method
	}
	if s.Waited > 0 {
		text += fmt.Sprintf(", %s later", time.Duration(s.Waited).Round(time.Millisecond))
	}
	return text
}

// badOf returns the fault of a message and that its code trapped, "" for neither.
func badOf(s *harness.Step) string {
	bad := ""
	if s.Fault != harness.NoFault {
		bad = s.Fault.Words()
	}
	if s.Failure != nil {
		bad = strings.TrimPrefix(bad+"; traps", "; ")
	}
	return bad
}

// text writes the text of a message beside the lane where it begins, so that it covers no lane and no bar.
func (d *diagram) text(from, to, y int, class, text string) {
	left := from
	if to < from {
		left = from - laneWidth
	}
	x := left + textStart + textWidth/2
	if from == to {
		x, class = left+textStart, class+" beside"
		d.right = max(d.right, x+textWidth)
	}
	fmt.Fprintf(&d.body, `<text x="%d" y="%d" class="%s">%s</text>`, x, y, class, fitted(text, textWidth))
}

// awaiting is the position of an operation among the bars of a lane.
func (d *diagram) awaiting(move string) int {
	position, err := positionOf(harness.OperationOf(move))
	if err != nil {
		return 0
	}
	return position % operationColors
}

// arrow draws the line of a message; one of a canister to itself, or of the system, is a dot.
func (d *diagram) arrow(from, to, y int, answer bool) {
	fmt.Fprintf(&d.body, `<circle cx="%d" cy="%d" r="4"/>`, to, y)
	if from == to {
		return
	}
	tip, back, class := to-5, to-14, "arrow"
	if from > to {
		tip, back = to+5, to+14
	}
	if answer {
		class += " answer"
	}
	fmt.Fprintf(&d.body, `<line x1="%d" y1="%d" x2="%d" y2="%[2]d" class="%[4]s"/>`, from, y, back, class)
	fmt.Fprintf(&d.body, `<polygon points="%d,%d %d,%d %d,%d"/>`, tip, y, back, y-5, back, y+5)
}

// fitted returns the part of a text that fits into a width, escaped, with the whole text for the pointer.
func fitted(text string, width int) string {
	short := html.EscapeString(clipped(text, width/charWidth))
	if short == html.EscapeString(text) {
		return short
	}
	return short + "<title>" + html.EscapeString(text) + "</title>"
}

// clipped returns a text of at most some characters.
func clipped(text string, most int) string {
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return text
}
