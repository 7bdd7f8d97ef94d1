package candid

import (
	"encoding/binary"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/canisterd/canisterd/candid/principal"
)

// decoder reads one message. Its primitives are shared by the three readers:
// Decode, DecodeTypes and Unmarshal.
type decoder struct {
	in      []byte
	inPlace bool // blobs are parts of in
	pos     int

	table []Type // the message's type table
	args  []*Type
	parts int // number of fields and similar parts in the type table
	quota int
	skips int // quota left for skipping
	depth int

	proven map[pair]bool // reference types compared so far

	texts textBlock

	// The last errMismatch, for explain.
	got, want *Type
	reason    string
	failedAt  int
	trail     []string
}

func (d *decoder) malformed(format string, args ...any) error {
	return &DecodeError{Kind: Malformed, Offset: d.pos, Reason: fmt.Sprintf(format, args...)}
}

const (
	costOfNothing = 4 // a value without bytes, in addition to the unit that every value costs
	costOfFilling = 2 // a field or argument that is not in the message
	costOfPair    = 4 // a pair of types compared
)

// charge takes n units of work from the quota.
func (d *decoder) charge(n uint64) error {
	if n > uint64(d.quota) {
		return d.exhausted()
	}
	d.quota -= int(n)
	return nil
}

func (d *decoder) exhausted() error {
	return &DecodeError{Kind: Limit, Offset: d.pos, Reason: fmt.Sprintf(
		"a message of %d bytes may cause %d units of work: send fewer values of no bytes",
		len(d.in), QuotaBase+QuotaPerByte*len(d.in))}
}

// enter charges for one value and goes one level down; leave goes back up. After an error the depth does not matter:
// retreat restores it.
func (d *decoder) enter() error {
	d.depth++
	if d.depth > MaxDepth || d.quota == 0 {
		return d.noEntry()
	}
	d.quota--
	return nil
}

func (d *decoder) noEntry() error {
	if d.depth > MaxDepth {
		return &DecodeError{Kind: Limit, Offset: d.pos, Reason: fmt.Sprintf("values nest deeper than %d levels", MaxDepth)}
	}
	return d.exhausted()
}

func (d *decoder) leave() { d.depth-- }

// mismatch returns the error of a value of the wire type got, nil if it is missing, where one of the type want is
// expected.
func (d *decoder) mismatch(got, want *Type, reason string) error {
	if got != nil && got.kind == KindEmpty {
		return d.noValue()
	}
	d.got, d.want, d.reason, d.failedAt = got, want, reason, d.pos
	d.trail = d.trail[:0]
	return errMismatch
}

func (d *decoder) noValue() error { return d.malformed("there is no value of type empty") }

// at records the place of a mismatch while it is passed up.
func (d *decoder) at(err error, where string) error {
	if err == errMismatch && len(d.trail) < 32 {
		d.trail = append(d.trail, where)
	}
	return err
}

// explain turns a mismatch into an error with a text.
func (d *decoder) explain(err error, arg int) error {
	if err != errMismatch {
		return err
	}
	path := fmt.Sprintf("argument %d", arg)
	for i := len(d.trail) - 1; i >= 0; i-- {
		path += "." + d.trail[i]
	}
	reason := d.reason
	switch {
	case d.got != nil && d.want != nil:
		reason = strings.TrimSpace(fmt.Sprintf("%s cannot be read as %s. %s", d.got.brief(), d.want.brief(), reason))
	case d.want != nil:
		reason = strings.TrimSpace(fmt.Sprintf("%s is missing. %s", d.want.brief(), reason))
	}
	return &DecodeError{Kind: Mismatch, Offset: d.failedAt, Path: path, Reason: reason}
}

// take returns the next n bytes of the message, not copied.
func (d *decoder) take(n uint64) ([]byte, error) {
	if n > uint64(len(d.in)-d.pos) {
		return nil, d.tooShort(n)
	}
	b := d.in[d.pos : d.pos+int(n)]
	d.pos += int(n)
	return b, nil
}

func (d *decoder) tooShort(n uint64) error {
	return d.malformed("%d bytes are needed and %d are left", n, len(d.in)-d.pos)
}

func (d *decoder) byte() (byte, error) {
	if d.pos >= len(d.in) {
		return 0, d.malformed("the message ends too early")
	}
	d.pos++
	return d.in[d.pos-1], nil
}

