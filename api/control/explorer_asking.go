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
	explorationUnknown = reason("EXPLORATION_UNKNOWN", codes.NotFound, "no exploration %q is in progress: it may have ended", "exploration")
	questionUnanswered = reason("QUESTION_UNANSWERED", codes.DeadlineExceeded, "question %d, about %q, was not answered within %s: AnswerQuestions answers it, and answer_time gives it more time", "number", "title")
	questionTooLarge   = reason("QUESTION_TOO_LARGE", codes.ResourceExhausted, "a question about %q is %d bytes, which exceeds the limit of %d: use queries with smaller answers", "title", "size", "limit")
)

// questionQueue asks the client of an exploration whether its properties hold. Each worker waits for the answer to its
// question, so there are never more open questions than workers. Answers are cached: most runs end in a state that looks
// like an earlier one, and then need no round trip.
type questionQueue struct {
	name     string // of the exploration, for AnswerQuestions
	patience time.Duration
	ctx      context.Context         // of the exploration
	end      context.CancelCauseFunc // of the exploration, if the client fails
	ready    chan struct{}           // signals pending questions; has room for one

	mu         sync.Mutex                      // guards the fields below
	asked      uint64                          // questions so far
	pending    []*question                     // not yet sent
	open       map[uint64]*question            // by number: not yet answered, includes pending
	byKey      map[[sha256.Size]byte]*question // open, by key: several workers may wait for the same one
	cache      map[[sha256.Size]byte]verdict
	cacheBytes int // of the texts in cache
}

// verdict is the answer to a question.
type verdict struct {
	holds bool
	text  string
}

// question is one question of one or more workers.
type question struct {
	key      [sha256.Size]byte
	message  *controlv1.ExploreQuestion
	answered chan struct{} // closed when answer is written
	answer   verdict
}

// newQuestionQueue makes the queue of an exploration. AnswerQuestions finds it by its name until done is called.
func (s *Server) newQuestionQueue(ctx context.Context, end context.CancelCauseFunc, patience time.Duration) (q *questionQueue, done func()) {
	q = &questionQueue{
		name: rand.Text(), patience: patience, ctx: ctx, end: end, ready: make(chan struct{}, 1),
		open: make(map[uint64]*question), byKey: make(map[[sha256.Size]byte]*question), cache: make(map[[sha256.Size]byte]verdict),
	}
	s.questions.Store(q.name, q)
	return q, func() { s.questions.Delete(q.name) }
}

// ask returns the client's answer to a question. Questions that look the same to the client have the same key. If the
// exploration ends before the answer, the property holds: the results are discarded then.
func (q *questionQueue) ask(key [sha256.Size]byte, message func() *controlv1.ExploreQuestion) verdict {
	if v, known := q.cached(key); known {
		return v
	}
	m := message()
	if size := proto.Size(m); size > maxQuestionBytes {
		q.end(questionTooLarge.Refuse(m.GetTitle(), size, maxQuestionBytes))
		return verdict{holds: true}
	}
	one := q.add(key, m)
	late := time.NewTimer(q.patience)
	defer late.Stop()
	select {
	case <-one.answered:
		return one.answer
	case <-q.ctx.Done():
	case <-late.C:
		q.end(questionUnanswered.Refuse(one.message.GetNumber(), m.GetTitle(), q.patience))
	}
	return verdict{holds: true}
}

// cached returns the cached answer to a question.
func (q *questionQueue) cached(key [sha256.Size]byte) (v verdict, known bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	v, known = q.cache[key]
	return v, known
}

// add adds a question, unless one with the same key is open, which it returns instead.
func (q *questionQueue) add(key [sha256.Size]byte, m *controlv1.ExploreQuestion) *question {
	q.mu.Lock()
	defer q.mu.Unlock()
	if same := q.byKey[key]; same != nil {
		return same
	}
	q.asked++
	m.Number = q.asked
	one := &question{key: key, message: m, answered: make(chan struct{})}
	if v, known := q.cache[key]; known { // answered since ask looked it up
		one.answer = v
		close(one.answered)
		return one
	}
	q.open[m.Number], q.byKey[key] = one, one
	q.pending = append(q.pending, one)
	select {
	case q.ready <- struct{}{}:
	default:
	}
	return one
}

// run sends questions until the exploration ends. Questions that are added during a send go into the next message.
func (q *questionQueue) run(send func(*controlv1.ExploreQuestions) error) {
	for {
		select {
		case <-q.ready:
		case <-q.ctx.Done():
			return
		}
		for all := q.take(); all != nil; all = q.take() {
			if send(all) != nil {
				return // the outbox ends the exploration
			}
		}
	}
}

// take removes pending questions, and returns them as one message; nil if there are none.
func (q *questionQueue) take() *controlv1.ExploreQuestions {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.pending) == 0 {
		return nil
	}
	all, size := &controlv1.ExploreQuestions{Exploration: q.name}, 0
	for len(q.pending) > 0 && len(all.Questions) < maxVerdicts {
		next := q.pending[0].message
		if size += proto.Size(next); size > 2*maxQuestionBytes {
			break
		}
		all.Questions = append(all.Questions, next)
		q.pending = q.pending[1:]
	}
	return all
}

// answer answers questions: all of them, or on an error none.
func (q *questionQueue) answer(all []*controlv1.ExploreVerdict) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(all) > maxVerdicts {
		return BadField.Refuse("verdicts", len(all), "at most 1,000 questions are answered at a time")
	}
	for i, v := range all {
		again := func(o *controlv1.ExploreVerdict) bool { return o.GetNumber() == v.GetNumber() }
		if q.open[v.GetNumber()] == nil || slices.ContainsFunc(all[:i], again) {
			return BadField.Refuse("verdicts.number", v.GetNumber(), "no question with this number waits for an answer")
		}
		if len(v.GetText()) > maxVerdictText {
			return BadField.Refuse("verdicts.text", decimal(uint64(len(v.GetText())))+" bytes", "it has at most 4,096")
		}
	}
	for _, v := range all {
		one := q.open[v.GetNumber()]
		delete(q.open, v.GetNumber())
		delete(q.byKey, one.key)
		one.answer = verdict{v.GetHolds(), v.GetText()}
		close(one.answered)
		if len(q.cache) < maxRemembered && q.cacheBytes+len(one.answer.text) <= maxRememberedText {
			q.cache[one.key] = one.answer
			q.cacheBytes += len(one.answer.text)
		}
	}
	return nil
}

// AnswerQuestions answers questions of an exploration.
func (s *explorer) AnswerQuestions(_ context.Context, in *controlv1.AnswerQuestionsRequest) (*controlv1.AnswerQuestionsResponse, error) {
	found, known := s.questions.Load(in.GetExploration())
	if !known {
		return nil, explorationUnknown.Refuse(in.GetExploration())
	}
	q := found.(*questionQueue)
	if err := q.answer(in.GetVerdicts()); err != nil {
		q.end(err) // it would wait for an answer that never comes
		return nil, err
	}
	return &controlv1.AnswerQuestionsResponse{}, nil
}
