package ic0

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/canisterd/canisterd/intercanister"
)

// debugFunctions log and trap.
func debugFunctions() []function {
	return []function{
		// debug_print(src, size) writes text to the canister's log. It never traps: text out of bounds is replaced by a
		// sentence that says so.
		{name: "debug_print", params: "pp", where: everywhere, cost: cost{computed: printCost}, body: func(x *Execution, s []uint64) {
			text, ok := x.Guest.View(s[0], s[1])
			if !ok {
				text = []byte("(debug_print message out of memory bounds)")
			}
			x.WriteLog(text)
		}},
		// trap(src, size) ends the message: "Canister called `ic0.trap` with message: '…'". At most maxTrapText bytes
		// are kept; what is not UTF-8 becomes U+FFFD.
		{name: "trap", params: "pp", where: everywhere, cost: cost{computed: trapCost}, body: func(x *Execution, s []uint64) {
			text := "(trap message out of memory bounds)"
			if message, ok := x.Guest.View(s[0], min(s[1], maxTrapText)); ok {
				text = lossy(message)
			}
			x.fail(calledTrap(text))
		}},
	}
}

// WriteLog logs a text that the code printed, and passes it to the subnet's listener.
func (x *Execution) WriteLog(text []byte) {
	switch {
	case x.Subnet.Print == nil:
	case x.Short:
		x.kept = append(x.kept, bytes.Clone(text))
	default:
		x.Subnet.Print(x.Canister.ID, text)
	}
	x.log.add(text, x.Time)
}

// PrintKept passes the texts that a short message has printed to the subnet's listener.
func (x *Execution) PrintKept() {
	for _, text := range x.kept {
		x.Subnet.Print(x.Canister.ID, text)
	}
	x.kept = nil
}

func calledTrap(text string) *Failure {
	logged := text
	if logged == "" {
		logged = "(no message)"
	}
	return &Failure{
		Code: intercanister.CanisterCalledTrap, Text: "Canister called `ic0.trap` with message: '" + text + "'",
		Help: Advice(trapSuggestion, "trapped-explicitly"), Trap: logged, Traces: true,
	}
}

// LogCost returns the cost of adding n bytes to the log.
func (x *Execution) LogCost(n uint64) uint64 {
	return 2*min(n, x.log.room) + 50*min(n, x.log.left())
}

func printCost(x *Execution, s []uint64) uint64 {
	n := 100 + x.LogCost(s[1])
	if x.Subnet.Unthrottled || x.Subnet.System {
		n = saturate(n, 1, s[1])
	}
	return n
}

func trapCost(x *Execution, s []uint64) uint64 {
	return saturate(plain+x.LogCost(s[1]), 1, s[1])
}

// lossy returns text with U+FFFD in place of invalid UTF-8, one for each maximal part of a character.
func lossy(text []byte) string {
	if utf8.Valid(text) {
		return string(text)
	}
	var out strings.Builder
	for len(text) > 0 {
		r, n := utf8.DecodeRune(text)
		if r == utf8.RuneError && n == 1 {
			n = brokenPart(text)
		}
		out.WriteRune(r)
		text = text[n:]
	}
	return out.String()
}

// brokenPart returns the length of the longest prefix of text that could begin a character.
func brokenPart(text []byte) int {
	for n := min(len(text), utf8.UTFMax-1); n > 1; n-- {
		if !utf8.FullRune(text[:n]) {
			return n
		}
	}
	return 1
}
