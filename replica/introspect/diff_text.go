package introspect

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/canisterd/canisterd/intercanister/cycles"
	"github.com/canisterd/canisterd/replica/internal/state"
)

// item is one of many things of a kind: its number or name, which it has in both networks, and its description.
type item struct {
	number     uint64 // 0: it has only a name
	name, text string
}

func numbered(n uint64, text string) item { return item{n, fmt.Sprintf("#%d", n), text} }

// items records items that only one of them has, and items that differ.
func (d *differ) items(what string, as, bs []item) {
	byName := func(a, b item) int { return cmp.Compare(a.name, b.name) }
	inOrder := func(a, b item) int {
		return cmp.Or(cmp.Compare(a.number, b.number), byName(a, b), cmp.Compare(a.text, b.text))
	}
	before := func(a, b item) bool { return cmp.Or(cmp.Compare(a.number, b.number), byName(a, b)) < 0 }
	slices.SortFunc(as, inOrder)
	slices.SortFunc(bs, inOrder)
	for len(as) > 0 || len(bs) > 0 {
		switch {
		case len(bs) == 0 || len(as) > 0 && before(as[0], bs[0]):
			d.note(what+" "+as[0].name, as[0].text, "")
			as = as[1:]
		case len(as) == 0 || before(bs[0], as[0]):
			d.note(what+" "+bs[0].name, "", bs[0].text)
			bs = bs[1:]
		default:
			d.texts(what+" "+as[0].name, as[0].text, bs[0].text)
			as, bs = as[1:], bs[1:]
		}
	}
}

func number[N ~int | ~uint64](n N) string { return fmt.Sprint(n) }

func bytesOf(n uint64) string { return counted(n, "byte") }

func amount(n cycles.Amount) string { return n.Grouped() + " cycles" }

// counted returns a number of things.
func counted[N ~int | ~uint32 | ~uint64](n N, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprint(n, " ", thing, "s")
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// timeText returns a time in UTC in the form of RFC 3339, with as many digits of nanoseconds as needed; empty for none.
func timeText(ns uint64) string {
	if ns == 0 {
		return ""
	}
	seconds := ns / state.Second
	year, month, day := date(seconds / 86_400)
	text := fmt.Sprintf("%04d-%02d-%02dT%02d:%02d:%02d", year, month, day, seconds/3600%24, seconds/60%60, seconds%60)
	if fraction := ns % state.Second; fraction != 0 {
		text += "." + strings.TrimRight(fmt.Sprintf("%09d", fraction), "0")
	}
	return text + "Z"
}

// date returns the date a number of days after 1970-01-01. It counts in years that begin with March, so that a leap day
// is the last of its year, and in periods of 400 years.
func date(days uint64) (year, month, day uint64) {
	const before = 719_468 // days from March 1 of the year 0
	age, of := (days+before)/146_097, (days+before)%146_097
	year = (of - of/1460 + of/36_524 - of/146_096) / 365
	of -= 365*year + year/4 - year/100
	month = (5*of + 2) / 153 // March is 0: five months have 153 days
	day = of - (153*month+2)/5 + 1
	year += 400 * age
	if month < 10 {
		return year, month + 3, day
	}
	return year + 1, month - 9, day
}
