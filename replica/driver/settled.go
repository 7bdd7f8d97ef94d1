package driver

import (
	"context"
	"sync/atomic"

	"github.com/canisterd/canisterd/replica"
)

// settledView is a view that no crash undoes.
type settledView struct {
	view  *replica.View
	views *replica.Views // of the network of the view
	shows uint64         // the view shows at least this many records of the journal
}

// SettledView returns a view that no crash undoes. It shows everything that callers already know; while the network
// runs ahead of the disk, there may be newer ones. A view of a time before oldest, in nanoseconds, is returned only if
// it is the newest. After an error the view is the last one that was on disk, or nil.
func (d *Driver) SettledView(ctx context.Context, oldest uint64) (*replica.View, error) {
	if d.config.Journal == nil {
		return d.View(), nil
	}
	told, last := d.told.Load(), d.settled.Load()
	if last != nil && last.views == d.views.Load() && last.shows >= told && (last.view.Time >= oldest || last.view == d.View()) {
		return last.view, nil
	}
	if err := d.settleView(ctx); err != nil {
		if last == nil {
			return nil, err
		}
		return last.view, err
	}
	return d.settled.Load().view, nil
}

// settleView returns when the newest view is on disk. It shows everything that callers know so far.
func (d *Driver) settleView(ctx context.Context) error {
	if d.config.Journal == nil {
		return nil
	}
	// The round of a view is recorded before the view exists, and the view exists before shown counts its record.
	next := &settledView{shows: d.shown.Load(), views: d.views.Load()}
	next.view = next.views.Latest()
	if err := d.sync(ctx, d.config.Journal.Position()); err != nil {
		return err
	}
	d.keepSettled(next)
	return nil
}

// keepSettled keeps a view for SettledView, unless a newer one is kept: clients never see an older view than before,
// unless the network was replaced.
func (d *Driver) keepSettled(next *settledView) {
	for {
		last := d.settled.Load()
		if last != nil && last.views != next.views && next.views != d.views.Load() {
			return // the network was replaced meanwhile
		}
		if last != nil && last.views == next.views {
			if last.view.Height >= next.view.Height && last.shows >= next.shows {
				return
			}
			// The newer view shows what the older one shows.
			next.shows = max(next.shows, last.shows)
			if last.view.Height > next.view.Height {
				next.view = last.view
			}
		}
		if d.settled.CompareAndSwap(last, next) {
			return
		}
	}
}

// showRecorded notes that views show all records so far. The owner calls it after a round, before callers are informed.
func (d *Driver) showRecorded() {
	if d.config.Journal != nil {
		raise(&d.shown, d.config.Journal.Position())
	}
}

// raise raises a number to at least another one.
func raise(number *atomic.Uint64, least uint64) {
	for {
		now := number.Load()
		if now >= least || number.CompareAndSwap(now, least) {
			return
		}
	}
}
