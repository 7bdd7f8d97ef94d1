package control_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/daemon"
	"github.com/canisterd/canisterd/internal/eventually"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// askingStream is a stream of messages, some of which have questions.
type askingStream interface {
	Recv() (proto.Message, *controlv1.ExploreQuestions, error)
}

// exploreStream is the stream of Explore.
type exploreStream struct {
	grpc.ServerStreamingClient[controlv1.ExploreResponse]
}

func (s exploreStream) Recv() (proto.Message, *controlv1.ExploreQuestions, error) {
	out, err := s.ServerStreamingClient.Recv()
	return out, out.GetQuestions(), err
}

// replayStream is the stream of ReplayAsking.
type replayStream struct {
	grpc.ServerStreamingClient[controlv1.ReplayAskingResponse]
}

func (s replayStream) Recv() (proto.Message, *controlv1.ExploreQuestions, error) {
	out, err := s.ServerStreamingClient.Recv()
	return out, out.GetQuestions(), err
}

// answerAll reads a stream to its end, and answers its questions. It returns the last message.
func answerAll(s askingStream, answer func(*controlv1.ExploreQuestions)) (last proto.Message, err error) {
	for {
		out, questions, err := s.Recv()
		switch {
		case errors.Is(err, io.EOF):
			return last, nil
		case err != nil:
			return nil, err
		case questions != nil:
			answer(questions)
		}
		last = out
	}
}

// exploreAnswering runs an exploration, and answers its questions.
func (a *api) exploreAnswering(in *controlv1.ExploreRequest, answer func(*controlv1.ExploreQuestions)) (*controlv1.ExploreReport, error) {
	a.Helper()
	stream, err := a.explorer.Explore(a.ctx, in)
	if err != nil {
		return nil, err
	}
	last, err := answerAll(exploreStream{stream}, answer)
	if err != nil {
		return nil, err
	}
	return last.(*controlv1.ExploreResponse).GetReport(), nil
}

// checkConserved checks the property of the client: the vault has paid nothing, or one withdrawal.
func checkConserved(q *controlv1.ExploreQuestion) *controlv1.ExploreVerdict {
	values, _, err := candid.Decode(q.GetObserved()[0].GetReply().GetBytes())
	if err != nil {
		return &controlv1.ExploreVerdict{Number: q.GetNumber(), Text: err.Error()}
	}
	if paid := candid.Format(values[0]); paid != "100 : nat" && paid != "0 : nat" {
		return &controlv1.ExploreVerdict{Number: q.GetNumber(), Text: "the vault has paid " + paid}
	}
	return &controlv1.ExploreVerdict{Number: q.GetNumber(), Holds: true}
}

// askingRequest returns an exploration of two withdrawals that asks its client.
func (a *api) askingRequest() *controlv1.ExploreRequest {
	bank, vault := a.theft()
	a.mask(bank, "BANK")
	a.mask(vault, "VAULT")
	withdraw := &controlv1.ExploreOperation{Call: &controlv1.Call{CanisterId: bank, Method: "withdraw", Argument: textOf("(100)")}, Title: "bank.withdraw(100)"}
	return &controlv1.ExploreRequest{
		Operations: []*controlv1.ExploreOperation{withdraw, withdraw}, Seed: 1, Runs: 200, Faults: 1, Workers: 1, FaultKinds: []string{"reject_transient"},
		Properties: &controlv1.ExploreProperties{
			OnlyStated: true, Asked: []*controlv1.ExploreAsked{{Title: "money is conserved", Queries: []string{"vault paidOut"}}},
		},
		Names: map[string]string{"bank": bank, "vault": vault},
	}
}

// answerLogged answers questions, and adds questions and answers to the script.
func (a *api) answerLogged(q *controlv1.ExploreQuestions) {
	a.mask(q.GetExploration(), "EXPLORATION")
	a.answered(q)
	all := &controlv1.AnswerQuestionsRequest{Exploration: q.GetExploration()}
	for _, one := range q.GetQuestions() {
		all.Verdicts = append(all.Verdicts, checkConserved(one))
	}
	call(a, a.explorer.AnswerQuestions, all)
}

