package main

import (
	"fmt"
	"strings"
)

// word returns a value of an enumeration for people.
func word(value fmt.Stringer, prefix string) string {
	return strings.ToLower(strings.TrimPrefix(value.String(), prefix))
}
