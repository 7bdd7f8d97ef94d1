package campaign_test

import (
	"testing"

	"github.com/canisterd/canisterd/internal/explore/campaign"
	"github.com/canisterd/canisterd/internal/explore/schedule"
	"github.com/canisterd/canisterd/internal/golden"
	"github.com/canisterd/canisterd/test/campaigntest"
)

// Each exploration here has a new network, as after a restart. The golden file was recorded once: the test fails on a
// machine that writes or replays it differently.
func TestARecordedScheduleIsReplayedAfterARestartAndWithOtherWorkers(t *testing.T) {
	t.Parallel()
	for _, workers := range []int{1, 2, 5} {
		found := theft(t, "bank", 3)
		found.Workers, found.Runs = workers, 200
		f := run(t, found).Violations()[0]
		text, err := schedule.Write(f.File(found))
		if err != nil {
			t.Fatal(err)
		}
		golden.Compare(t, "testdata/recorded.yaml", string(text))
		file, err := schedule.Read([]byte(golden.Read(t, "testdata/recorded.yaml")))
		if err != nil {
			t.Fatal(err)
		}
		for bank, violated := range map[string]bool{"bank": true, "careful": false} {
			c := theft(t, bank, 3)
			s, err := c.OfFile(file, campaigntest.Named(c))
			if err != nil {
				t.Fatal(err)
			}
			again, err := campaign.Replay(c, s)
			if err != nil || again.Violates(file.Property) != violated || again.Stale() {
				t.Errorf("found by %d workers, the replay at %s shows %+v, %v", workers, bank, again, err)
			}
		}
	}
}
