package standin_test

import (
	"errors"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/canisterd/canisterd"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/standin"
	"github.com/canisterd/canisterd/test/canistertest"
	"github.com/canisterd/canisterd/test/canistertest/wat"
)

func TestMain(m *testing.M) { os.Exit(canistertest.Main(m)) }

// ledger is the canister that stand-ins of the tests are for.
var ledger = principal.MustParse("2ouva-viaaa-aaaaq-aaamq-cai")

const ledgerInterface = `service : {
  balance : (text) -> (nat) query;
  transfer : (text, nat) -> (bool);
  statement : () -> (vec text) composite_query;
}
`

// message is a Candid message without values, followed by a text, which makes it another one.
func message(text string) []byte { return append([]byte("DIDL\x00\x00"), text...) }

func recorded(description string) *standin.Recording {
	return &standin.Recording{
		Canister: ledger, From: "ic", Network: "ab", Interface: description,
		Replies: []standin.Reply{
			{Method: "balance", Argument: []byte("DIDL\x00\x01\x71\x03Ada"), Reply: []byte("DIDL\x00\x01\x7d\x64")},
			{Method: "balance", Argument: []byte("DIDL\x00\x01\x71\x03Bob"), Reject: "Bob has no account"},
			{Method: "balance", Argument: []byte{}, Reply: []byte{}},
			{Method: "statement", Argument: message(""), Reply: message("statement")},
		},
	}
}

// deployed deploys the stand-in of a recording.
func deployed(t *testing.T, r *standin.Recording) (*canisterd.IC, *canisterd.Canister) {
	t.Helper()
	module, err := standin.Module(r)
	if err != nil {
		t.Fatal(err)
	}
	ic := canisterd.New(t, canisterd.Subnets(canisterd.NNS, canisterd.SNS, canisterd.Application))
	return ic, ic.DeployModule(module)
}

// queried returns the reply to a query, or the text of its reject.
func queried(t *testing.T, c *canisterd.Canister, method string, argument []byte) string {
	t.Helper()
	var reply canisterd.Bytes
	err := c.Query(t.Context(), method, canisterd.Bytes(argument), canisterd.Into(&reply))
	if reject, is := errors.AsType[*canisterd.Reject](err); is {
		return reject.Message
	}
	if err != nil {
		t.Fatal(err)
	}
	return string(reply)
}

func TestAStandInRepliesWhatWasRecorded(t *testing.T) {
	for name, description := range map[string]string{"with an interface": ledgerInterface, "without an interface": ""} {
		t.Run(name, func(t *testing.T) {
			r := recorded(description)
			_, c := deployed(t, r)
			for _, reply := range r.Replies {
				want := string(reply.Reply) + reply.Reject
				if got := queried(t, c, reply.Method, reply.Argument); got != want {
					t.Errorf("%s(%x) gives %q, and %q was recorded", reply.Method, reply.Argument, got, want)
				}
			}
			for _, argument := range []string{"DIDL\x00\x01\x71\x03Eve", "DIDL\x00\x01\x71\x03Ad", "D", strings.Repeat("x", 1<<20)} {
				if got := queried(t, c, "balance", []byte(argument)); got != "This is a stand-in for canister 2ouva-viaaa-aaaaq-aaamq-cai of ic, which answers queries with recorded replies. No reply of balance was recorded for this argument: canisterd clone record 2ouva-viaaa-aaaaq-aaamq-cai 'balance (ARGUMENTS)' --from ic records one." {
					t.Errorf("another argument gives %q", got)
				}
			}
		})
	}
}

func TestAStandInRefusesUpdatesWithTheReason(t *testing.T) {
	const want = "and refuses the update transfer: clone the canister as one of its controllers, or install another module (canisterd canister install 2ouva-viaaa-aaaaq-aaamq-cai FILE --mode reinstall)."
	_, c := deployed(t, recorded(ledgerInterface))
	if err := c.Call(t.Context(), "transfer", "Ada", 5); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("an update gives %v", err)
	}
	var reply canisterd.Bytes
	if err := c.Call(t.Context(), "balance", canisterd.Bytes("DIDL\x00\x01\x71\x03Ada"), canisterd.Into(&reply)); err != nil || string(reply) != "DIDL\x00\x01\x7d\x64" {
		t.Errorf("a query that is called as an update gives %q (%v)", reply, err)
	}
}

