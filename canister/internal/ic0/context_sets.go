package ic0

// Sets of contexts in which functions may be called (interface specification, "Overview
// of imports"), with the specification's letters.
var (
	everywhere = set(1<<contexts - 1) // * and s
	anywhere   = everywhere &^ of(Start)
	// I U RQ NRQ TQ CQ Ry CRy F
	withArgument = of(Init, PostUpgrade, Update, ReplicatedQuery, Query, TransformQuery, CompositeQuery, ReplyCallback, CompositeReply, InspectMessage)
	// U RQ NRQ TQ CQ Ry Rt CRy CRt
	answering = of(Update, ReplicatedQuery, Query, TransformQuery, CompositeQuery, ReplyCallback, RejectCallback, CompositeReply, CompositeReject)
	// U Q CQ Ry Rt CRy CRt, where Q is any query: a replica runs a transform as it runs other queries, and it has no
	// deadline
	withDeadline = answering
	// U RQ NRQ CQ Ry Rt CRy CRt C CC F
	withCallerInfo = answering&^of(TransformQuery) | of(Cleanup, CompositeCleanup, InspectMessage)
	// Ry Rt CRy CRt C
	afterResponse = of(ReplyCallback, RejectCallback, CompositeReply, CompositeReject, Cleanup)
	rejected      = of(RejectCallback, CompositeReject)
	tasks         = of(Heartbeat, GlobalTimer, LowMemory)
	// U Ry Rt T
	paying = of(Update, ReplyCallback, RejectCallback) | tasks
	// U CQ Ry Rt CRy CRt T
	calling = paying | of(CompositeQuery, CompositeReply, CompositeReject)
	// U RQ Rt Ry
	earning  = of(Update, ReplicatedQuery, RejectCallback, ReplyCallback)
	refunded = of(RejectCallback, ReplyCallback)
	// I G U Ry Rt T
	certifying = of(Init, PostUpgrade, PreUpgrade) | paying
	// I G U Ry Rt C T
	timing = certifying | of(Cleanup)
	// I G U RQ Ry Rt C T
	burning   = timing | of(ReplicatedQuery)
	rooted    = burning
	certified = of(Query, TransformQuery, CompositeQuery)
)
