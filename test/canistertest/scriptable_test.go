package canistertest_test

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/intercanister/cycles"
	"github.com/canisterd/canisterd/test/canistertest"
)

// inBothWidths runs a test with a canister of either width, with canister_heartbeat.
func inBothWidths(t *testing.T, test func(t *testing.T, p *canistertest.Place, c *canister.Canister)) {
	t.Helper()
	for _, wide := range []bool{false, true} {
		t.Run(fmt.Sprintf("wide=%v", wide), func(t *testing.T) {
			p := canistertest.NewPlace(t)
			m := p.Module(canistertest.Variant{Memory64: wide, Heartbeat: true}.Module())
			if m.Memory64() != wide {
				t.Fatalf("the memory's width is wrong")
			}
			c := p.Canister(m, nil)
			c.Settings.SetEnvironment([]canister.Variable{{Name: "COLOR", Value: "red"}, {Name: "SIZE", Value: "8"}})
			test(t, p, c)
		})
	}
}

func program(text string) *canistertest.Program { return canistertest.MustParse(text, names) }

func number(n uint64) string { return string(binary.LittleEndian.AppendUint64(nil, n)) }

func amount(a cycles.Amount) string { return number(a.Lo) + number(a.Hi) }

// said is what a message was answered with, or why it failed.
func said(out canister.Outcome) string {
	switch {
	case out.Failure != nil:
		return fmt.Sprintf("failed %s: %s", out.Failure.Error, out.Failure.Message())
	case out.Response == nil:
		return "nothing"
	case out.Response.Reject != nil:
		return "rejected: " + out.Response.Reject.Message()
	}
	return string(out.Response.Reply)
}

func TestEveryOperationOfAnUpdateDoesWhatItsNameSays(t *testing.T) {
	inBothWidths(t, func(t *testing.T, p *canistertest.Place, c *canister.Canister) {
		p.Subnet.RootKey = []byte("a key of the subnet")
		for _, step := range []struct{ text, want string }{
			{`reply "x"`, "x"},
			{`append "a"; append "b"; reply`, "ab"},
			{`reject "no"`, "rejected: no"},
			{`reply 5`, number(5)},
			{`reply integer(0x0700000000000000ff)`, number(7)},
			{`push "a"; dup; append concat; reply`, "aa"},
			{`push "a"; push "b"; swap; append concat; reply`, "ba"},
			{`push "a"; push "b"; drop; append; reply`, "a"},
			{`reply add(2, 3) + subtract(2, 3) + multiply(2, 3) + divide(7, 2)`, number(5) + number(1<<64-1) + number(6) + number(3)},
			{`reply less(2, 3) + less(3, 2) + equal(2, 2) + equal(2, 3)`, number(1) + number(0) + number(1) + number(0)},
			{`reply length("abc")`, number(3)},
			{`reply slice("abcdef", 2, 3)`, "cde"},
			{`reply fill("ab", 3)`, "ababab"},
			{`repeat 3 {append "x"}; reply`, "xxx"},
			{`repeat 2 {append "x"; stop; append "y"}; reply`, "xx"},
			{`if 0 {append "x"}; if 7 {append "y"}; reply`, "y"},
			{`reply "x"; stop; unreachable`, "x"},
			{`set 41; set add(get, 1); reply get`, number(42)},
			{`reply get`, number(42)},
			{`heap-write 3, "hello"; reply "ok"`, "ok"},
			{`reply heap-read(2, 7)`, "\x00hello\x00"},
			{`reply stable-grow(2) + stable-size`, number(0) + number(2)},
			{`stable-write 65530, "bridge"; reply stable-read(65531, 4)`, "ridg"},
			{`drop grow(1); reply less(11, grow(0))`, number(1)},
			{`reply grow(1_000_000)`, number(1<<64 - 1)},
			{`spin 10; touch 3; reply "ok"`, "ok"},
			{`reply slice(arg, 0, 5)`, "\x23\x01\x00\x00\x00"},
			{`reply caller`, string(canistertest.User.Bytes())},
			{`reply self + subnet`, string(c.ID.Bytes()) + string(p.Subnet.ID.Bytes())},
			{`reply caller-info + caller-signer`, ""},
			{`reply root-key`, "a key of the subnet"},
			{`reply reject-code`, "failed"},
			{`reply method`, "failed"},
			{`reply deadline`, number(0)},
			{`accept-message`, "failed"},
			{`reply time`, number(canistertest.Start)},
			{`reply timer(77)`, number(0)},
			{`reply timer(0)`, number(77)},
			{`certify "data"; reply certified`, number(0)},
			{`reply certificate`, ""},
			{`print "seen"; reply replicated`, number(1)},
			{`reply status`, number(1)},
			{`reply less(100, counter(0))`, number(1)},
			{`reply less(counter(0), counter(1))`, number(1)},
			{`reply is-controller(caller)`, number(0)},
			{`reply variables`, number(2)},
			{`reply variable-name(1)`, "SIZE"},
			{`reply variable("COLOR")`, "red"},
			{`reply has-variable("COLOR") + has-variable("SHAPE")`, number(1) + number(0)},
			{`reply balance`, amount(c.Balance)},
			{`reply less(0, integer(liquid))`, number(1)},
			{`reply available`, amount(cycles.Of(500))},
			{`reply accept(200) + available`, amount(cycles.Of(200)) + amount(cycles.Of(300))},
			{`reply burn(0)`, amount(cycles.Amount{})},
			{`reply cost-call(3, 4)`, amount(p.Subnet.Fees.CallPrepayment(7, p.Subnet.Limits.Message, c.Module().Memory64()))},
			{`reply less(0, integer(cost-create)) + less(0, integer(cost-http(10, 20)))`, number(1) + number(1)},
			{`reply cost-ecdsa("none", 0) + cost-schnorr("none", 1) + cost-vetkd("none", 9)`, ""},
			{`on heartbeat {stop}; reply "set"`, "set"},
		} {
			before := c.Version
			out := c.Execute(&p.Subnet, &canister.Message{
				Context: canister.Update, Method: "run", Payload: program(step.text).Bytes(), Caller: canistertest.User, Available: cycles.Of(500),
			})
			got := said(out)
			if step.want == "failed" && strings.HasPrefix(got, "failed IC0504") && strings.Contains(got, "cannot be executed") {
				continue
			}
			if got != step.want {
				t.Errorf("%s\nsays %q, want %q", step.text, got, step.want)
			}
			if out.Failure == nil && c.Version != before+1 {
				t.Errorf("%s: the version went from %d to %d", step.text, before, c.Version)
			}
		}
		if got := string(c.Certified); got != "data" {
			t.Errorf("certified is %q", got)
		}
	})
}

