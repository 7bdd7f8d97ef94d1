package workqueue_test

import (
	"strings"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/canisterd/canisterd/internal/explore/workqueue/workerv1"
	"github.com/canisterd/canisterd/test/campaigntest"
)

func TestTheAssignmentOfAWorkerThatIsGoneGoesToAnother(t *testing.T) {
	t.Parallel()
	c := theft(t, 2, 60)
	want := run(t, c, nil)
	d := listen(t)
	c.Pool = begin(t, d)
	explored := explore(c)
	gone := play(t, d, 1)
	gone.open()
	for range 2 {
		if gone.hear().GetAssignment() == nil {
			t.Fatal("the worker was given no assignment")
		}
	}
	if err := gone.stream.CloseSend(); err != nil {
		t.Fatal(err)
	}
	work(t, d, 1, theft(t, 2, 60))
	r := <-explored
	if r.err != nil {
		t.Fatal(r.err)
	}
	if got := campaigntest.Text(c, r.report); got != want {
		t.Errorf("with a lost worker\n%s\nwithout\n%s", got, want)
	}
}

func TestRunsThatEndFiveWorkersEndTheExploration(t *testing.T) {
	t.Parallel()
	c := theft(t, 2, 60)
	d := listen(t)
	c.Pool = begin(t, d)
	explored := explore(c)
	for range 5 {
		gone := play(t, d, 1)
		gone.open()
		gone.hear()
		if err := gone.stream.CloseSend(); err != nil {
			t.Fatal(err)
		}
		if _, err := gone.stream.Recv(); err == nil {
			_, _ = gone.stream.Recv() // the second assignment came before the end
		}
	}
	if r := <-explored; r.err == nil || !strings.Contains(r.err.Error(), "5 workers were given the same runs, and none has finished them") {
		t.Errorf("the exploration ended with %v", r.err)
	}
}

func TestResultsThatCannotBeReadEndTheExplorationAfterFiveAttempts(t *testing.T) {
	t.Parallel()
	c := theft(t, 2, 60)
	d := listen(t)
	c.Pool = begin(t, d)
	explored := explore(c)
	s := play(t, d, 1)
	s.open()
	go func() {
		for {
			in, err := s.stream.Recv()
			if err != nil {
				return
			}
			out := &workerv1.Results{Assignment: in.GetAssignment().GetNumber(), Part: []byte("garbage"), Last: true}
			_ = s.stream.Send(&workerv1.WorkRequest{Step: &workerv1.WorkRequest_Results{Results: out}}) // until the exploration is over
		}
	}()
	if r := <-explored; r.err == nil || !strings.Contains(r.err.Error(), "5 workers have given results that cannot be read") {
		t.Errorf("the exploration ended with %v", r.err)
	}
}

func TestGarbageChangesNothing(t *testing.T) {
	t.Parallel()
	c := theft(t, 3, 200)
	want := run(t, c, nil)
	d := listen(t)
	q := begin(t, d)
	s := play(t, d, 1)
	campaign := s.hear().GetInvitation().GetCampaign()
	s.say(&workerv1.WorkRequest{})
	s.say(&workerv1.WorkRequest{Step: &workerv1.WorkRequest_Joining{Joining: &workerv1.Joining{Version: "3"}}})
	for _, number := range []uint64{0, 1, 2, 1 << 63} {
		for _, part := range []string{"", "\x07", strings.Repeat("\x07\x01", 3000)} {
			s.give(&workerv1.Results{Assignment: number, Part: []byte(part), Last: len(part) == 1, Nanoseconds: -1})
		}
	}
	s.say(&workerv1.WorkRequest{Step: &workerv1.WorkRequest_Opened{Opened: &workerv1.Opened{Campaign: campaign + "0", Error: "another one"}}})
	work(t, d, 2, theft(t, 3, 200))
	if got := run(t, c, q); got != want {
		t.Errorf("with garbage\n%s\nwithout\n%s", got, want)
	}
}

func TestAStreamBeginsWithJoining(t *testing.T) {
	t.Parallel()
	d := listen(t)
	client := workerv1.NewWorkersClient(dial(t, d.address))
	stream, err := client.Work(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := stream.Send(&workerv1.WorkRequest{Step: &workerv1.WorkRequest_Alive{Alive: &workerv1.Alive{}}}); err != nil {
		t.Fatal(err)
	}
	if _, err := stream.Recv(); status.Code(err) != codes.InvalidArgument {
		t.Errorf("the stream ended with %v", err)
	}
}

func TestOnlyCampaignsThatGoOnCanBeRead(t *testing.T) {
	t.Parallel()
	d := listen(t)
	q := begin(t, d)
	client := workerv1.NewWorkersClient(dial(t, d.address))
	read := func(in *workerv1.ReadRequest) (string, error) {
		parts, err := client.Read(t.Context(), in)
		if err != nil {
			return "", err
		}
		var text strings.Builder
		for {
			in, err := parts.Recv()
			if err != nil {
				return text.String(), err
			}
			text.Write(in.GetPart())
		}
	}
	for content, want := range map[workerv1.Content]string{workerv1.Content_CONTENT_DESCRIPTION: "theft", workerv1.Content_CONTENT_BASE: "a base"} {
		if got, _ := read(&workerv1.ReadRequest{Campaign: "1", Content: content}); got != want {
			t.Errorf("%s is %q, want %q", content, got, want)
		}
	}
	if _, err := read(&workerv1.ReadRequest{Campaign: "1", Content: 7}); status.Code(err) != codes.InvalidArgument {
		t.Errorf("content 7: %v", err)
	}
	q.Close()
	for _, id := range []string{"", "1", "2"} {
		if _, err := read(&workerv1.ReadRequest{Campaign: id, Content: workerv1.Content_CONTENT_BASE}); status.Code(err) != codes.NotFound {
			t.Errorf("campaign %q: %v", id, err)
		}
	}
}

// A worker that does not read cannot hold up the others: the daemon ends its stream.
func TestAWorkerThatDoesNotReadHoldsUpNoOther(t *testing.T) {
	t.Parallel()
	c := theft(t, 2, 60)
	want := run(t, c, nil)
	d := listen(t)
	deaf := play(t, d, 1024)
	for range 50 {
		q := begin(t, d)
		q.Close()
	}
	deaf.say(&workerv1.WorkRequest{Step: &workerv1.WorkRequest_Alive{Alive: &workerv1.Alive{}}})
	work(t, d, 1, theft(t, 2, 60))
	if got := run(t, c, begin(t, d)); got != want {
		t.Errorf("beside a worker that does not read\n%s\nwithout\n%s", got, want)
	}
}