func TestAClientAnswersForItsOwnProperties(t *testing.T) {
	t.Parallel()
	a := served(t, daemon.Config{Pacing: daemon.Manual})
	a.still()
	in := a.askingRequest()
	a.note("a state is asked about once: runs that end in one that looks the same, and those that shorten a schedule, need no question")
	a.asked(in)
	report, err := a.exploreAnswering(in, a.answerLogged)
	if err != nil || len(report.GetFindings()) == 0 {
		t.Fatalf("the exploration ends with %v, %v", report, err)
	}
	found := report.GetFindings()[0]
	a.note("%d runs: %s, in run %d and %d others", report.GetRuns(), found.GetText(), found.GetRun(), found.GetOthers())
	a.note("its schedule is replayed by a client that answers, too")
	replay := &controlv1.ReplayScheduleRequest{Schedule: found.GetSchedule(), Properties: in.GetProperties(), Names: in.GetNames()}
	call(a, a.explorer.ReplaySchedule, replay)
	call(a, a.explorer.ReplaySchedule, &controlv1.ReplayScheduleRequest{Schedule: found.GetSchedule(), Names: in.GetNames()})
	request := &controlv1.ReplayAskingRequest{Replay: replay}
	a.asked(request)
	again, err := a.explorer.ReplayAsking(a.ctx, request)
	if err != nil {
		t.Fatal(err)
	}
	last, err := answerAll(replayStream{again}, a.answerLogged)
	if err != nil {
		t.Fatal(err)
	}
	a.note("%s", last.(*controlv1.ReplayAskingResponse).GetReplayed().GetOutcome())
	a.rejectProperties(in)
	a.failClients(in)
	a.compare("explorer_asking")
}

// rejectProperties adds to the script how properties that cannot be asked about are rejected.
func (a *api) rejectProperties(in *controlv1.ExploreRequest) {
	a.note("what cannot be asked says why")
	for _, change := range []func(*controlv1.ExploreProperties){
		func(p *controlv1.ExploreProperties) { p.Asked[0].Title = "" },
		func(p *controlv1.ExploreProperties) { p.Asked = append(p.Asked, p.Asked[0]) },
		func(p *controlv1.ExploreProperties) { p.Asked[0].Queries = []string{"safe paidOut"} },
		func(p *controlv1.ExploreProperties) { p.AnswerTime = durationpb.New(11 * time.Minute) },
		func(p *controlv1.ExploreProperties) { p.AnswerTime = durationpb.New(0) },
	} {
		wrong := proto.CloneOf(in)
		change(wrong.Properties)
		collect(a, a.explorer.Explore, wrong)
	}
	wrong := proto.CloneOf(in)
	wrong.ExternalWorkers = true
	collect(a, a.explorer.Explore, wrong)
	call(a, a.explorer.AnswerQuestions, &controlv1.AnswerQuestionsRequest{Exploration: "none"})
	wrong.ExternalWorkers = false
	for text, change := range map[string]func(*controlv1.ExploreProperties){
		"invalid properties.asked.title tt": func(p *controlv1.ExploreProperties) { p.Asked[0].Title = strings.Repeat("t", 101) },
		"invalid properties.asked 101": func(p *controlv1.ExploreProperties) {
			for n := range 100 {
				p.Asked = append(p.Asked, &controlv1.ExploreAsked{Title: strconv.Itoa(n)})
			}
		},
		"invalid properties.asked.queries 101": func(p *controlv1.ExploreProperties) { p.Asked[0].Queries = slicesOf("vault paidOut", 101) },
	} {
		many := proto.CloneOf(wrong)
		change(many.Properties)
		if _, err := a.exploreAnswering(many, nil); err == nil || !strings.Contains(err.Error(), text) {
			a.Errorf("the exploration ends with %v, want %s", err, text)
		}
	}
}

// failClients adds to the script how explorations end whose clients fail.
func (a *api) failClients(in *controlv1.ExploreRequest) {
	ends := func(in *controlv1.ExploreRequest, answer func(*controlv1.ExploreQuestions)) {
		_, err := a.exploreAnswering(in, answer)
		if err == nil {
			a.Fatal("the exploration ends as if its client had answered")
		}
		a.failed(err) // the script says that it is not the time for an answer that ends it
	}
	a.note("answers that fit no question end the exploration")
	for _, wrong := range []*controlv1.ExploreVerdict{{Number: 7, Holds: true}, {Number: 1, Text: strings.Repeat("x", 4097)}} {
		ends(in, func(q *controlv1.ExploreQuestions) {
			_, err := a.explorer.AnswerQuestions(a.ctx, &controlv1.AnswerQuestionsRequest{Exploration: q.GetExploration(), Verdicts: []*controlv1.ExploreVerdict{wrong}})
			a.refused(fmt.Sprintf("an answer of question %d with %d bytes of text", wrong.GetNumber(), len(wrong.GetText())), err)
		})
	}
	a.note("and so does a question without an answer")
	late := proto.CloneOf(in)
	late.Properties.AnswerTime = durationpb.New(50 * time.Millisecond)
	ends(late, func(*controlv1.ExploreQuestions) {})
	a.note("and one that is too large")
	large := proto.CloneOf(in)
	large.Properties.Asked[0].Queries = slicesOf(fmt.Sprintf("vault paidOut (%s)", strings.Repeat(" ", 17_500)), 60)
	ends(large, func(*controlv1.ExploreQuestions) { a.Error("it is asked") })
}

