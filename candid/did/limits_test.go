package did

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/candid"
)

func TestEachLimitLetsTheMostThroughAndRefusesOneMore(t *testing.T) {
	for name, c := range map[string]struct {
		most  int
		words string
		do    func(n int) error
	}{
		"types are defined": {20_000, "more than 20000 types are defined", func(n int) error {
			var text strings.Builder
			for i := range n {
				fmt.Fprintf(&text, "type t%d = nat;", i)
			}
			_, err := Parse(text.String())
			return err
		}},
		"files are imported": {256, "more than 256 files are imported", func(n int) error {
			var text strings.Builder
			for i := range n {
				fmt.Fprintf(&text, "import %q;", fmt.Sprint(i))
			}
			_, err := ParseWith(text.String(), func(string) (string, error) { return "", nil })
			return err
		}},
		"an example has records": {100, "no small value", func(n int) error {
			f, err := Parse("service : { m : (" + strings.Repeat("record { nat }, ", n-1) + "record { nat }) -> () }")
			if err != nil {
				return err
			}
			if _, ok := f.Methods()[0].Example(); !ok {
				return errors.New("no small value")
			}
			return nil
		}},
		"a JSON text has bytes": {16_777_216, "the text has 16777217 bytes, at most 16777216 are read", func(n int) error {
			_, err := ParseJSON([]byte("[null]"+strings.Repeat(" ", n-6)), []*candid.Type{candid.KindNull.Type()})
			return err
		}},
		"a JSON text is made": {67_108_864, "as JSON the values have more than 67108864 bytes", func(n int) error {
			printer := jsonPrinter{out: make([]byte, n-4)}
			if fault := printer.room(4); fault != nil {
				return fault.public()
			}
			return nil
		}},
		// A text of four bytes may leave out 50,004 fields.
		"fields are absent": {50_004, "too many fields are absent", func(n int) error {
			var fields []candid.Field
			for i := range n {
				fields = append(fields, candid.Field{Label: candid.Numbered(uint32(i)), Type: candid.KindNull.Type()})
			}
			record, err := candid.RecordOf(fields...)
			if err != nil {
				return err
			}
			_, err = ParseJSON([]byte("[{}]"), []*candid.Type{record})
			return err
		}},
	} {
		if err := c.do(c.most); err != nil {
			t.Errorf("%s, %d times: %v", name, c.most, err)
		}
		if err := c.do(c.most + 1); err == nil || !strings.Contains(err.Error(), c.words) {
			t.Errorf("%s, %d times: got %v, want %q", name, c.most+1, err, c.words)
		}
	}
}
