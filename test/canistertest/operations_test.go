package canistertest

import (
	"strings"
	"testing"
)

func TestOperationsTakeAndGiveWhatTheTableSays(t *testing.T) {
	p := NewPlace(t)
	m := p.Module(Variant{Memory64: true}.Module())
	const blob = "\x01\x02\x03\x04\x05\x06\x07\x08" // most operations can do something with it
	ran := 0
	for _, op := range operations {
		script := Script().Text("below").Text("marker")
		for _, takes := range op.takes {
			switch takes {
			case 'n':
				script.Int(1)
			default:
				script.Text(blob)
			}
		}
		switch op.code {
		case opInt, opReply, opReject, opStop:
			continue // the next bytes belong to it, or nothing can be appended after it
		case opBlob, opRepeat, opIf:
			script.block(op.code, Script())
		default:
			script.op(op.code)
		}
		for range op.gives {
			script.Drop()
		}
		out := p.Run(p.Canister(m, nil), script.Append().Answer())
		if out.Failure != nil {
			if strings.Contains(out.Failure.Message(), "the stack is") {
				t.Errorf("%s: %s", op.name, out.Failure)
			}
			continue
		}
		ran++
		if got := string(out.Response.Reply); got != "marker" && op.code != opAppend {
			t.Errorf("%s leaves %q on the stack", op.name, got)
		}
	}
	if ran < 50 {
		t.Errorf("only %d operations ran", ran)
	}
}

func TestOperationsHaveOneCodeAndOneName(t *testing.T) {
	for _, op := range operations {
		if got := operationOf(op.code); got.name != op.name {
			t.Errorf("code %#02x is that of %s and %s", op.code, op.name, got.name)
		}
		if got := operationNamed(op.name); got.code != op.code {
			t.Errorf("%s has the codes %#02x and %#02x", op.name, op.code, got.code)
		}
		if !strings.Contains(operationsText, "(func $op."+op.name+" ") {
			t.Errorf("%s is not in operations.wat", op.name)
		}
	}
}
