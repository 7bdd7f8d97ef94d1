package wire

import (
	"fmt"
	"net/http"
)

// Refusal is the answer to a request that is not let in: nothing happened, and
// nothing of it is recorded. Status is the HTTP status, Text the plain-text
// body, worded as the replica words it because clients look for its phrases.
type Refusal struct {
	Status int
	Text   string
}

// Error is the text.
func (r *Refusal) Error() string { return r.Text }

// HTTPStatus is the status.
func (r *Refusal) HTTPStatus() int { return r.Status }

func refuse(format string, args ...any) *Refusal {
	return &Refusal{Status: http.StatusBadRequest, Text: fmt.Sprintf(format, args...)}
}

// phrase is an error that is part of a refusal's text in the replica's words,
// which start with a capital letter.
type phrase string

// Error is the phrase.
func (p phrase) Error() string { return string(p) }

func phrased(format string, args ...any) error { return phrase(fmt.Sprintf(format, args...)) }
