package intercanister

import (
	"fmt"
	"maps"
	"slices"
)

// RejectCode is the class of reason why a call was rejected (interface specification, "Reject codes").
type RejectCode uint8

const (
	SysFatal           RejectCode = 1 // retrying is useless
	SysTransient       RejectCode = 2 // retrying may help
	DestinationInvalid RejectCode = 3 // the canister does not exist
	CanisterReject     RejectCode = 4 // the callee refused
	CanisterError      RejectCode = 5 // the callee failed
	SysUnknown         RejectCode = 6 // best-effort calls only: the outcome is unknown
)

// String returns the name in the specification.
func (c RejectCode) String() string {
	switch c {
	case SysFatal:
		return "SYS_FATAL"
	case SysTransient:
		return "SYS_TRANSIENT"
	case DestinationInvalid:
		return "DESTINATION_INVALID"
	case CanisterReject:
		return "CANISTER_REJECT"
	case CanisterError:
		return "CANISTER_ERROR"
	case SysUnknown:
		return "SYS_UNKNOWN"
	}
	return fmt.Sprintf("reject code %d", uint8(c))
}

// ErrorCode is an error code of the replica: three digits, the first of them
// the reject code. It prints as IC0503.
type ErrorCode uint16

// String returns the text form, IC and four digits.
func (c ErrorCode) String() string { return fmt.Sprintf("IC%04d", uint16(c)) }

// Reject returns the reject code that belongs to the error code.
func (c ErrorCode) Reject() RejectCode { return RejectCode(c / 100) }

// Name returns the name of the code, empty for an unknown number.
func (c ErrorCode) Name() string { return errorNames[c] }

// The error codes that a caller can see.
const (
	SubnetOversubscribed                          ErrorCode = 101
	MaxNumberOfCanistersReached                   ErrorCode = 102
	CanisterQueueFull                             ErrorCode = 201
	IngressMessageTimeout                         ErrorCode = 202
	CanisterQueueNotEmpty                         ErrorCode = 203
	IngressHistoryFull                            ErrorCode = 204
	CanisterIdAlreadyExists                       ErrorCode = 205
	StopCanisterRequestTimeout                    ErrorCode = 206
	CanisterOutOfCycles                           ErrorCode = 207
	CertifiedStateUnavailable                     ErrorCode = 208
	CanisterInstallCodeRateLimited                ErrorCode = 209
	CanisterHeapDeltaRateLimited                  ErrorCode = 210
	SubnetCoolingDown                             ErrorCode = 211
	CanisterNotFound                              ErrorCode = 301
	CanisterSnapshotNotFound                      ErrorCode = 305
	InsufficientMemoryAllocation                  ErrorCode = 402
	InsufficientCyclesForCreateCanister           ErrorCode = 403
	SubnetNotFound                                ErrorCode = 404
	CanisterNotHostedBySubnet                     ErrorCode = 405
	CanisterRejectedMessage                       ErrorCode = 406
	UnknownManagementMessage                      ErrorCode = 407
	InvalidManagementPayload                      ErrorCode = 408
	CanisterSnapshotImmutable                     ErrorCode = 409
	InvalidSubnetAdmin                            ErrorCode = 410
	CanisterTrapped                               ErrorCode = 502
	CanisterCalledTrap                            ErrorCode = 503
	CanisterContractViolation                     ErrorCode = 504
	CanisterInvalidWasm                           ErrorCode = 505
	CanisterDidNotReply                           ErrorCode = 506
	CanisterOutOfMemory                           ErrorCode = 507
	CanisterStopped                               ErrorCode = 508
	CanisterStopping                              ErrorCode = 509
	CanisterNotStopped                            ErrorCode = 510
	CanisterStoppingCancelled                     ErrorCode = 511
	CanisterInvalidController                     ErrorCode = 512
	CanisterFunctionNotFound                      ErrorCode = 513
	CanisterNonEmpty                              ErrorCode = 514
	QueryCallGraphLoopDetected                    ErrorCode = 517
	InsufficientCyclesInCall                      ErrorCode = 520
	CanisterWasmEngineError                       ErrorCode = 521
	CanisterInstructionLimitExceeded              ErrorCode = 522
	CanisterMemoryAccessLimitExceeded             ErrorCode = 524
	QueryCallGraphTooDeep                         ErrorCode = 525
	QueryCallGraphTotalInstructionLimitExceeded   ErrorCode = 526
	CompositeQueryCalledInReplicatedMode          ErrorCode = 527
	QueryTimeLimitExceeded                        ErrorCode = 528
	QueryCallGraphInternal                        ErrorCode = 529
	InsufficientCyclesInComputeAllocation         ErrorCode = 530
	InsufficientCyclesInMemoryAllocation          ErrorCode = 531
	InsufficientCyclesInMemoryGrow                ErrorCode = 532
	ReservedCyclesLimitExceededInMemoryAllocation ErrorCode = 533
	ReservedCyclesLimitExceededInMemoryGrow       ErrorCode = 534
	InsufficientCyclesInMessageMemoryGrow         ErrorCode = 535
	CanisterMethodNotFound                        ErrorCode = 536
	CanisterWasmModuleNotFound                    ErrorCode = 537
	CanisterAlreadyInstalled                      ErrorCode = 538
	CanisterWasmMemoryLimitExceeded               ErrorCode = 539
	ReservedCyclesLimitIsTooLow                   ErrorCode = 540
	CanisterInvalidControllerOrSubnetAdmin        ErrorCode = 541
	CanisterStatusAccessDenied                    ErrorCode = 542
	DeadlineExpired                               ErrorCode = 601
	ResponseDropped                               ErrorCode = 602
)