// flag reads a byte that is 0 or 1: a bool, the tag of an option.
func (d *decoder) flag(what string) (bool, error) {
	b, err := d.byte()
	if err == nil && b > 1 {
		d.pos--
		err = d.malformed("%s is the byte 0 or 1, not %d", what, b)
	}
	return b == 1, err
}

// bytes reads a length and that many bytes, not copied.
func (d *decoder) bytes() ([]byte, error) {
	if d.pos < len(d.in) && d.in[d.pos] < 0x80 { // most lengths are one byte
		end := d.pos + 1 + int(d.in[d.pos])
		if end <= len(d.in) {
			b := d.in[d.pos+1 : end]
			d.pos = end
			return b, nil
		}
	}
	n, err := d.uleb()
	if err != nil {
		return nil, err
	}
	return d.take(n)
}

// text reads a length and that many bytes of UTF-8, not copied.
func (d *decoder) text() ([]byte, error) {
	b, err := d.bytes()
	if err == nil && !validText(b) {
		err = d.malformed("a text is not valid UTF-8")
	}
	return b, err
}

// notASCII are the bits of a word that ASCII does not have.
const notASCII = 0x8080808080808080

// validText reports whether the bytes are UTF-8. Most texts are short and ASCII: these need few instructions.
func validText(b []byte) bool {
	const word = 8
	if len(b) < word {
		for _, c := range b {
			if c >= utf8.RuneSelf {
				return utf8.Valid(b)
			}
		}
		return true
	}
	for at := 0; at < len(b)-word; at += word {
		if binary.LittleEndian.Uint64(b[at:])&notASCII != 0 {
			return utf8.Valid(b)
		}
	}
	return binary.LittleEndian.Uint64(b[len(b)-word:])&notASCII == 0 || utf8.Valid(b)
}

// principal reads a transparent reference to a principal.
func (d *decoder) principal() (principal.Principal, error) {
	if err := d.transparent("principal"); err != nil {
		return principal.Principal{}, err
	}
	raw, err := d.bytes()
	if err != nil {
		return principal.Principal{}, err
	}
	p, err := principal.FromBytes(raw)
	if err != nil {
		return p, d.malformed("%v", err)
	}
	return p, nil
}

func (d *decoder) transparent(what string) error {
	tag, err := d.byte()
	if err == nil && tag != 1 {
		d.pos--
		err = d.malformed("a %s starts with the byte 1, not %d: opaque references have no meaning here", what, tag)
	}
	return err
}

func (d *decoder) fn() (Func, error) {
	if err := d.transparent("func"); err != nil {
		return Func{}, err
	}
	service, err := d.principal()
	if err != nil {
		return Func{}, err
	}
	method, err := d.text()
	return Func{Service: service, Method: string(method)}, err
}

// tag reads which case of the variant type follows.
func (d *decoder) tag(variant *Type) (Field, error) {
	i, err := d.uleb()
	if err != nil {
		return Field{}, err
	}
	if i >= uint64(len(variant.fields)) {
		return Field{}, d.malformed("case %d of a variant type of %d cases", i, len(variant.fields))
	}
	return variant.fields[i], nil
}

// length reads the length of a vector and charges for its elements, so that no length is free.
func (d *decoder) length() (int, error) {
	n, err := d.uleb()
	if err != nil {
		return 0, err
	}
	return int(n), d.charge(n)
}

// room returns how many of n elements, which are paid for, to allocate before they are read: at most one per remaining
// byte, or maxPrealloc if that is more.
func (d *decoder) room(n int) int { return min(n, max(len(d.in)-d.pos, maxPrealloc)) }

// refersTo reports whether a reference of the wire type got may be used at the type want.
func (d *decoder) refersTo(got, want *Type) (bool, error) {
	if ok, seen := d.proven[pair{got, want}]; seen {
		return ok, nil
	}
	pairs := d.quota
	mismatch, enough := compare(got, want, &pairs)
	if !enough {
		return false, &DecodeError{Kind: Limit, Offset: d.pos, Reason: "comparing reference types costs too much"}
	}
	d.quota = pairs
	if d.proven == nil {
		d.proven = make(map[pair]bool)
	}
	d.proven[pair{got, want}] = mismatch == nil
	return mismatch == nil, nil
}
