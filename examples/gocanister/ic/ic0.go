//go:build wasip1

package ic

import "unsafe"

// The functions of the System API that this package uses (interface specification, "Overview of imports").

//go:wasmimport ic0 msg_arg_data_size
func argSize() uint32

//go:wasmimport ic0 msg_arg_data_copy
func argCopy(to unsafe.Pointer, offset, size uint32)

//go:wasmimport ic0 msg_reply_data_append
func replyAppend(from unsafe.Pointer, size uint32)

//go:wasmimport ic0 msg_reply
func reply()

//go:wasmimport ic0 msg_reject_code
func rejectCode() uint32

//go:wasmimport ic0 msg_reject_msg_size
func rejectSize() uint32

//go:wasmimport ic0 msg_reject_msg_copy
func rejectCopy(to unsafe.Pointer, offset, size uint32)

//go:wasmimport ic0 call_new
func callNew(callee unsafe.Pointer, calleeSize uint32, name unsafe.Pointer, nameSize, onReply, replyEnv, onReject, rejectEnv uint32)

//go:wasmimport ic0 call_data_append
func callAppend(from unsafe.Pointer, size uint32)

//go:wasmimport ic0 call_perform
func callPerform() uint32

//go:wasmimport ic0 stable64_size
func stableSize() uint64

//go:wasmimport ic0 stable64_grow
func stableGrow(pages uint64) uint64

//go:wasmimport ic0 stable64_read
func stableRead(to, offset, size uint64)

//go:wasmimport ic0 stable64_write
func stableWrite(offset, from, size uint64)

// callbackAddress is the address of ic_callback as Go code has it. Its upper part is the index of ic_callback in the
// table of functions, which is what ic0.call_new takes.
func callbackAddress() uint64

func pointer(b []byte) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(b)) }

func argument() []byte {
	arg := make([]byte, argSize())
	argCopy(pointer(arg), 0, uint32(len(arg)))
	return arg
}
