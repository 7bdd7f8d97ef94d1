package campaign_test

import (
	"encoding/xml"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/internal/explore/campaign"
	"github.com/canisterd/canisterd/internal/explore/harness"
	"github.com/canisterd/canisterd/replica"
)

// drawn is a diagram as its file has it.
type drawn struct {
	Width int     `xml:"width,attr"`
	Lines []shape `xml:"line"`
	Rows  []struct {
		Bars  []shape `xml:"rect"`
		Texts []shape `xml:"text"`
	} `xml:"g"`
}

// shape is an element of a diagram.
type shape struct {
	Class string `xml:"class,attr"`
	X     int    `xml:"x,attr"`
	X1    int    `xml:"x1,attr"`
	Text  string `xml:",chardata"`
	Whole string `xml:"title"`
}

// span returns where the text of a message begins and ends, in a wide font.
func (s *shape) span() (from, to int) {
	width := 8 * len([]rune(s.Text))
	if strings.Contains(s.Class, "beside") {
		return s.X, s.X + width
	}
	return s.X - width/2, s.X + width/2
}

func TestTextsOfADiagramCoverNoLaneAndNoBar(t *testing.T) {
	bank, vault, ledger := principal.Canister(1), principal.Canister(2), principal.Canister(3)
	const long = "a_method_whose_name_does_not_fit_beside_a_lane"
	trapped := &intercanister.Reject{}
	f := &campaign.Finding{Steps: []*harness.Step{
		{Move: "op6", Kind: replica.MoveIngress, Canister: bank, Method: "withdraw", Calls: []harness.CallMade{{Name: "op6/1"}}},
		{Move: "op6/1.request", Kind: replica.MoveRequest, Canister: vault, Peer: bank, Method: long},
		{Move: "timer at ledger, the first", Kind: replica.MoveTask, Canister: ledger, Waited: 1_000_000_000, Failure: trapped},
		{Move: "op1", Kind: replica.MoveIngress, Canister: ledger, Method: long},
		{Move: "bank/1.request", Kind: replica.MoveRequest, Canister: bank, Peer: ledger, Method: long, Failure: trapped},
		{Move: "op6/1.reply", Kind: replica.MoveResponse, Canister: bank, Peer: vault, Method: long, Rejected: trapped},
		{Move: "self/1.request", Kind: replica.MoveRequest, Canister: ledger, Peer: ledger, Method: long},
	}}
	d := new(drawn)
	if err := xml.Unmarshal([]byte(f.SVG(&harness.Setup{})), d); err != nil {
		t.Fatal(err)
	}
	var uncovered []int
	for _, line := range d.Lines {
		uncovered = append(uncovered, line.X1)
	}
	texts := 0
	for _, row := range d.Rows {
		for _, bar := range row.Bars {
			uncovered = append(uncovered, bar.X)
		}
	}
	for _, row := range d.Rows {
		for _, text := range row.Texts {
			from, to := text.span()
			if text.Class == "number" {
				continue
			}
			if texts++; from < 0 || to > d.Width {
				t.Errorf("%q is from %d to %d in a diagram of %d", text.Text, from, to, d.Width)
			}
			for _, x := range uncovered {
				if from <= x && x <= to {
					t.Errorf("%q is from %d to %d and covers what is at %d", text.Text, from, to, x)
				}
			}
			if strings.HasSuffix(text.Text, "…") && !strings.Contains(text.Whole, long) && !strings.Contains(text.Whole, "the first") {
				t.Errorf("%q is short for %q", text.Text, text.Whole)
			}
		}
	}
	if len(d.Lines) != 4 || texts != 9 || len(uncovered) != 5 {
		t.Errorf("the diagram has %d lanes, %d texts and %d lanes and bars", len(d.Lines), texts, len(uncovered))
	}
}
