package wat

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Unquote is the value of a Quoted token's text, its quotes included.
func Unquote(quoted string) string { return unquote(quoted) }

func unquote(quoted string) string {
	body := quoted[1 : len(quoted)-1]
	if !strings.Contains(body, `\`) {
		return body
	}
	out := make([]byte, 0, len(body))
	for i := 0; i < len(body); {
		if body[i] != '\\' {
			out = append(out, body[i])
			i++
			continue
		}
		out = appendEscape(out, body[i:])
		i += escapeLength(body[i:])
	}
	return string(out)
}

// escapeLength is the length of the escape text begins with, 0 if malformed.
func escapeLength(text string) int {
	if len(text) < 2 {
		return 0
	}
	switch text[1] {
	case 't', 'n', 'r', '"', '\'', '\\':
		return 2
	case 'u':
		stop := strings.IndexByte(text, '}')
		if stop < 4 || text[2] != '{' || !utf8.ValidRune(runeOf(text[3:stop])) {
			return 0
		}
		return stop + 1
	}
	if len(text) >= 3 && digit(text[1]) < 16 && digit(text[2]) < 16 {
		return 3
	}
	return 0
}

func appendEscape(out []byte, text string) []byte {
	switch c := text[1]; c {
	case 't':
		return append(out, '\t')
	case 'n':
		return append(out, '\n')
	case 'r':
		return append(out, '\r')
	case '"', '\'', '\\':
		return append(out, c)
	case 'u':
		return utf8.AppendRune(out, runeOf(text[3:strings.IndexByte(text, '}')]))
	}
	return append(out, digit(text[1])<<4|digit(text[2]))
}

func runeOf(hex string) rune {
	digits, ok := plainDigits(hex, 16)
	n, err := strconv.ParseUint(digits, 16, 31)
	if !ok || err != nil {
		return -1
	}
	return rune(n)
}

func digit(c byte) byte {
	switch {
	case c >= '0' && c <= '9':
		return c - '0'
	case c >= 'a' && c <= 'f':
		return c - 'a' + 10
	case c >= 'A' && c <= 'F':
		return c - 'A' + 10
	}
	return 255
}

// plainDigits drops the underscores of a digit run; they may only stand
// between two digits.
func plainDigits(run string, base byte) (string, bool) {
	if run == "" {
		return "", false
	}
	underscores := 0
	for i := range len(run) {
		if run[i] == '_' {
			if i == 0 || i == len(run)-1 || run[i-1] == '_' {
				return "", false
			}
			underscores++
		} else if digit(run[i]) >= base {
			return "", false
		}
	}
	if underscores > 0 {
		run = strings.ReplaceAll(run, "_", "")
	}
	return run, true
}

var (
	errNotNumber = errors.New("unknown operator")
	errRange     = errors.New("constant out of range")
)

// parseUnsigned reads the format's uN without a sign; N is bits.
func parseUnsigned(word string, bits int) (uint64, error) {
	base, run := 10, word
	if hex, ok := strings.CutPrefix(word, "0x"); ok {
		base, run = 16, hex
	}
	digits, ok := plainDigits(run, byte(base))
	if !ok {
		return 0, errNotNumber
	}
	n, err := strconv.ParseUint(digits, base, bits)
	if err != nil {
		return 0, errRange
	}
	return n, nil
}

// parseInteger reads the format's iN: signed or unsigned, as N bits.
func parseInteger(word string, bits int) (uint64, error) {
	run, negative := strings.CutPrefix(word, "-")
	if !negative {
		run = strings.TrimPrefix(word, "+")
	}
	n, err := parseUnsigned(run, bits)
	if err != nil || !negative {
		return n, err
	}
	if n > 1<<(bits-1) {
		return 0, errRange
	}
	return -n & (math.MaxUint64 >> (64 - bits)), nil
}

// parseFloat reads the format's fN and gives its bits; N is 32 or 64.
func parseFloat(word string, bits int) (uint64, error) {
	run, negative := strings.CutPrefix(word, "-")
	if !negative {
		run = strings.TrimPrefix(word, "+")
	}
	n, err := magnitude(run, bits)
	if negative {
		n |= 1 << (bits - 1)
	}
	return n, err
}

func magnitude(run string, bits int) (uint64, error) {
	mantissa := 52
	if bits == 32 {
		mantissa = 23
	}
	infinity := uint64(1)<<(bits-1) - uint64(1)<<mantissa
	switch {
	case run == "inf":
		return infinity, nil
	case run == "nan":
		return infinity | 1<<(mantissa-1), nil
	case strings.HasPrefix(run, "nan:0x"):
		payload, err := parseUnsigned(run[4:], 64)
		if err == nil && (payload == 0 || payload >= 1<<mantissa) {
			err = errRange
		}
		return infinity | payload, err
	}
	plain, ok := plainFloat(run)
	if !ok {
		return 0, errNotNumber
	}
	f, err := strconv.ParseFloat(plain, bits)
	if err != nil {
		return 0, errRange
	}
	if bits == 32 {
		return uint64(math.Float32bits(float32(f))), nil
	}
	return math.Float64bits(f), nil
}

// plainFloat rewrites a float literal into the form strconv reads, or says that it is malformed.
func plainFloat(run string) (string, bool) {
	base, prefix, mark := byte(10), "", "eE"
	if hex, ok := strings.CutPrefix(run, "0x"); ok {
		base, prefix, mark, run = 16, "0x", "pP", hex
	}
	exponent := "0"
	if i := strings.IndexAny(run, mark); i >= 0 {
		sign := ""
		exponent, run = run[i+1:], run[:i]
		if exponent != "" && (exponent[0] == '+' || exponent[0] == '-') {
			sign, exponent = exponent[:1], exponent[1:]
		}
		digits, ok := plainDigits(exponent, 10)
		if !ok {
			return "", false
		}
		exponent = sign + digits
	}
	whole, fraction, _ := strings.Cut(run, ".")
	whole, ok := plainDigits(whole, base)
	if !ok {
		return "", false
	}
	if fraction != "" {
		if fraction, ok = plainDigits(fraction, base); !ok {
			return "", false
		}
	}
	return prefix + whole + "." + fraction + mark[:1] + exponent, true
}

// Literal gives the bits of a number literal of type i8, i16, i32, i64, f32 or f64, zero-extended. The error says
// whether it is malformed or out of range.
func Literal(typ, word string) (uint64, error) {
	var n uint64
	var err error
	switch typ {
	case "i8":
		n, err = parseInteger(word, 8)
	case "i16":
		n, err = parseInteger(word, 16)
	case "i32":
		n, err = parseInteger(word, 32)
	case "i64":
		n, err = parseInteger(word, 64)
	case "f32":
		n, err = parseFloat(word, 32)
	case "f64":
		n, err = parseFloat(word, 64)
	default:
		return 0, fmt.Errorf("%q is no number type", typ)
	}
	if err != nil {
		return 0, fmt.Errorf("%w: %q is no %s", err, word, typ)
	}
	return n, nil
}
