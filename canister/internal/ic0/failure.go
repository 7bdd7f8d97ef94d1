package ic0

import (
	"fmt"

	"github.com/canisterd/canisterd/canister/internal/wasm"
	"github.com/canisterd/canisterd/intercanister"
)

// Failure says why a message failed: the replica's error code and sentence, without the canister's id before it and the
// advice after it.
type Failure struct {
	Code intercanister.ErrorCode
	Text string
	Help string // the advice; empty if there is none
	// Trap is the text in the canister's log, without the backtrace; empty for failures that are not logged. Traces
	// reports whether a backtrace belongs to the text.
	Trap   string
	Traces bool
	Broken error // why the disk failed under the message; nil if it did not
}

func (f *Failure) Error() string { return f.Code.String() + ": " + f.Text }

// ToolchainHelp is the advice if the code's toolchain is to blame.
const ToolchainHelp = "If you are running this canister in a test environment (e.g., dfx), make sure the test environment is up to date. " +
	"Otherwise, this is likely an error with the compiler/CDK toolchain being used to build the canister. " +
	"Please report the error to IC devs on the forum: https://forum.dfinity.org and include which language/CDK was used to create the canister."

const helpPage = "https://internetcomputer.org/docs/current/references/execution-errors#"

// Advice returns advice with a link to the documentation.
func Advice(suggestion, page string) string {
	return suggestion + " See documentation: " + helpPage + page
}

const trapSuggestion = "Consider gracefully handling failures from this canister or altering the canister to handle exceptions."

// Trapped returns a failure of the code itself (IC0502).
func Trapped(what string) *Failure {
	return &Failure{
		Code: intercanister.CanisterTrapped, Text: "Canister trapped: " + what,
		Help: Advice(trapSuggestion, "trapped"), Trap: what, Traces: true,
	}
}

// The traps of the code that functions can cause.
const (
	heapOutOfBounds   = "heap out of bounds"
	stableOutOfBounds = "stable memory out of bounds"
	stableTooBig      = "32 bit stable memory api used on a memory larger than 4GB"
	cyclesTooMany     = "cycles amount exceeds 64-bit representation"
)

func violation(text, help string) *Failure {
	return &Failure{Code: intercanister.CanisterContractViolation, Text: "Canister violated contract: " + text, Help: help}
}

// fail ends the message. It does not return.
func (x *Execution) fail(f *Failure) {
	x.Failure = f
	x.ended = wasm.Trap{Kind: wasm.Unreachable}
	x.Guest.End(&x.ended)
}

// Cancel ends a query whose result is no longer wanted. It does not return.
func (x *Execution) Cancel() {
	x.fail(&Failure{Code: intercanister.CanisterWasmEngineError, Text: "The query was canceled: its client no longer waits for the answer"})
}

// Misuse returns the failure of code that breaks the contract of the System API (IC0504).
func Misuse(what string) *Failure { return violation(what, ToolchainHelp) }

// misuse ends the message because the code broke the contract of a function.
func (x *Execution) misuse(format string, args ...any) { x.fail(Misuse(fmt.Sprintf(format, args...))) }

// refuse ends the message because its author asked for too much (IC0504).
func (x *Execution) refuse(help, format string, args ...any) {
	x.fail(violation(fmt.Sprintf(format, args...), help))
}

// wrongContext ends the message because it called a function in a wrong context.
func (x *Execution) wrongContext(function string) {
	x.refuse(Advice("Check the ICP documentation to make sure APIs are being called in the correct message types.", "calling-a-system-api-from-the-wrong-mode"),
		"%q cannot be executed in %s mode", function, x.Context)
}
