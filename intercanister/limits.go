package intercanister

// Limits of the call table.
const (
	// QueueCapacity is how many slots each direction between two canisters has
	// (the replica's). A call of one to the other holds a slot from its sending until
	// its callback begins, and one of the receiver's from its arrival until it is
	// answered.
	QueueCapacity = 500
	// RequestOverhead and ResponseOverhead are what a message takes in memory beyond
	// method name and payload, in bytes. The replica's depend on its build.
	RequestOverhead  = 176
	ResponseOverhead = 144
	// ResponseReservation is the memory that is kept at both ends for the response of
	// a call with guaranteed response: the largest there is.
	ResponseReservation = 2<<20 + ResponseOverhead
	// MaxRejectTextBytes is where the text of a reject is cut in its middle (the replica's
	// 8 KiB).
	MaxRejectTextBytes = 8 << 10
	// sparePairs is how many retired pairs a mailbox keeps for later use. Ours.
	sparePairs = 8
	// maxArchivedID is the last call or call context that a call table may have had that is
	// read: ids after it never end. Ours.
	maxArchivedID = 1 << 62
)
