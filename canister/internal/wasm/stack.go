package wasm

import (
	"reflect"
	"unsafe"

	"github.com/tetratelabs/wazero/api"
)

// stackOf returns the address of the wasm stack of a function object. A deep recursion leaves up to hundreds of
// megabytes with the object, and the engine has no API for it. It returns nil if the engine's function objects look
// different; then the stack is unknown.
func stackOf(f api.Function) *[]byte {
	v := reflect.ValueOf(f)
	if v.Kind() != reflect.Pointer || v.Elem().Kind() != reflect.Struct {
		return nil
	}
	field, ok := v.Elem().Type().FieldByName("stack")
	if !ok || field.Type != reflect.TypeFor[[]byte]() {
		return nil
	}
	return (*[]byte)(unsafe.Add(v.UnsafePointer(), field.Offset))
}
