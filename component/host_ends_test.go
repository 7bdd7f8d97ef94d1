package component

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"
)

func TestAPromiseGivesAFutureItsValueBeforeOrAfterItIsReadFor(t *testing.T) {
	i := started(t, "waiting", Imports{"fetch": AsyncFunc(nil)})
	early, promise := NewPromise()
	promise.Set(uint32(7))
	i.returns(t, uint32(8), "await", early)

	late, promise := NewPromise()
	call := i.begin(t, "await", late)
	if call.Done() {
		t.Fatal("the call returned without the value")
	}
	promise.Set(uint32(8))
	call.gives(t, uint32(9))

	wrong, promise := NewPromise()
	promise.Set("eight")
	_, err := i.Call(t.Context(), "await", wrong)
	if want := "wasm trap: the value of a future of the host: expected uint32 for a value of type u32, found string"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

func TestAPromiseIsSetOnce(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("it was set twice")
		}
	}()
	_, promise := NewPromise()
	promise.Set(1)
	promise.Set(2)
}

func TestTheHostLearnsOfTheEndOfAStream(t *testing.T) {
	i := started(t, "waiting", Imports{"fetch": AsyncFunc(nil)})
	for _, to := range []io.Writer{&bytes.Buffer{}, writerFunc(func([]byte) (int, error) { return 0, io.ErrClosedPipe })} {
		shouted, err := i.Call(t.Context(), "shout", StreamOf(strings.NewReader("a stream")))
		if err != nil {
			t.Fatal(err)
		}
		ends := 0
		stream := shouted.(*Stream)
		stream.AtEnd(func() { ends++ })
		if err := stream.Pipe(to); err != nil {
			t.Fatal(err)
		}
		if err := i.Settle(t.Context()); err != nil {
			t.Fatal(err)
		}
		if ends != 1 {
			t.Errorf("%T: the stream ended %d times (%v)", to, ends, stream.Err())
		}
		stream.AtEnd(func() { ends++ })
		if ends != 2 {
			t.Error("a stream that ended does not say so at once")
		}
	}
}

func TestAWaitFirstAsksTheHostToGoOn(t *testing.T) {
	var asked []*Completion
	idle := 0
	c, err := Compile(t.Context(), programs(t, "valid")["waiting"])
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close(context.Background()) }()
	i, err := c.Instantiate(t.Context(), Imports{
		"fetch": AsyncFunc(func(_ context.Context, _ []any, done *Completion) { asked = append(asked, done) }),
	}, WithIdle(func() bool {
		idle++
		asked[0].Return(uint32(21))
		asked = asked[1:]
		return true
	}))
	if err != nil {
		t.Fatal(err)
	}
	i.returns(t, uint32(42), "double", uint32(1))
	i.returns(t, uint32(42), "double", uint32(2))
	if idle != 2 {
		t.Errorf("the host was asked %d times, want 2", idle)
	}
}
