package control

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/canisterd/canisterd/internal/explore/campaign"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// answeredQueue returns a queue whose client answers at once, a function that asks, and the number of questions that the
// client has seen.
func answeredQueue(t *testing.T, text string) (a *questionQueue, ask func(number int, title string), asked *int) {
	t.Helper()
	ctx, end := context.WithCancelCause(t.Context())
	t.Cleanup(func() { end(nil) })
	a, done := (&Server{}).newQuestionQueue(ctx, end, defaultAnswerTime)
	t.Cleanup(done)
	asked = new(int)
	go a.run(func(all *controlv1.ExploreQuestions) error {
		var verdicts []*controlv1.ExploreVerdict
		for _, q := range all.GetQuestions() {
			*asked++
			verdicts = append(verdicts, &controlv1.ExploreVerdict{Number: q.GetNumber(), Text: text})
		}
		return a.answer(verdicts)
	})
	return a, func(number int, title string) {
		var key [sha256.Size]byte
		binary.BigEndian.PutUint64(key[:], uint64(number))
		a.ask(key, func() *controlv1.ExploreQuestion { return &controlv1.ExploreQuestion{Title: title} })
	}, asked
}

func TestTwoHundredThousandAnswersAreCached(t *testing.T) {
	_, ask, asked := answeredQueue(t, "")
	for number := range 200_001 {
		ask(number, "")
	}
	ask(199_999, "")
	if *asked != 200_001 {
		t.Errorf("%d questions are asked, want 200,001", *asked)
	}
	ask(200_000, "")
	if *asked != 200_002 {
		t.Errorf("%d questions are asked, want 200,002: the last one is not cached", *asked)
	}
}

func TestTextsOfSixteenMiBAreCached(t *testing.T) {
	_, ask, asked := answeredQueue(t, strings.Repeat("x", 4096))
	for number := range 4097 {
		ask(number, "")
	}
	ask(4095, "")
	ask(4096, "")
	if *asked != 4098 {
		t.Errorf("%d questions are asked, want 4,098: all but the last one are cached", *asked)
	}
}

func TestAQuestionHasAtMostAMiB(t *testing.T) {
	a, ask, asked := answeredQueue(t, "")
	fits := 1<<20 - proto.Size(&controlv1.ExploreQuestion{Title: strings.Repeat("x", 1<<20)}) + 1<<20
	ask(1, strings.Repeat("x", fits))
	if *asked != 1 || a.ctx.Err() != nil {
		t.Fatalf("%d questions are asked, then %v", *asked, context.Cause(a.ctx))
	}
	ask(2, strings.Repeat("x", fits+1))
	var refused *Error
	if *asked != 1 || !errors.As(context.Cause(a.ctx), &refused) || refused.Reason != questionTooLarge {
		t.Errorf("%d questions are asked, then %v", *asked, context.Cause(a.ctx))
	}
}

// A message has at most 2 MiB of questions, because clients take 4 MiB.
func TestPendingQuestionsAreSentTogether(t *testing.T) {
	a, done := (&Server{}).newQuestionQueue(t.Context(), nil, 0)
	defer done()
	for number := range 5 {
		a.add([sha256.Size]byte{byte(number)}, &controlv1.ExploreQuestion{Title: strings.Repeat("x", 900_000)})
	}
	for number := range 1001 {
		a.add([sha256.Size]byte{9, byte(number), byte(number >> 8)}, &controlv1.ExploreQuestion{})
	}
	var counts []int
	for all := a.take(); all != nil; all = a.take() {
		counts = append(counts, len(all.GetQuestions()))
	}
	if len(counts) != 4 || counts[0] != 2 || counts[1] != 2 || counts[2] != 1000 || counts[3] != 2 {
		t.Errorf("the messages have %v questions", counts)
	}
}

func TestOneRequestAnswersAtMostAThousandQuestions(t *testing.T) {
	a, done := (&Server{}).newQuestionQueue(t.Context(), nil, 0)
	defer done()
	var all []*controlv1.ExploreVerdict
	for number := range 1001 {
		a.add([sha256.Size]byte{byte(number), byte(number >> 8)}, &controlv1.ExploreQuestion{})
		all = append(all, &controlv1.ExploreVerdict{Number: uint64(number) + 1})
	}
	if err := a.answer(all); err == nil || !strings.Contains(err.Error(), "1,000") {
		t.Errorf("1,001 answers: %v", err)
	}
	if err := a.answer(all[:1000]); err != nil {
		t.Errorf("1,000 answers: %v", err)
	}
}

func TestAQuestionWaitsFor30SecondsByDefaultAnd10MinutesAtMost(t *testing.T) {
	for set, want := range map[time.Duration]time.Duration{0: 30 * time.Second, time.Nanosecond: 1, 10 * time.Minute: 10 * time.Minute, 10*time.Minute + 1: 0, -1: 0} {
		in := &controlv1.ExploreProperties{}
		if set != 0 {
			in.AnswerTime = durationpb.New(set)
		}
		if got, err := readAnswerTime(in); (err == nil) != (want > 0) || err == nil && got != want {
			t.Errorf("with %v set, a question waits for %v (%v), want %v", set, got, err, want)
		}
	}
}

func TestATitleOfAPropertyHas100BytesAtMost(t *testing.T) {
	for length, fits := range map[int]bool{1: true, 100: true, 101: false} {
		in := &controlv1.ExploreProperties{Asked: []*controlv1.ExploreAsked{{Title: strings.Repeat("x", length)}}}
		if err := readClientProperties(&campaign.Config{}, in, nil); (err == nil) != fits {
			t.Errorf("a title of %d bytes: %v", length, err)
		}
	}
}
