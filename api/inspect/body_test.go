package inspect

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"

	"github.com/canisterd/canisterd/internal/budget"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// answering answers each RPC with a text of some bytes.
type answering struct {
	fakeStream
	bytes int
}

func (a *answering) Invoke(_ context.Context, _ string, _, out any, _ ...grpc.CallOption) error {
	switch out := out.(type) {
	case *controlv1.GetInstanceResponse:
		out.Instance = &controlv1.Instance{Name: strings.Repeat("n", a.bytes)}
	case *controlv1.GetInterfaceResponse:
		out.Candid = "service : {}" + strings.Repeat(" ", a.bytes)
	}
	return nil
}

func TestRequestsAndAnswersTakeMemoryOfTheBudget(t *testing.T) {
	const limit = 1 << 20
	long := strings.Repeat(" ", limit)
	for name, row := range map[string]struct {
		path, kind, body string
		answer           int
		want             int
	}{
		"a short message":                {"rpc/Instances/GetInstance", unaryType, "{}", 0, 200},
		"a long message":                 {"rpc/Instances/GetInstance", unaryType, "{}" + long, 0, 429},
		"a long answer":                  {"rpc/Instances/GetInstance", unaryType, "{}", limit, 429},
		"an answer with its text":        {"rpc/Instances/GetInstance", unaryType, "{}", limit / 2, 429},
		"short messages in lines":        {"rpc/Canisters/InstallCode", streamType, strings.Repeat("{}"+long[:limit/4]+"\n", 10), 0, 200},
		"a long message in a line":       {"rpc/Canisters/InstallCode", streamType, "{}" + long + "\n", 0, 429},
		"a long message as a value":      {"values", unaryType, "{}" + long, 0, 429},
		"the types of a long interface":  {"types", unaryType, "", limit, 429},
		"the types of a short interface": {"types", unaryType, "", 0, 200},
	} {
		memory := budget.New("requests", limit)
		r := request(http.MethodPost, Path+row.path, "")
		if row.body != "" {
			r.Body = io.NopCloser(strings.NewReader(row.body))
		}
		r.ContentLength = -1
		r.Header.Set("Content-Type", row.kind)
		w := httptest.NewRecorder()
		control := &answering{bytes: row.answer, fakeStream: fakeStream{answers: []proto.Message{&controlv1.InstallCodeResponse{}}}}
		New(Config{Control: control, Token: secret, Memory: memory}).ServeHTTP(w, r)
		if w.Code != row.want || row.want == 429 && !strings.Contains(w.Body.String(), "start the daemon with a larger --memory-limit") {
			t.Errorf("%s: status %d, want %d: %.300s", name, w.Code, row.want, w.Body)
		}
		if memory.Used() != 0 {
			t.Errorf("%s: %d bytes stay reserved", name, memory.Used())
		}
	}
}

func TestALineIsReadInPartsOfAnySize(t *testing.T) {
	text := strings.Repeat("0123456789", 30_000)
	lines := bufio.NewReaderSize(strings.NewReader(text+"\nlast"), 16)
	memory := budget.New("requests", 1<<30)
	for _, want := range []string{text + "\n", "last"} {
		if line, err := readLine(lines, memory.NewReservation()); err != nil || string(line) != want {
			t.Errorf("a line has %d bytes: %v", len(line), err)
		}
	}
	if _, err := readLine(lines, memory.NewReservation()); !errors.Is(err, io.EOF) {
		t.Errorf("after the last line: %v", err)
	}
	if want := 2 * int64(len(text)+len("\nlast")); memory.Used() != want {
		t.Errorf("%d bytes are reserved, want %d", memory.Used(), want)
	}
}