// Without an interface the other methods are not known. Messages of users to them are refused before they are accepted.
func TestAStandInWithoutAnInterfaceRefusesOtherMethods(t *testing.T) {
	_, c := deployed(t, recorded(""))
	if err := c.Call(t.Context(), "transfer", canisterd.Bytes(message(""))); err == nil || !strings.Contains(err.Error(), "and refuses all other methods: clone the canister") {
		t.Errorf("an update gives %v", err)
	}
	var reply canisterd.Bytes
	if err := c.Call(t.Context(), "balance", canisterd.Bytes(""), canisterd.Into(&reply)); err != nil || len(reply) > 0 {
		t.Errorf("a query that is called as an update gives %q (%v)", reply, err)
	}
}

// asker calls the method balance of the canister whose id is its argument, and replies with the reply.
const asker = `(module
	(import "ic0" "msg_arg_data_size" (func $size (result i32)))
	(import "ic0" "msg_arg_data_copy" (func $arg (param i32 i32 i32)))
	(import "ic0" "msg_reply" (func $reply))
	(import "ic0" "msg_reply_data_append" (func $append (param i32 i32)))
	(import "ic0" "call_new" (func $new (param i32 i32 i32 i32 i32 i32 i32 i32)))
	(import "ic0" "call_data_append" (func $data (param i32 i32)))
	(import "ic0" "call_perform" (func $perform (result i32)))
	(memory 1)
	(table funcref (elem $answered $failed))
	(data (i32.const 0) "balance")
	(data (i32.const 16) "DIDL\00\01\71\03Ada")
	(func (export "canister_update ask")
		(call $arg (i32.const 64) (i32.const 0) (call $size))
		(call $new (i32.const 64) (call $size) (i32.const 0) (i32.const 7) (i32.const 0) (i32.const 0) (i32.const 1) (i32.const 0))
		(call $data (i32.const 16) (i32.const 11))
		(if (call $perform) (then (unreachable))))
	(func $answered (param i32)
		(call $arg (i32.const 128) (i32.const 0) (call $size))
		(call $append (i32.const 128) (call $size))
		(call $reply))
	(func $failed (param i32) (unreachable)))`

func TestCanistersGetTheRecordedRepliesOfQueries(t *testing.T) {
	ic, c := deployed(t, recorded(ledgerInterface))
	module, err := wat.Assemble(asker)
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range []canisterd.SubnetKind{canisterd.Application, canisterd.SNS} {
		var reply canisterd.Bytes
		if err := ic.DeployModule(module, canisterd.On(kind)).Call(t.Context(), "ask", canisterd.Bytes(c.ID().Bytes()), canisterd.Into(&reply)); err != nil || string(reply) != "DIDL\x00\x01\x7d\x64" {
			t.Errorf("a canister on a subnet of kind %v gets %q (%v)", kind, reply, err)
		}
	}
}

func TestARecordingIsReadAsItWasWritten(t *testing.T) {
	for _, description := range []string{ledgerInterface, ""} {
		r := recorded(description)
		text, err := standin.Write(r)
		if err != nil {
			t.Fatal(err)
		}
		again, err := standin.Read(text)
		if err != nil || !reflect.DeepEqual(r, again) {
			t.Errorf("%s is read as %+v, %v", text, again, err)
		}
		if got := strings.Contains(string(text), "  - method: balance\n    argument: (\"Ada\")\n    reply: '(100 : nat)'\n"); got != (description != "") || !strings.Contains(string(text), "certified: false\n") {
			t.Errorf("the text is\n%s", text)
		}
	}
}

