package main

import (
	"fmt"
	"strings"
)

// word returns a value of an enumeration for people.
func word(value fmt.Stringer, prefix string) string {
	return strings.ToLower(strings.TrimPrefix(value.String(), prefix))
}

// enumNames returns the values of an enumeration for people, without the unspecified one.
func enumNames(all map[int32]string, prefix string) (names []string) {
	for i := int32(1); i < int32(len(all)); i++ {
		names = append(names, strings.ToLower(strings.TrimPrefix(all[i], prefix)))
	}
	return names
}
