package control

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"slices"
	"sync"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/proto"

	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

var (
	explorationUnknown = reason("EXPLORATION_UNKNOWN", codes.NotFound, "no exploration %q asks its client: it may be over", "exploration")
	questionUnanswered = reason("QUESTION_UNANSWERED", codes.DeadlineExceeded, "question %d, about %q, was not answered within %s: AnswerQuestions answers it, and answer_time gives it more time", "number", "title")
	questionTooLarge   = reason("QUESTION_TOO_LARGE", codes.ResourceExhausted, "a question about %q has %d bytes, and may have at most 1,048,576: let its queries answer less", "title")
)

// asking puts questions to the client of an exploration. Workers ask at the same time; each waits for its answer, so that
// there are never more questions than workers. An answer is remembered, because most runs end in states that look like one
// before: then there is no round trip.
type asking struct {
	name     string
	patience time.Duration
	ctx      context.Context         // of the exploration
	end      context.CancelCauseFunc // of the exploration, where the client fails
	ready    chan struct{}           // has room for one: there are pending questions

	mu       sync.Mutex                      // guards what follows
	asked    uint64                          // questions so far
	pending  []*question                     // that were not sent
	open     map[uint64]*question            // by number; pending ones, too
	alike    map[[sha256.Size]byte]*question // the same by key: workers may have the same question
	known    map[[sha256.Size]byte]verdict
	knownLen int // bytes of the texts of known
}

// verdict is an answer.
type verdict struct {
	holds bool
	text  string
}

// question waits for its answer.
type question struct {
	key      [sha256.Size]byte
	message  *controlv1.ExploreQuestion
	answered chan struct{} // closed when answer is written
	answer   verdict
}

// newAsking makes an exploration ask its client. What it returns takes the name away from the exploration.
func (s *Server) newAsking(ctx context.Context, end context.CancelCauseFunc, patience time.Duration) (a *asking, done func()) {
	a = &asking{
		name: rand.Text(), patience: patience, ctx: ctx, end: end, ready: make(chan struct{}, 1),
		open: make(map[uint64]*question), alike: make(map[[sha256.Size]byte]*question), known: make(map[[sha256.Size]byte]verdict),
	}
	s.asking.Store(a.name, a)
	return a, func() { s.asking.Delete(a.name) }
}

// ask is the client's answer to a question. The key is the same for questions that look the same to the client. It holds if
// the exploration ends before there is an answer: what it shows then is lost.
func (a *asking) ask(key [sha256.Size]byte, message func() *controlv1.ExploreQuestion) verdict {
	if v, known := a.remembered(key); known {
		return v
	}
	m := message()
	if size := proto.Size(m); size > maxQuestionBytes {
		a.end(questionTooLarge.Refuse(m.GetTitle(), size))
		return verdict{holds: true}
	}
	q := a.add(key, m)
	late := time.NewTimer(a.patience)
	defer late.Stop()
	select {
	case <-q.answered:
		return q.answer
	case <-a.ctx.Done():
	case <-late.C:
		a.end(questionUnanswered.Refuse(q.message.GetNumber(), m.GetTitle(), a.patience))
	}
	return verdict{holds: true}
}

func (a *asking) remembered(key [sha256.Size]byte) (v verdict, known bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	v, known = a.known[key]
	return v, known
}

// add makes a message a question, unless the same one waits for its answer.
func (a *asking) add(key [sha256.Size]byte, m *controlv1.ExploreQuestion) *question {
	a.mu.Lock()
	defer a.mu.Unlock()
	if same := a.alike[key]; same != nil {
		return same
	}
	a.asked++
	m.Number = a.asked
	q := &question{key: key, message: m, answered: make(chan struct{})}
	if v, known := a.known[key]; known { // since it was looked for
		q.answer = v
		close(q.answered)
		return q
	}
	a.open[m.Number], a.alike[key] = q, q
	a.pending = append(a.pending, q)
	select {
	case a.ready <- struct{}{}:
	default:
	}
	return q
}

// run sends questions until the exploration ends: those that came while a message was sent go into the next one.
func (a *asking) run(send func(*controlv1.ExploreQuestions) error) {
	for {
		select {
		case <-a.ready:
		case <-a.ctx.Done():
			return
		}
		for all := a.take(); all != nil; all = a.take() {
			if send(all) != nil {
				return // the exploration ends, too
			}
		}
	}
}

// take is a message with pending questions, nil if there are none.
func (a *asking) take() *controlv1.ExploreQuestions {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.pending) == 0 {
		return nil
	}
	all, size := &controlv1.ExploreQuestions{Exploration: a.name}, 0
	for len(a.pending) > 0 && len(all.Questions) < maxVerdicts {
		next := a.pending[0].message
		if size += proto.Size(next); size > 2*maxQuestionBytes {
			break
		}
		all.Questions = append(all.Questions, next)
		a.pending = a.pending[1:]
	}
	return all
}

// answer gives questions their answers: all, or none and an error.
func (a *asking) answer(all []*controlv1.ExploreVerdict) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(all) > maxVerdicts {
		return BadField.Refuse("verdicts", len(all), "at most 1,000 questions are answered at a time")
	}
	for i, v := range all {
		again := func(o *controlv1.ExploreVerdict) bool { return o.GetNumber() == v.GetNumber() }
		if a.open[v.GetNumber()] == nil || slices.ContainsFunc(all[:i], again) {
			return BadField.Refuse("verdicts.number", v.GetNumber(), "no question with this number waits for an answer")
		}
		if len(v.GetText()) > maxVerdictText {
			return BadField.Refuse("verdicts.text", decimal(uint64(len(v.GetText())))+" bytes", "it has at most 4,096")
		}
	}
	for _, v := range all {
		q := a.open[v.GetNumber()]
		delete(a.open, v.GetNumber())
		delete(a.alike, q.key)
		q.answer = verdict{v.GetHolds(), v.GetText()}
		close(q.answered)
		if len(a.known) < maxRemembered && a.knownLen+len(q.answer.text) <= maxRememberedText {
			a.known[q.key] = q.answer
			a.knownLen += len(q.answer.text)
		}
	}
	return nil
}

// AnswerQuestions answers questions of an exploration.
func (s *explorer) AnswerQuestions(_ context.Context, in *controlv1.AnswerQuestionsRequest) (*controlv1.AnswerQuestionsResponse, error) {
	found, known := s.asking.Load(in.GetExploration())
	if !known {
		return nil, explorationUnknown.Refuse(in.GetExploration())
	}
	a := found.(*asking)
	if err := a.answer(in.GetVerdicts()); err != nil {
		a.end(err) // it would wait for an answer that does not come
		return nil, err
	}
	return &controlv1.AnswerQuestionsResponse{}, nil
}
