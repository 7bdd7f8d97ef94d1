package campaign_test

import (
	"strings"
	"testing"
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
		`<td>vault paidOut</td><td>(100 : nat)</td><td class="found">(200 : nat)</td>`, "(variant { refused = &#34;not enough money&#34; })", "All orders (6) were run",
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