var errorNames = map[ErrorCode]string{
	SubnetOversubscribed:                          "SubnetOversubscribed",
	MaxNumberOfCanistersReached:                   "MaxNumberOfCanistersReached",
	CanisterQueueFull:                             "CanisterQueueFull",
	IngressMessageTimeout:                         "IngressMessageTimeout",
	CanisterQueueNotEmpty:                         "CanisterQueueNotEmpty",
	IngressHistoryFull:                            "IngressHistoryFull",
	CanisterIdAlreadyExists:                       "CanisterIdAlreadyExists",
	StopCanisterRequestTimeout:                    "StopCanisterRequestTimeout",
	CanisterOutOfCycles:                           "CanisterOutOfCycles",
	CertifiedStateUnavailable:                     "CertifiedStateUnavailable",
	CanisterInstallCodeRateLimited:                "CanisterInstallCodeRateLimited",
	CanisterHeapDeltaRateLimited:                  "CanisterHeapDeltaRateLimited",
	SubnetCoolingDown:                             "SubnetCoolingDown",
	CanisterNotFound:                              "CanisterNotFound",
	CanisterSnapshotNotFound:                      "CanisterSnapshotNotFound",
	InsufficientMemoryAllocation:                  "InsufficientMemoryAllocation",
	InsufficientCyclesForCreateCanister:           "InsufficientCyclesForCreateCanister",
	SubnetNotFound:                                "SubnetNotFound",
	CanisterNotHostedBySubnet:                     "CanisterNotHostedBySubnet",
	CanisterRejectedMessage:                       "CanisterRejectedMessage",
	UnknownManagementMessage:                      "UnknownManagementMessage",
	InvalidManagementPayload:                      "InvalidManagementPayload",
	CanisterSnapshotImmutable:                     "CanisterSnapshotImmutable",
	InvalidSubnetAdmin:                            "InvalidSubnetAdmin",
	CanisterTrapped:                               "CanisterTrapped",
	CanisterCalledTrap:                            "CanisterCalledTrap",
	CanisterContractViolation:                     "CanisterContractViolation",
	CanisterInvalidWasm:                           "CanisterInvalidWasm",
	CanisterDidNotReply:                           "CanisterDidNotReply",
	CanisterOutOfMemory:                           "CanisterOutOfMemory",
	CanisterStopped:                               "CanisterStopped",
	CanisterStopping:                              "CanisterStopping",
	CanisterNotStopped:                            "CanisterNotStopped",
	CanisterStoppingCancelled:                     "CanisterStoppingCancelled",
	CanisterInvalidController:                     "CanisterInvalidController",
	CanisterFunctionNotFound:                      "CanisterFunctionNotFound",
	CanisterNonEmpty:                              "CanisterNonEmpty",
	QueryCallGraphLoopDetected:                    "QueryCallGraphLoopDetected",
	InsufficientCyclesInCall:                      "InsufficientCyclesInCall",
	CanisterWasmEngineError:                       "CanisterWasmEngineError",
	CanisterInstructionLimitExceeded:              "CanisterInstructionLimitExceeded",
	CanisterMemoryAccessLimitExceeded:             "CanisterMemoryAccessLimitExceeded",
	QueryCallGraphTooDeep:                         "QueryCallGraphTooDeep",
	QueryCallGraphTotalInstructionLimitExceeded:   "QueryCallGraphTotalInstructionLimitExceeded",
	CompositeQueryCalledInReplicatedMode:          "CompositeQueryCalledInReplicatedMode",
	QueryTimeLimitExceeded:                        "QueryTimeLimitExceeded",
	QueryCallGraphInternal:                        "QueryCallGraphInternal",
	InsufficientCyclesInComputeAllocation:         "InsufficientCyclesInComputeAllocation",
	InsufficientCyclesInMemoryAllocation:          "InsufficientCyclesInMemoryAllocation",
	InsufficientCyclesInMemoryGrow:                "InsufficientCyclesInMemoryGrow",
	ReservedCyclesLimitExceededInMemoryAllocation: "ReservedCyclesLimitExceededInMemoryAllocation",
	ReservedCyclesLimitExceededInMemoryGrow:       "ReservedCyclesLimitExceededInMemoryGrow",
	InsufficientCyclesInMessageMemoryGrow:         "InsufficientCyclesInMessageMemoryGrow",
	CanisterMethodNotFound:                        "CanisterMethodNotFound",
	CanisterWasmModuleNotFound:                    "CanisterWasmModuleNotFound",
	CanisterAlreadyInstalled:                      "CanisterAlreadyInstalled",
	CanisterWasmMemoryLimitExceeded:               "CanisterWasmMemoryLimitExceeded",
	ReservedCyclesLimitIsTooLow:                   "ReservedCyclesLimitIsTooLow",
	CanisterInvalidControllerOrSubnetAdmin:        "CanisterInvalidControllerOrSubnetAdmin",
	CanisterStatusAccessDenied:                    "CanisterStatusAccessDenied",
	DeadlineExpired:                               "DeadlineExpired",
	ResponseDropped:                               "ResponseDropped",
}

// ErrorCodes returns all error codes, in ascending order.
func ErrorCodes() []ErrorCode { return slices.Sorted(maps.Keys(errorNames)) }
