package workqueue_test

import (
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/canisterd/canisterd/internal/explore/campaign"
	"github.com/canisterd/canisterd/internal/explore/workqueue"
)

func TestADaemonHas256WorkersOf1024SlotsAtMost(t *testing.T) {
	t.Parallel()
	d := listen(t)
	q := begin(t, d)
	refused := 0
	for range 258 {
		if play(t, d, 2000).hear().GetRefusal() == "the daemon has 256 workers already, which is the limit" {
			refused++
		}
	}
	if count, slots := q.Workers(); refused != 2 || count != 256 || slots != 256*1024 {
		t.Errorf("%d workers are refused; %d are there, with %d slots", refused, count, slots)
	}
}

func TestADescriptionHas512MiBAtMost(t *testing.T) {
	t.Parallel()
	_, err := workqueue.NewHub("1").Begin(t.Context(), &workqueue.Campaign{Description: make([]byte, 512<<20+1)})
	if err == nil || !strings.Contains(err.Error(), "the description of the exploration has 536870913 bytes: at most 536870912 are sent to workers") {
		t.Errorf("the campaign begins with %v", err)
	}
}

func TestAnExplorationWithoutAWorkerFailsAfterAMinute(t *testing.T) {
	c := theft(t, 2, 60)
	synctest.Test(t, func(t *testing.T) {
		q, err := workqueue.NewHub("1").Begin(t.Context(), &workqueue.Campaign{Base: func(io.Writer) error { return nil }})
		if err != nil {
			t.Fatal(err)
		}
		defer q.Close()
		c.Pool = q
		begun := time.Now()
		_, err = campaign.Run(c)
		if err == nil || !strings.Contains(err.Error(), "no workers for 1m0s: start some with canisterd explore worker") {
			t.Errorf("the exploration ended with %v", err)
		}
		if took := time.Since(begun); took != time.Minute {
			t.Errorf("it took %s", took)
		}
	})
}
