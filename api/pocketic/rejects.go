package pocketic

import (
	"github.com/canisterd/canisterd/intercanister"
)

// rejectResponse is a reject with the names of its codes.
type rejectResponse struct {
	Code      string `json:"reject_code"`
	Message   string `json:"reject_message"`
	ErrorCode string `json:"error_code"`
	Certified bool   `json:"certified"`
}

// codeNames maps reject codes to names, with an error code for rejects without one.
var codeNames = map[intercanister.RejectCode]struct {
	name  string
	error intercanister.ErrorCode
}{
	intercanister.SysFatal:           {"SysFatal", intercanister.SubnetOversubscribed},
	intercanister.SysTransient:       {"SysTransient", intercanister.CanisterQueueFull},
	intercanister.DestinationInvalid: {"DestinationInvalid", intercanister.CanisterNotFound},
	intercanister.CanisterReject:     {"CanisterReject", intercanister.CanisterRejectedMessage},
	intercanister.CanisterError:      {"CanisterError", intercanister.CanisterCalledTrap},
	intercanister.SysUnknown:         {"SysUnknown", intercanister.DeadlineExpired},
}

// newerErrors maps error codes to the major version of the first clients that know them, and the replica's previous
// code. Clients fail on unknown names.
var newerErrors = map[intercanister.ErrorCode]struct {
	since  int
	before intercanister.ErrorCode
}{
	intercanister.CanisterStatusAccessDenied: {16, intercanister.CanisterInvalidController},
}

func (s *Server) rejected(r *intercanister.Reject, certified bool) any {
	code, errorCode := codeNames[r.Code], r.Error
	if newer, ok := newerErrors[errorCode]; ok && s.major > 0 && s.major < newer.since {
		errorCode = newer.before
	}
	name := errorCode.Name()
	if name == "" {
		name = code.error.Name()
	}
	return rejection{rejectResponse{code.name, r.Text, name, certified}}
}

func replied(reply []byte) any {
	if reply == nil {
		reply = []byte{}
	}
	return okay[[]byte]{reply}
}
