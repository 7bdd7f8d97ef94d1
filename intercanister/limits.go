package intercanister

// Limits of the call table.
const (
	// QueueCapacity is the number of slots in each direction between two canisters (the replica's). A call holds a slot
	// of its sender from sending until its callback begins, and one of the receiver from its arrival until it is
	// answered.
	QueueCapacity = 500
	// RequestOverhead and ResponseOverhead are the memory of a message in addition to method name and payload, in
	// bytes. The replica's depend on its build.
	RequestOverhead  = 176
	ResponseOverhead = 144
	// ResponseReservation is the memory that is reserved at both ends for the response of a call with guaranteed
	// response: the largest possible one.
	ResponseReservation = 2<<20 + ResponseOverhead
	// MaxRejectTextBytes is the length above which the text of a reject is cut in its middle (the replica's 8 KiB).
	MaxRejectTextBytes = 8 << 10
	// sparePairs is how many unused pairs a mailbox keeps for later. Ours.
	sparePairs = 8
	// fewPairs is how many pairs are in a list. Ours.
	fewPairs = 8
	// maxArchivedID is the maximum id of a call or call context in an archived call table: ids after it never run out.
	// Ours.
	maxArchivedID = 1 << 62
)
