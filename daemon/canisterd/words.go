package main

import (
	"fmt"
	"strings"

	"google.golang.org/protobuf/types/known/timestamppb"
)

// word is a value of an enumeration as people write it.
func word(value fmt.Stringer, prefix string) string {
	return strings.ToLower(strings.TrimPrefix(value.String(), prefix))
}

// enumNames are the values of an enumeration as people write them, without the one that stands for none.
func enumNames(all map[int32]string, prefix string) (names []string) {
	for i := int32(1); i < int32(len(all)); i++ {
		names = append(names, strings.ToLower(strings.TrimPrefix(all[i], prefix)))
	}
	return names
}

// stamp is a time of a network; none is shown as nothing.
func stamp(t *timestamppb.Timestamp) string {
	if t == nil {
		return ""
	}
	return t.AsTime().UTC().Format("2006-01-02T15:04:05.999999999Z")
}

// first is the first of some, "" if there is none.
func first(all []string) string {
	if len(all) == 0 {
		return ""
	}
	return all[0]
}
