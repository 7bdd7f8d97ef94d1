package main

import (
	"fmt"
	"strings"

	"google.golang.org/protobuf/types/known/timestamppb"
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

// stamp formats a time of a network; "" for none.
func stamp(t *timestamppb.Timestamp) string {
	if t == nil {
		return ""
	}
	return t.AsTime().UTC().Format("2006-01-02T15:04:05.999999999Z")
}

// first returns the first text, "" if there is none.
func first(all []string) string {
	if len(all) == 0 {
		return ""
	}
	return all[0]
}
