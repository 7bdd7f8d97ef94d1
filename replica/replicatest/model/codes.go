package model

// Code is an error code of the replica; its first digit is the reject code.
type Code uint16

// The codes that the model uses, by the specification's reject codes.
const (
	QueueFull        Code = 201
	IngressExpired   Code = 202
	StillSends       Code = 203
	StopTimedOut     Code = 206
	OutOfCycles      Code = 207
	NotFound         Code = 301
	Rejected         Code = 406 // by the canister itself, or because its code is gone
	Trapped          Code = 503
	ContractViolated Code = 504
	NoReply          Code = 506
	IsStopped        Code = 508
	IsStopping       Code = 509
	IsNotStopped     Code = 510
	StopCancelled    Code = 511
	CompositeCalled  Code = 527
	NoMethod         Code = 536
	NoCode           Code = 537
	CallExpired      Code = 601
	ResponseDropped  Code = 602
)

func reject(code Code, text string) Response {
	return Response{Code: code, Text: text, bytes: len(text)}
}

// notRunning returns why a canister does not execute a message; nil if it does.
func (c *Canister) notRunning() *Response {
	switch c.Status {
	case Stopping:
		return &Response{Code: IsStopping, Text: "is not running"}
	case Stopped:
		return &Response{Code: IsStopped, Text: "is not running"}
	}
	return nil
}