func TestAProgramThatMakesNoSenseTrapsWithAText(t *testing.T) {
	inBothWidths(t, func(t *testing.T, p *canistertest.Place, c *canister.Canister) {
		for _, step := range []struct{ text, want string }{
			{`trap "told to"`, "'told to'"},
			{`unreachable`, "trapped: unreachable"},
			{`stray`, "heap out of bounds"},
			{`recurse`, "stack overflow"},
			{`absent`, "table out of bounds"},
			{`drop divide(1, 0)`, "integer division by 0"},
			{`raw 0x00`, "there is no such operation at byte 0"},
			{`drop "abc"; raw 0xfe`, "there is no such operation at byte 9"},
			{`raw 0x0102`, "the program ends within an operation at byte 0"},
			{`raw 0x020500`, "the program ends within an operation at byte 0"},
			{`raw 0x0205000000ff`, "the program ends within an operation at byte 0"},
			{`raw 0x02ffffffff`, "the program ends within an operation at byte 0"},
			{`drop`, "the stack is empty at byte 0"},
			{`if 1 {repeat 5000 {push 1}}`, "the stack is full at byte 0"},
			{`push 18446744073709551615; append`, "a number is used as a blob at byte 9"},
			{`drop integer("short")`, "a number has 8 bytes"},
			{`drop slice("abc", 2, 2)`, "the slice is beyond the blob"},
			{`drop fill("a", 300_000_000)`, "a blob is too large"},
			{`drop fill("ab", 9223372036854775808)`, "a blob is too large"},
			{`drop stable-read(0, 18446744073709551615)`, "a blob is too large"},
			{`heap-write 65535, "ab"`, "the end is beyond the heap"},
			{`heap-write 65537, ""`, "the offset is beyond the heap"},
			{`touch 100_000`, "too many pages"},
			{strings.Repeat("if 1 {", 40) + strings.Repeat("}", 40), "programs nest too deeply"},
			{`hook 5, {}`, "there is no such hook"},
			{`hook 0, "` + strings.Repeat("x", 1001) + `"`, "the program of a hook is too long"},
			{`call B.run() on-reply(reply "` + strings.Repeat("x", 1001) + `")`, "the programs of a call are too long"},
			{`repeat 513 {call B.run()}`, "too many calls are open"},
			{`call-cleanup {}`, "there is no call to clean up after"},
			{`drop stable-read(9_000_000, 1)`, "stable memory out of bounds"},
		} {
			got := said(p.Run(c, program(step.text)))
			if !strings.HasPrefix(got, "failed") || !strings.Contains(got, step.want) {
				t.Errorf("%.80s\nsays %q, want %q", step.text, got, step.want)
			}
			if got := said(p.Run(c, program(`reply "still here"`))); got != "still here" {
				t.Fatalf("after %s the canister says %q", step.text, got)
			}
		}
	})
}
