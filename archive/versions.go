package archive

// The versions of the format, by what each added. Code that reads what older files do not have first asks Coder.Since.
// A change of the format adds the next version here, and Version becomes that.
const (
	FirstVersion            = 1
	VersionParkedMessages   = 2  // messages that are parked in the middle of their code
	VersionFlexibleOutcalls = 3  // flexible outcalls, outcalls of pricing version 2, and the instructions of all rounds
	VersionExhaustion       = 4  // messages whose callbacks are made to need too many instructions
	VersionFeatures         = 5  // features of canisters, and messages that wait for a time in the middle of their code
	VersionAddedSubnets     = 6  // subnets that were added to a network that ran, and subnets for benchmarks
	VersionPageFiles        = 7  // pages in separate files
	VersionMarks            = 8  // marks in the journal: messages whose code failed, and certified roots; deleted subnets
	VersionUserMarks        = 9  // marks of users in the journal
	VersionZstandard        = 10 // frames that are compressed as RFC 8878 says
	VersionDroppedAnswers   = 11 // answers that are dropped because clients have them; versions of canisters that are set

	// Version is the version that is written, and the newest that is read. Older versions are read as well.
	Version = VersionDroppedAnswers
	// OldestHashed is the first version whose state can be hashed by this program: the hashes of checkpoints before were
	// those of deflated bytes, which differ between releases of Go.
	OldestHashed = VersionZstandard
)