// The report does not depend on the number of workers that ask, nor on which answers are cached.
func TestAnswersOfAClientGiveTheSameReportWithAnyNumberOfWorkers(t *testing.T) {
	t.Parallel()
	a := served(t, daemon.Config{Pacing: daemon.Manual})
	a.still()
	in := a.askingRequest()
	in.Properties.Asked[0].EachMessage = true
	in.FaultKinds, in.Operations = nil, append(in.Operations, in.Operations[0])
	var reports []*controlv1.ExploreReport
	for _, workers := range []uint32{1, 2} {
		in.Workers = workers
		asked := 0
		report, err := a.exploreAnswering(in, func(q *controlv1.ExploreQuestions) {
			all := &controlv1.AnswerQuestionsRequest{Exploration: q.GetExploration()}
			for _, one := range q.GetQuestions() {
				all.Verdicts = append(all.Verdicts, checkConserved(one))
			}
			asked += len(all.GetVerdicts())
			must(a, a.explorer.AnswerQuestions, all)
		})
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%d questions are asked in %d runs", asked, report.GetRuns())
		if asked > 200 {
			t.Errorf("%d questions are asked in %d runs", asked, report.GetRuns())
		}
		reports = append(reports, report)
	}
	if !proto.Equal(reports[0], reports[1]) || len(reports[0].GetFindings()) == 0 {
		t.Errorf("the reports differ:\n%s\n%s", written(reports[0], "  "), written(reports[1], "  "))
	}
}

func TestAQueryOfAClientThatItsCanisterDoesNotHaveIsRefused(t *testing.T) {
	t.Parallel()
	a := served(t, daemon.Config{Pacing: daemon.Manual})
	a.still()
	in := a.askingRequest()
	in.Properties.Asked[0].Queries = []string{"vault paid"}
	_, err := a.exploreAnswering(in, func(*controlv1.ExploreQuestions) { t.Error("it is asked") })
	if status.Code(err) != codes.InvalidArgument || !strings.Contains(err.Error(), "canister vault has no query paid; it has paidOut") {
		t.Errorf("a query with a wrong name: %v", err)
	}
}

// A client that does not read its stream, which a question fills, blocks neither the exploration nor its instance.
func TestAClientThatDoesNotReadEndsTheExplorationThatAsksIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, a := bubbled(t)
		a.still()
		in := a.askingRequest()
		in.Properties.AnswerTime = durationpb.New(200 * time.Millisecond)
		in.Properties.Asked[0].Queries = slicesOf(fmt.Sprintf("vault paidOut (%s)", strings.Repeat(" ", 17_500)), 50)
		stream, err := a.explorer.Explore(a.ctx, in)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		for err == nil {
			var out *controlv1.ExploreResponse
			if out, err = stream.Recv(); err != nil {
				break
			}
			_, late := a.explorer.AnswerQuestions(a.ctx, &controlv1.AnswerQuestionsRequest{Exploration: out.GetQuestions().GetExploration()})
			if status.Code(late) != codes.NotFound {
				t.Errorf("the exploration goes on: %v", late)
			}
		}
		if status.Code(err) != codes.DeadlineExceeded {
			t.Errorf("the exploration ends with %v", err)
		}
	})
}

// An exploration ends when its client disconnects.
func TestAClientThatIsGoneEndsTheExplorationThatAsksIt(t *testing.T) {
	t.Parallel()
	a := served(t, daemon.Config{Pacing: daemon.Manual})
	a.still()
	in := a.askingRequest()
	ctx, cancel := context.WithCancel(a.ctx)
	defer cancel()
	stream, err := a.explorer.Explore(ctx, in)
	if err != nil {
		t.Fatal(err)
	}
	out, err := stream.Recv()
	if err != nil || len(out.GetQuestions().GetQuestions()) != 1 {
		t.Fatalf("the first message is %v, %v", out, err)
	}
	cancel()
	name := out.GetQuestions().GetExploration()
	eventually.True(t, "the exploration is over", func() bool {
		_, err := a.explorer.AnswerQuestions(a.ctx, &controlv1.AnswerQuestionsRequest{Exploration: name})
		return status.Code(err) == codes.NotFound
	})
}
