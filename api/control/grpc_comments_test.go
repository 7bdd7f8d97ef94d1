package control_test

import (
	"testing"

	"google.golang.org/protobuf/reflect/protoreflect"
)

func TestEveryPartOfTheControlAPIHasAComment(t *testing.T) {
	checked := 0
	check := func(d protoreflect.Descriptor) {
		checked++
		if comment(d) == "" {
			t.Errorf("%s has no comment: %s says what it means, its unit, its range and what empty means", d.FullName(), d.ParentFile().Path())
		}
	}
	reflected(t).RangeFilesByPackage("canisterd.control.v1", func(file protoreflect.FileDescriptor) bool {
		for i := range file.Services().Len() {
			service := file.Services().Get(i)
			check(service)
			for j := range service.Methods().Len() {
				check(service.Methods().Get(j))
			}
		}
		for i := range file.Enums().Len() {
			enum := file.Enums().Get(i)
			check(enum)
			for j := range enum.Values().Len() {
				check(enum.Values().Get(j))
			}
		}
		checkMessages(file.Messages(), check)
		return true
	})
	const known = 800
	if checked < known {
		t.Errorf("%d parts were checked, and the control API has more than %d", checked, known)
	}
}

// checkMessages checks messages with their fields, and messages inside them.
func checkMessages(messages protoreflect.MessageDescriptors, check func(protoreflect.Descriptor)) {
	for i := range messages.Len() {
		message := messages.Get(i)
		if message.IsMapEntry() {
			continue
		}
		check(message)
		for j := range message.Fields().Len() {
			check(message.Fields().Get(j))
		}
		checkMessages(message.Messages(), check)
	}
}
