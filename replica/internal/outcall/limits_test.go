package outcall

import (
	"strings"
	"testing"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/intercanister/cycles"
	"github.com/canisterd/canisterd/replica/internal/state"
)

func headers(n, name, value int) [][2]string {
	all := make([][2]string, n)
	for i := range all {
		all[i] = [2]string{strings.Repeat("n", name), strings.Repeat("v", value)}
	}
	return all
}

func TestHeadersAndBodiesHaveLimits(t *testing.T) {
	for _, c := range []struct {
		headers [][2]string
		body    int
		words   string
	}{
		{headers(64, 1, 1), 0, ""},
		{headers(65, 1, 1), 0, "number of all http headers 65 exceeds 64"},
		{headers(1, 8_192, 0), 0, ""},
		{headers(1, 8_193, 0), 0, "number of bytes to represent some http header name 8193 exceeds 8192"},
		{headers(1, 0, 8_192), 0, ""},
		{headers(1, 0, 8_193), 0, "number of bytes to represent some http header value 8193 exceeds 8192"},
		{headers(6, 1, 8_191), 0, ""},
		{append(headers(6, 1, 8_191), [2]string{"n"}), 0, "total number of bytes to represent all http header names and values 49153 exceeds 49152"},
		{headers(1, 1, 1), 1_999_998, ""},
		{headers(1, 1, 1), 1_999_999, "total number of bytes to represent all http header names and values and http body 2000001 exceeds 2000000"},
	} {
		if got := Check(c.headers, make([]byte, c.body)); got != c.words {
			t.Errorf("%d headers and %d bytes: %q, want %q", len(c.headers), c.body, got, c.words)
		}
	}
}

func TestWhatIsWithheldPaysForAMinuteAndAQuery(t *testing.T) {
	fees := cycles.Application(13)
	sent := state.Outcall{Replicated: true, MaxResponse: 1_000}
	got := Withhold(&fees, &sent, cycles.Amount{Hi: 1})
	most := fees.OutcallUsage(cycles.Usage{Milliseconds: 60_000, Raw: 1_000, Transformed: 2_024, Instructions: 5_000_000_000}, sent.Committee())
	if want := most.Div(13).Mul(13); got != want || want == (cycles.Amount{}) {
		t.Errorf("%s are withheld, want %s", got, want)
	}
}

// result is a content of a given size in bytes.
func result(bytes int) state.OutcallContent {
	body := make([]byte, bytes-100)
	return state.OutcallContent{Reply: encode(Result{Body: make([]byte, len(body)+bytes-len(encode(Result{Body: body})))})}
}

func TestAFlexibleOutcallDelivers2MiB(t *testing.T) {
	fees := cycles.Application(13)
	ids := []principal.Principal{principal.Canister(1), principal.Canister(2)}
	for second, words := range map[int]string{
		1_048_576: "",
		1_048_577: "to fit within 2097152 bytes",
	} {
		sent := state.Outcall{Members: []int{0, 1}, Min: 2, Max: 2, PayAsYouGo: true, Allowance: cycles.Amount{Hi: 1}}
		answer, _, decided := Flexible(&fees, &sent, ids, []state.OutcallContent{result(1_048_576), result(second)})
		if large := len(answer.Reply) > 2_097_152; !decided || large != (words == "") || !strings.Contains(string(answer.Reply), words) {
			t.Errorf("two results, the second of %d bytes: decided %t, a reply of %d bytes", second, decided, len(answer.Reply))
		}
	}
}
