package canister

import "github.com/canisterd/canisterd/canister/internal/ic0"

// Context is the execution context of a message: its kind, and thus which functions of the System API it may call.
type Context = ic0.Context

// The contexts, with the specification's letters.
const (
	Start            = ic0.Start            // s
	Init             = ic0.Init             // I
	PostUpgrade      = ic0.PostUpgrade      // I
	PreUpgrade       = ic0.PreUpgrade       // G
	Update           = ic0.Update           // U
	ReplicatedQuery  = ic0.ReplicatedQuery  // RQ
	Query            = ic0.Query            // NRQ
	TransformQuery   = ic0.TransformQuery   // TQ
	CompositeQuery   = ic0.CompositeQuery   // CQ
	ReplyCallback    = ic0.ReplyCallback    // Ry
	RejectCallback   = ic0.RejectCallback   // Rt
	CompositeReply   = ic0.CompositeReply   // CRy
	CompositeReject  = ic0.CompositeReject  // CRt
	Cleanup          = ic0.Cleanup          // C
	CompositeCleanup = ic0.CompositeCleanup // CC
	InspectMessage   = ic0.InspectMessage   // F
	Heartbeat        = ic0.Heartbeat        // T
	GlobalTimer      = ic0.GlobalTimer      // T
	LowMemory        = ic0.LowMemory        // T
)

// Message is one message to run on one canister. Execute only reads it.
type Message = ic0.Message

// Exhaustion says which code of a callback begins without instructions: a test control.
type Exhaustion = ic0.Exhaustion

// The degrees of exhaustion.
const (
	NotExhausted        = ic0.NotExhausted
	CallbackExhausted   = ic0.CallbackExhausted
	CleanupExhaustedToo = ic0.CleanupExhaustedToo
)
