package candid

import (
	"fmt"
	"testing"
)

// Records are read in runs of fields that match. Unmarshal and DecodeTypes must agree wherever such a run begins and ends.
func TestRecordsWithSomeOfTheFieldsAreReadAlikeIntoGoAndAsValues(t *testing.T) {
	type record struct {
		Text  string   `ic:"0"`
		Nat   uint64   `ic:"2,nat"`
		Note  *string  `ic:"4"`
		Fixed uint16   `ic:"6"`
		Count *uint64  `ic:"8"`
		Texts []string `ic:"10"`
		Bool  bool     `ic:"12"`
	}
	typ, err := TypeFor[[]record]()
	if err != nil {
		t.Fatal(err)
	}
	contents := []Value{
		Text("text"), NatOf(1 << 40), Opt{Text("note")}, Nat16(300), Opt{}, Vec{Text("a"), Text("")}, Bool(true),
	}
	for mask := range 1 << len(contents) {
		for _, between := range []bool{false, true} {
			var fields Record
			for i, content := range contents {
				if mask&(1<<i) != 0 {
					fields = append(fields, FieldValue{Numbered(uint32(2 * i)), content})
				}
				if between {
					fields = append(fields, FieldValue{Numbered(uint32(2*i + 1)), Nat8(i)})
				}
			}
			message, err := EncodeValues(Vec{fields, fields})
			if err != nil {
				t.Fatal(err)
			}
			want, wantErr := DecodeTypes(message, []*Type{typ})
			var got []record
			gotErr := Unmarshal(message, &got)
			if fmt.Sprint(gotErr) != fmt.Sprint(wantErr) {
				t.Fatalf("%s: Unmarshal says %v, DecodeTypes %v", Format(fields), gotErr, wantErr)
			}
			if wantErr != nil {
				continue
			}
			again, err := Marshal(got)
			if err != nil {
				t.Fatal(err)
			}
			values, err := DecodeTypes(again, []*Type{typ})
			if err != nil || !Equal(values[0], want[0]) {
				t.Errorf("%s: Unmarshal reads %v, DecodeTypes %s (%v)", Format(fields), got, Format(want[0]), err)
			}
		}
	}
}

func TestAFaultInARecordIsTheSameInGoAndAsValues(t *testing.T) {
	type record struct {
		Text  string  `ic:"0"`
		Nat   uint64  `ic:"1,nat"`
		Note  *string `ic:"2"`
		Fixed uint32  `ic:"3"`
	}
	message, err := Marshal([]record{{"text", 1 << 20, nil, 7}, {"", 300, nil, 8}})
	if err != nil {
		t.Fatal(err)
	}
	typ, err := TypeFor[[]record]()
	if err != nil {
		t.Fatal(err)
	}
	for at := range message {
		for _, hostile := range [][]byte{message[:at], append(append([]byte{}, message[:at]...), append([]byte{0xff}, message[at+1:]...)...)} {
			_, wantErr := DecodeTypes(hostile, []*Type{typ})
			var got []record
			if gotErr := Unmarshal(hostile, &got); fmt.Sprint(gotErr) != fmt.Sprint(wantErr) {
				t.Errorf("byte %d of %d: Unmarshal says %v, DecodeTypes %v", at, len(hostile), gotErr, wantErr)
			}
		}
	}
}
