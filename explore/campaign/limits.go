package campaign

// Limits of an exploration (ours).
const (
	// DefaultRuns is the budget of an exploration that is given none.
	DefaultRuns = 10_000
	// DefaultWaits is how often a run that is at rest goes on at the next timer.
	DefaultWaits = 4
	// maxMessages is how many messages a run delivers at most; what goes on longer is not judged at rest.
	maxMessages = 2_000
	// maxSerial is the number of operations whose serial orders are all tried; of more, some are.
	maxSerial = 4
	// chunk is how many runs there are between two looks at the time. It must not depend on the number of workers.
	chunk = 64
	// ahead is how many jobs goroutines may be ahead of the results that were taken.
	ahead = 2 * chunk
	// instructionsTogether is how many instructions runs have that are made together, messageInstructions what a message
	// counts beside those of its code. The first messages of 512 short runs are delivered once, but a run that takes long
	// is made by itself.
	instructionsTogether = 100_000_000
	messageInstructions  = 20_000
	// MaxJobs is how many jobs go to a worker of another process at a time.
	MaxJobs = 512
	// subtrees is how many parts an enumeration of classes is divided into.
	subtrees = 32
	// together is how many of the parts are enumerated at a time, and uneven how many times as many classes as the mean
	// one of them may have.
	together = 8
	uneven   = 4
	// sampled is the part of the budget (1/sampled) that is drawn before an enumeration that would take longer.
	sampled = 20
	// guided is the part of the drawn runs (1/guided) that begin like a run that showed something new, and of those the part
	// that have other faults. firstGeneration is how many runs a generation has at least.
	guided          = 4
	firstGeneration = 16
	// maxKept is how many runs are kept that showed something new: names of 2,000,000 messages at most.
	maxKept = 1_000
	// maxCovered is how far each number of the coverage counts.
	maxCovered = 1_000_000
	// probes is how many runs an estimate of the number of classes takes.
	probes = 20
	// stepsPerRun is how many messages an enumeration delivers at most for each run of its budget.
	stepsPerRun = 100
	// maxReplays is how many runs it takes at most to shorten a finding.
	maxReplays = 500
	// maxCell is how many characters of a value the table of differences has.
	maxCell = 60
	// maxOperations is the number of operations of an exploration.
	maxOperations = 1_000
	// maxObserved is how many queries are observed by default.
	maxObserved = 16
	// maxTold is how many messages a finding lists of a run without an end.
	maxTold = 50
	// maxSites is how many messages with faults are remembered for drawing.
	maxSites = 5_000
)
