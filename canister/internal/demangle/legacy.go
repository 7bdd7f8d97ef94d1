package demangle

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// legacy reads a symbol of the form _ZN, (length, element)…, E. Windows and macOS write one underscore less or more.
func legacy(name string) (text, suffix string, ok bool) {
	rest, ok := cutPrefix(name, "_ZN", "ZN", "__ZN")
	if !ok || !isASCII(rest) {
		return "", "", false
	}
	var elements []string
	for !strings.HasPrefix(rest, "E") {
		digits := len(rest) - len(strings.TrimLeft(rest, "0123456789"))
		size, err := strconv.Atoi(rest[:digits])
		if err != nil || size >= len(rest)-digits {
			return "", "", false
		}
		elements = append(elements, rest[digits:digits+size])
		rest = rest[digits+size:]
	}
	if n := len(elements); n > 0 && isHash(elements[n-1]) {
		elements = elements[:n-1]
	}
	for i := range elements {
		elements[i] = unescape(elements[i])
	}
	return strings.Join(elements, "::"), rest[1:], true
}

func isHash(element string) bool {
	digits, ok := strings.CutPrefix(element, "h")
	return ok && strings.Trim(digits, "0123456789abcdefABCDEF") == ""
}

// escapes are the characters that a legacy symbol spells out.
var escapes = map[string]string{
	"SP": "@", "BP": "*", "RF": "&", "LT": "<", "GT": ">", "LP": "(", "RP": ")", "C": ",",
}

// unescape returns the text of an element. After an unknown escape, the rest stays unchanged.
func unescape(element string) string {
	if strings.HasPrefix(element, "_$") {
		element = element[1:]
	}
	var out strings.Builder
	for {
		plain := strings.IndexAny(element, "$.")
		if plain < 0 {
			break
		}
		out.WriteString(element[:plain])
		element = element[plain:]
		if rest, ok := strings.CutPrefix(element, ".."); ok {
			out.WriteString("::")
			element = rest
			continue
		}
		if element[0] == '.' {
			out.WriteByte('.')
			element = element[1:]
			continue
		}
		word, rest, ok := strings.Cut(element[1:], "$")
		if !ok {
			break
		}
		text, ok := escaped(word)
		if !ok {
			break
		}
		out.WriteString(text)
		element = rest
	}
	return out.String() + element
}

// escaped returns the character that a word between two $ stands for.
func escaped(word string) (string, bool) {
	if text, ok := escapes[word]; ok {
		return text, true
	}
	digits, ok := strings.CutPrefix(word, "u")
	if !ok || strings.Trim(digits, "0123456789abcdef") != "" {
		return "", false
	}
	code, err := strconv.ParseUint(digits, 16, 32)
	if err != nil || code > utf8.MaxRune || !utf8.ValidRune(rune(code)) || unicode.IsControl(rune(code)) {
		return "", false
	}
	return string(rune(code)), true
}
