package campaign_test

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/internal/explore/campaign"
	"github.com/canisterd/canisterd/internal/explore/harness"
)

func TestThePageShowsTheRunOfAFindingAndWhatIsDifferent(t *testing.T) {
	config := theft(t, "bank", 2)
	config.Setup.Operations[0].Title = "<script>"
	report := run(t, config)
	page, err := report.Page(config)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{
		"<svg", "&lt;script&gt;", "await of op1/1", "As they arrive (FIFO)", "answer to transfer",
		`<td>vault paidOut</td><td>(100 : nat)</td><td class="found">(200 : nat)</td>`, "(variant { refused = &#34;not enough money&#34; })", "All 6 orders of these 2 operations were run", "Coverage: 82 different runs, 5 of 5 races in both orders",
	} {
		if !strings.Contains(page, part) {
			t.Errorf("the page does not have %q:\n%s", part, page)
		}
	}
	for _, part := range []string{
		`<p id="replay-1">Save the schedule as <a download="finding-1.yaml" href="data:text/yaml;base64,`, "<code>canisterd explore replay finding-1.yaml</code>", "<pre>version: 1\nproperty: vault paidOut &lt;= 100\n",
		`<td>bank.withdraw(100)</td><td>100</td><td>1</td><td>12</td><td>0</td>`,
		"<th>all</th><th>reject_<wbr>transient</th>", "<td>bank.withdraw &gt; vault.transfer</td><td>200</td><td>12</td>",
	} {
		if !strings.Contains(page, part) {
			t.Errorf("the page does not have %q:\n%s", part, page)
		}
	}
	for _, part := range []string{"<script", "http://", "https://", "NaN", "%!"} {
		if strings.Contains(page, part) {
			t.Errorf("the page has %q", part)
		}
	}
}

func TestFindingsSayWhatIsDifferentCanisterByCanister(t *testing.T) {
	config := theft(t, "bank", 2)
	report := run(t, config)
	text := report.Violations()[0].Explain(&config.Setup)
	const want = `   6  op2/1.reply at bank: the answer to transfer
  different                          one after the other                         in this run
  answer to op2, bank.withdraw(100)  (variant { refused = "not enough money" })  (variant { paid = 0 : nat })
  vault
    paidOut                          (100 : nat)                                 (200 : nat)
`
	if !strings.HasSuffix(text, want) {
		t.Errorf("the finding ends with\n%s\nwant\n%s", text, want)
	}
}

func TestThePageShowsFaultsDeviationsAndThatNothingWasFound(t *testing.T) {
	config := theft(t, "bank", 1)
	config.Setup.Operations[0].Retried = true
	report := run(t, config)
	page, err := report.Page(config)
	if err != nil || len(report.Findings) == 0 || !strings.Contains(page, "except:") || !strings.Contains(page, "✗ ") {
		t.Errorf("the page of a message that is sent twice is %v\n%s", err, page)
	}
	config = theft(t, "careful", 1)
	config.NoBuiltin = true
	report = run(t, config)
	if page, err = report.Page(config); err != nil || !strings.Contains(page, "Nothing was found.") {
		t.Errorf("the page without findings is %v\n%s", err, page)
	}
}

func TestReplaysAreShownAsPagesAndDiagramsWithTheirOutcome(t *testing.T) {
	t.Parallel()
	found := theft(t, "bank", 2)
	s := run(t, found).Violations()[0].Schedule
	stale := s
	stale.Plan = harness.Plan{{At: "op9", Kind: harness.NoCalls}}
	const invariant = "vault paidOut <= 100"
	for _, c := range []struct {
		bank     string
		schedule campaign.Schedule
		class    string
		says     string
	}{
		{"bank", s, "still-fails", "Still fails</span>"},
		{"careful", s, "fixed", "vault paidOut &lt;= 100 holds in this run."},
		{"careful", stale, "stale", "diverged at op9, which did not come"},
	} {
		config := theft(t, c.bank, 2)
		again, err := campaign.Replay(config, &c.schedule)
		if err != nil {
			t.Fatal(err)
		}
		f, err := again.Finding(&c.schedule, invariant)
		if err != nil {
			t.Fatal(err)
		}
		page, err := f.Page(config)
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range []string{`class="kind ` + c.class + `"`, `class="end ` + c.class + `"`, c.says, "<svg viewBox", ".lane {"} {
			if !strings.Contains(page, part) {
				t.Errorf("the page of a schedule at %s does not have %q:\n%s", c.bank, part, page)
			}
		}
		diagram := f.SVG(&config.Setup)
		if err := wellFormed(diagram); err != nil || !strings.HasPrefix(diagram, `<svg xmlns="http://www.w3.org/2000/svg" `) {
			t.Errorf("the diagram is not self-contained: %v\n%s", err, diagram)
		}
		if _, err := again.Finding(&c.schedule, "no-such-property"); err == nil {
			t.Error("a replay says something of a property that it does not check")
		}
	}
	if empty := new(campaign.Finding).SVG(&found.Setup); empty != "" {
		t.Errorf("the diagram without a run is %s", empty)
	}
}

// wellFormed reads a text as XML.
func wellFormed(text string) error {
	for d := xml.NewDecoder(strings.NewReader(text)); ; {
		if _, err := d.Token(); err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
	}
}
