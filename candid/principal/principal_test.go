package principal

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"slices"
	"strings"
	"testing"
)

func TestTextualFormsOfTheSpecificationRoundTrip(t *testing.T) {
	for text, raw := range map[string][]byte{
		"aaaaa-aa":                    {},
		"2vxsx-fae":                   {4},
		"rwlgt-iiaaa-aaaaa-aaaaa-cai": {0, 0, 0, 0, 0, 0, 0, 0, 1, 1},
		"em77e-bvlzu-aq":              {0xab, 0xcd, 0x01},
	} {
		p, err := Parse(strings.ToUpper(text))
		if err != nil {
			t.Fatalf("Parse(%s): %v", text, err)
		}
		if !bytes.Equal(p.Bytes(), raw) || p.String() != text {
			t.Errorf("%s: got bytes %x and text %s", text, p.Bytes(), p)
		}
	}
}

func TestTextThatIsNotAPrincipalIsRefused(t *testing.T) {
	for _, text := range []string{"", "aaaaa", "aaaaa-ab", "aaaaaaa", "rwlgt-iiaaa-aaaaa-aaaaa-caj", "rwlgtiiaaa-aaaaa-aaaaa-cai", "!!"} {
		if p, err := Parse(text); err == nil {
			t.Errorf("Parse(%q) = %s, want an error", text, p)
		}
	}
}

func TestEveryBitOfTheChecksumCounts(t *testing.T) {
	raw := Canister(7).Bytes()
	packed := binary.BigEndian.AppendUint32(nil, crc32.ChecksumIEEE(raw))
	packed = append(packed, raw...)
	for bit := range 32 {
		changed := bytes.Clone(packed)
		changed[bit/8] ^= 1 << (bit % 8)
		text := encoding.EncodeToString(changed)
		if p, err := Parse(text); err == nil || !strings.Contains(err.Error(), "checksum does not match") {
			t.Errorf("with bit %d of the checksum flipped Parse(%q) = %s, %v", bit, text, p, err)
		}
	}
}

func TestCanisterNumbersRoundTrip(t *testing.T) {
	for _, n := range []uint64{0, 1, 1 << 20, 1<<64 - 1} {
		if got, ok := Canister(n).CanisterNumber(); !ok || got != n {
			t.Errorf("Canister(%d).CanisterNumber() = %d, %v", n, got, ok)
		}
	}
	if Canister(7).Class() != ClassOpaque {
		t.Errorf("class of a canister id is %d", Canister(7).Class())
	}
}

func TestPrincipalsAreComparedByTheirBytes(t *testing.T) {
	var all [][]byte
	for _, unit := range []string{"\x00", "\x01", "\x01\x01", "\x04", "\x7f", "\xff", "\x00\xff", "\xff\x00"} {
		for length := range MaxLen + 1 {
			all = append(all, []byte(strings.Repeat(unit, MaxLen))[:length])
		}
	}
	all = append(all, Canister(1<<63).Bytes(), append(Canister(1<<63).Bytes(), 0), append(Canister(1<<63).Bytes(), 1, 1))
	for _, raw := range all {
		p := MustFromBytes(raw)
		if !bytes.Equal(p.Bytes(), raw) || !bytes.Equal(p.Append([]byte("x")), append([]byte("x"), raw...)) || p.Len() != len(raw) {
			t.Errorf("of %x come %x, appended %x, %d bytes", raw, p.Bytes(), p.Append(nil), p.Len())
		}
		number, ok := p.CanisterNumber()
		if want := len(raw) == 10 && raw[8] == 1 && raw[9] == 1; ok != want || ok && Canister(number) != p {
			t.Errorf("%x is canister %d, %v", raw, number, ok)
		}
		for _, other := range all {
			q := MustFromBytes(other)
			if got, want := p.Compare(q), bytes.Compare(raw, other); got != want || (p == q) != (want == 0) {
				t.Errorf("%x compared with %x gives %d and %v, want %d", raw, other, got, p == q, want)
			}
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("rwlgt-iiaaa-aaaaa-aaaaa-cai")
	f.Fuzz(func(t *testing.T, text string) {
		p, err := Parse(text)
		if err == nil && p.String() != strings.ToLower(text) {
			t.Errorf("%q parsed and printed as %s", text, p)
		}
	})
}

func TestAPrincipalHas29BytesAtMost(t *testing.T) {
	if p, err := FromBytes(make([]byte, 29)); err != nil || p.Len() != 29 {
		t.Errorf("29 bytes: %s, %v", p, err)
	}
	if p, err := FromBytes(make([]byte, 30)); err == nil || err.Error() != "a principal has at most 29 bytes, got 30" {
		t.Errorf("30 bytes: %s, %v", p, err)
	}
}

func TestTheLastByteTellsTheClass(t *testing.T) {
	for want, raw := range map[Class][][]byte{
		ClassManagement:         {{}},
		ClassOpaque:             {{1}, {9, 1}},
		ClassSelfAuthenticating: {SelfAuthenticating([]byte("key")).Bytes()},
		ClassDerived:            {{9, 3}},
		ClassAnonymous:          {{4}},
		ClassReserved:           {{9, 0x7f}},
		ClassOther:              {{9, 2}, {9, 4}, {9}},
	} {
		for _, b := range raw {
			p := MustFromBytes(b)
			if p.Class() != want || p.IsAnonymous() != (want == ClassAnonymous) {
				t.Errorf("%x has class %d, want %d; anonymous: %t", b, p.Class(), want, p.IsAnonymous())
			}
		}
	}
}

func TestTextOfJSONIsReadAndAFaultIsReported(t *testing.T) {
	var p Principal
	if err := p.UnmarshalText([]byte("2vxsx-fae")); err != nil || p != Anonymous {
		t.Errorf("got %s, %v", p, err)
	}
	if err := p.UnmarshalText([]byte("2vxsx-faf")); err == nil || p != Anonymous {
		t.Errorf("of a wrong text: %s, %v", p, err)
	}
	if err := (*Principal)(nil).UnmarshalText([]byte("2vxsx-fae")); err == nil || err.Error() != "no principal to read into" {
		t.Errorf("into nothing: %v", err)
	}
}

func TestMustPanicsWhereTheTextOrTheBytesAreWrong(t *testing.T) {
	if MustParse("2vxsx-fae") != Anonymous || MustFromBytes([]byte{4}) != Anonymous {
		t.Error("not what was parsed")
	}
	for name, call := range map[string]func(){
		"text":  func() { MustParse("2vxsx-faf") },
		"bytes": func() { MustFromBytes(make([]byte, 30)) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("a wrong %s is taken", name)
				}
			}()
			call()
		}()
	}
}

func TestSetsListShortPrincipalsFirst(t *testing.T) {
	anonymous, canister, user := MustParse("2vxsx-fae"), MustParse("7tjcv-pp777-77776-qaaaa-cai"), SelfAuthenticating([]byte("key"))
	for _, set := range [][]Principal{{canister, anonymous, user}, {user, canister, anonymous}} {
		slices.SortFunc(set, Principal.CompareLengthFirst)
		if want := []Principal{anonymous, canister, user}; !slices.Equal(set, want) {
			t.Errorf("got %s, want %s", set, want)
		}
	}
	if Canister(1).CompareLengthFirst(Canister(2)) >= 0 {
		t.Error("principals of one length are not in the order of their bytes")
	}
}
