package reference

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/canisterd/canisterd/candid/principal"
)

// Closest is the word that was most likely meant by another: the one with the fewest edits, the first of equals; none
// if that takes more than a third of the letters, except one edit in short words.
func Closest(written string, words []string) string {
	best, found := max(len(written)/3, 1), ""
	for _, word := range words {
		if n := distance(written, word); n <= best && n < len(word) && (found == "" || n < best) {
			best, found = n, word
		}
	}
	return found
}

// distance is how many letters have to be put in, taken out, replaced or exchanged with their neighbours to make b of
// a.
func distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	rows := make([][]int, len(x)+1)
	for i := range rows {
		rows[i] = make([]int, len(y)+1)
		for j := range rows[i] {
			switch {
			case i == 0 || j == 0:
				rows[i][j] = i + j
			case x[i-1] == y[j-1]:
				rows[i][j] = rows[i-1][j-1]
			default:
				rows[i][j] = 1 + min(rows[i-1][j-1], rows[i-1][j], rows[i][j-1])
				if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
					rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
				}
			}
		}
	}
	return rows[len(x)][len(y)]
}

// Meant suggests another word; empty if none is close.
func Meant(written string, words []string) string {
	if word := Closest(written, words); word != "" {
		return fmt.Sprintf("; did you mean %s?", word)
	}
	return ""
}

// principalForm is how principals look: groups of five letters and digits, of which the last may be shorter.
var principalForm = regexp.MustCompile(`^[a-z2-7]{5}(-[a-z2-7]{5})*-[a-z2-7]{1,5}$`)

// WhyNoPrincipal explains why a text that looks like a principal is not one; "" for other texts.
func WhyNoPrincipal(text string) string {
	if !principalForm.MatchString(text) {
		return ""
	}
	_, err := principal.Parse(text)
	if err == nil {
		return ""
	}
	_, why, _ := strings.Cut(err.Error(), "is not a principal: ")
	return "; as a principal, " + why
}

// IsPrincipal reports whether a text is a principal.
func IsPrincipal(text string) bool {
	_, err := principal.Parse(text)
	return err == nil
}