func TestAReplyReplacesTheOneOfTheSameArgument(t *testing.T) {
	r := recorded("")
	r.Add(standin.Reply{Method: "balance", Argument: []byte{}, Reply: []byte("new")})
	r.Add(standin.Reply{Method: "statement", Argument: []byte{}, Reply: []byte("other")})
	if len(r.Replies) != 5 || string(r.Replies[2].Reply) != "new" || string(r.Replies[4].Reply) != "other" {
		t.Errorf("the replies are %+v", r.Replies)
	}
}

func TestFilesThatAreNoRecordingsAreRefusedWithTheReason(t *testing.T) {
	const head = "version: 1\ncanister: 2ouva-viaaa-aaaaq-aaamq-cai\n"
	for text, want := range map[string]string{
		"":                                "its version is 0",
		"version: 2":                      "this program reads version 1",
		"version: 1":                      "canister: ",
		head + "replies: [{name: f}]":     "invalid stand-in: line 3: field name not found",
		"version: 1\nsteps: 3":            "field steps not found",
		"version: {":                      "invalid stand-in",
		head + "certified: true":          "certified is true",
		head + "interface: 'service : {'": "the interface of the stand-in for 2ouva-viaaa-aaaaq-aaamq-cai",
		head + "replies: [{}]":            "reply 1: method is missing",
		head + "replies: [{method: f}]":   "reply 1: f: expected either reply or reject",
		head + "replies: [{method: f, reply: 'xy'}]":                                                "reply 1: f: reply: \"xy\" is neither",
		head + "replies: [{method: f, argument: '(1)', reply: ''}]":                                 "reply 1: f: argument: (1) is Candid text",
		head + "replies: [{method: f, reply: '', reject: no}]":                                      "expected either reply or reject",
		head + "interface: 'service : { f : () -> () }'\nreplies: [{method: f, reply: ''}]":         "f is an update method",
		head + "replies: [" + strings.Repeat("{method: f, reply: ''},", standin.MaxReplies+1) + "]": "the limit is 10000",
	} {
		if _, err := standin.Read([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.80q gives %v, want %q", text, err, want)
		}
	}
}

func TestAFileIsNotLargerThanItsLimit(t *testing.T) {
	r := recorded("")
	for _, size := range []struct {
		bytes   int
		refused bool
	}{{standin.MaxFileBytes/2 - 1024, false}, {standin.MaxFileBytes / 2, true}} {
		r.Add(standin.Reply{Method: "large", Argument: []byte{}, Reply: make([]byte, size.bytes)})
		if _, err := standin.Write(r); (err != nil) != size.refused {
			t.Errorf("a reply of %d bytes gives %v", size.bytes, err)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, description := range []string{ledgerInterface, ""} {
		text, err := standin.Write(recorded(description))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := standin.Read(text)
		if err != nil {
			return
		}
		if _, err := standin.Module(r); err != nil {
			t.Errorf("it is read, and its module cannot be made: %v", err)
		}
		written, err := standin.Write(r)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := standin.Read(written); err != nil || !reflect.DeepEqual(r, again) {
			t.Errorf("%s is read as %+v, %v", written, again, err)
		}
	})
}

func TestAStandInIsRecognized(t *testing.T) {
	r := recorded(ledgerInterface)
	module, err := standin.Module(r)
	if err != nil {
		t.Fatal(err)
	}
	const section = `{"canister":"2ouva-viaaa-aaaaq-aaamq-cai","from":"ic","certified":false,"replies":{"balance":3,"statement":1}}`
	if !strings.Contains(string(module), section) {
		t.Fatal("the module does not have the section")
	}
	about, err := standin.ReadAbout([]byte(section))
	if err != nil || about.String() != "of the canister at ic, with replies that were recorded from queries and are not certified: balance (3), statement (1)" {
		t.Errorf("it is %v (%v)", about, err)
	}
	for _, damaged := range []string{"", "{}", `{"canister":"ledger"}`} {
		if _, err := standin.ReadAbout([]byte(damaged)); err == nil {
			t.Errorf("%q is read", damaged)
		}
	}
}
