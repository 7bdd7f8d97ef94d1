package output

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/timestamppb"
)

// JSON encodes a value for --json. Messages of the control API have the names of their .proto files;
// docs/output.md documents the rest.
func JSON(value any) ([]byte, error) {
	if message, ok := value.(proto.Message); ok {
		return messageJSON(nil, message.ProtoReflect()), nil
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, fmt.Errorf("encoding the result: %w", err)
	}
	return bytes.TrimSuffix(text.Bytes(), []byte("\n")), nil
}

// Indented encodes a value as JSON on several lines.
func Indented(value any) (string, error) {
	var text strings.Builder
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(value); err != nil {
		return "", fmt.Errorf("encoding the result: %w", err)
	}
	return strings.TrimSuffix(text.String(), "\n"), nil
}

// messageJSON writes a message: all its fields in their order, except messages and choices that are not set.
func messageJSON(out []byte, m protoreflect.Message) []byte {
	switch known := m.Interface().(type) {
	case *timestamppb.Timestamp:
		return textJSON(out, known.AsTime().UTC().Format(time.RFC3339Nano))
	case *durationpb.Duration:
		return textJSON(out, strconv.FormatFloat(known.AsDuration().Seconds(), 'f', -1, 64)+"s")
	}
	out = append(out, '{')
	fields := m.Descriptor().Fields()
	first := true
	for i := range fields.Len() {
		f := fields.Get(i)
		if f.HasPresence() && !m.Has(f) {
			continue
		}
		if !first {
			out = append(out, ',')
		}
		first = false
		out = append(textJSON(out, string(f.Name())), ':')
		out = fieldJSON(out, f, m.Get(f))
	}
	return append(out, '}')
}

func fieldJSON(out []byte, f protoreflect.FieldDescriptor, v protoreflect.Value) []byte {
	switch {
	case f.IsList():
		out = append(out, '[')
		for i := range v.List().Len() {
			if i > 0 {
				out = append(out, ',')
			}
			out = valueJSON(out, f, v.List().Get(i))
		}
		return append(out, ']')
	case f.IsMap(): // answers have none
		panic("canisterd: the field " + string(f.FullName()) + " is a map: say in which order --json prints it")
	}
	return valueJSON(out, f, v)
}

func valueJSON(out []byte, f protoreflect.FieldDescriptor, v protoreflect.Value) []byte {
	switch f.Kind() {
	case protoreflect.MessageKind:
		return messageJSON(out, v.Message())
	case protoreflect.EnumKind:
		return textJSON(out, enumWord(f.Enum(), v.Enum()))
	case protoreflect.BytesKind:
		return textJSON(out, bytesText(f, v.Bytes()))
	case protoreflect.StringKind:
		if strings.Contains(string(f.Name()), "cycles") {
			return amountJSON(out, v.String())
		}
		return textJSON(out, v.String())
	case protoreflect.BoolKind:
		return strconv.AppendBool(out, v.Bool())
	}
	return fmt.Append(out, v.Interface()) // numbers
}

// bytesText formats bytes in hex, except lines of logs and metadata: these are text unless they hold other bytes.
func bytesText(f protoreflect.FieldDescriptor, content []byte) string {
	if (f.Name() == "log" || f.Name() == "content") && utf8.Valid(content) {
		return string(content)
	}
	return hex.EncodeToString(content)
}

// amountJSON writes an amount of cycles, which has up to 128 bits; null if there is none.
func amountJSON(out []byte, digits string) []byte {
	if digits == "" {
		return append(out, "null"...)
	}
	return append(out, digits...)
}

// enumWord returns a value of an enumeration for people; "" if it is unspecified.
func enumWord(of protoreflect.EnumDescriptor, n protoreflect.EnumNumber) string {
	value := of.Values().ByNumber(n)
	if value == nil {
		return strconv.Itoa(int(n))
	}
	unset := string(of.Values().ByNumber(0).Name())
	prefix := strings.TrimSuffix(unset, "UNSPECIFIED")
	if n == 0 && prefix != unset {
		return ""
	}
	return strings.ToLower(strings.TrimPrefix(string(value.Name()), prefix))
}

func textJSON(out []byte, text string) []byte {
	var quoted bytes.Buffer
	encoder := json.NewEncoder(&quoted)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(text); err != nil {
		panic("canisterd: a string is no JSON: " + err.Error())
	}
	return append(out, bytes.TrimSuffix(quoted.Bytes(), []byte("\n"))...)
}
