package canister

import (
	"strconv"
	"strings"
)

// demangle gives the readable form of a Rust symbol as the replica prints it, without the
// hash; any other name as it is.
func demangle(name string) string {
	rest, ok := strings.CutPrefix(name, "_ZN")
	if !ok {
		if rest, ok = strings.CutPrefix(name, "ZN"); !ok {
			return name
		}
	}
	var parts []string
	for !strings.HasPrefix(rest, "E") {
		digits := 0
		for digits < len(rest) && rest[digits] >= '0' && rest[digits] <= '9' {
			digits++
		}
		n, err := strconv.Atoi(rest[:digits])
		if err != nil || n > len(rest)-digits {
			return name
		}
		parts = append(parts, rest[digits:digits+n])
		rest = rest[digits+n:]
	}
	if n := len(parts); n > 1 && isHash(parts[n-1]) {
		parts = parts[:n-1]
	}
	for i, part := range parts {
		parts[i] = unescape(part)
	}
	return strings.Join(parts, "::")
}

func isHash(part string) bool {
	return len(part) == 17 && part[0] == 'h' && strings.Trim(part[1:], "0123456789abcdef") == ""
}

// escapes are the characters that a legacy Rust symbol spells out.
var escapes = map[string]string{
	"SP": "@", "BP": "*", "RF": "&", "LT": "<", "GT": ">", "LP": "(", "RP": ")", "C": ",",
}

func unescape(part string) string {
	if strings.HasPrefix(part, "_$") {
		part = part[1:]
	}
	var out strings.Builder
	for len(part) > 0 {
		switch {
		case strings.HasPrefix(part, ".."):
			out.WriteString("::")
			part = part[2:]
			continue
		case part[0] == '$':
			if name, rest, ok := strings.Cut(part[1:], "$"); ok {
				if text, ok := escaped(name); ok {
					out.WriteString(text)
					part = rest
					continue
				}
			}
		}
		out.WriteByte(part[0])
		part = part[1:]
	}
	return out.String()
}

func escaped(name string) (string, bool) {
	if text, ok := escapes[name]; ok {
		return text, true
	}
	if hex, ok := strings.CutPrefix(name, "u"); ok {
		if r, err := strconv.ParseUint(hex, 16, 21); err == nil {
			return string(rune(r)), true
		}
	}
	return "", false
}
