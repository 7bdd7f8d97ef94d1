package campaign

// Limits of an exploration (ours).
const (
	// DefaultRuns is the default budget of an exploration.
	DefaultRuns = 10_000
	// DefaultWaits is the default for how often a run at rest continues at the next timer.
	DefaultWaits = 4
	// maxMessages is how many messages a run delivers at most. A longer run is not checked at rest.
	maxMessages = 2_000
	// maxSerial is up to how many operations all serial orders are tried; beyond, only some are.
	maxSerial = 4
	// chunk is how many runs there are between two checks of the time. It must not depend on the number of workers.
	chunk = 64
	// ahead is how many jobs the goroutines may be ahead of the results that were taken.
	ahead = 2 * chunk
	// instructionsTogether is how many instructions the runs have together that share the delivery of their first messages,
	// at most maxTogether runs, and messageInstructions the overhead of a message in addition to its code. The more runs,
	// the fewer messages each delivers: 1,000 orders of 8 messages deliver 1.9 messages each, four times 250 of them 3.7.
	// A long run shares nothing.
	instructionsTogether = 500_000_000
	messageInstructions  = 20_000
	maxTogether          = 1024
	// MaxJobs is how many jobs go to a worker of another process at a time.
	MaxJobs = 512
	// subtrees is how many parts an enumeration of classes is divided into.
	subtrees = 32
	// together is how many of the parts are enumerated at a time, and uneven how many times the mean number of classes a
	// part may have.
	together = 8
	uneven   = 4
	// sampled is the share of the budget (1/sampled) that is drawn before a longer enumeration.
	sampled = 20
	// guided is the share of the drawn runs (1/guided) that begin like a run that showed something new, and the share of
	// those that have other faults. firstGeneration is how many runs a generation has at least.
	guided          = 4
	firstGeneration = 16
	// maxKept is how many runs that showed something new are kept: with names of 2,000,000 messages at most.
	maxKept = 1_000
	// maxCovered is the largest value of each number of the coverage.
	maxCovered = 1_000_000
	// maxBlock is the largest number of a block of code in results of workers.
	maxBlock = 1<<24 - 1
	// repetitions is how many runs there are at least for each different one in a report that advises against more.
	repetitions = 50
	// probes is how many runs an estimate of the number of classes takes.
	probes = 20
	// stepsPerRun is how many messages an enumeration delivers at most for each run of its budget.
	stepsPerRun = 100
	// maxReplays is how many runs shortening a finding takes at most.
	maxReplays = 500
	// shortCase is how many runs most cases of drawn arguments have, and longCase how many one in longCases has. maxDrawnCalls
	// is how many drawn calls come before the operations at most.
	shortCase     = 8
	longCase      = 128
	longCases     = 16
	maxDrawnCalls = 8
	// drawnStream, stateStream and corpusStream are the first numbers of the streams of chance of cases and of a corpus, apart from those of runs.
	drawnStream  = 1 << 32
	stateStream  = 2 << 32
	corpusStream = 3 << 32
	// MaxCorpus is with how many runs of a corpus an exploration begins at most.
	MaxCorpus = 1_000
	// maxEnumerated is how many classes are enumerated at most: an exploration of hours draws most of its runs.
	maxEnumerated = 1_000_000
	// maxStateCalls is how many calls lead to a state in which cases begin, before those that are drawn.
	maxStateCalls = 64
	// maxSimplified is how many runs shortening a finding and making its arguments simpler takes at most.
	maxSimplified = 2_000
	// continuations is how many random continuations each prefix of a finding's shortest run has. maxContinued is how many
	// messages such a run has at most, and maxContinuedWork how many instructions the operations take in FIFO order.
	continuations    = 32
	maxContinued     = 64
	maxContinuedWork = 200_000_000
	// maxCell is how many characters of a value the table of differences shows.
	maxCell = 60
	// maxOperations is the maximum number of operations of an exploration.
	maxOperations = 1_000
	// maxObserved is how many queries are observed by default.
	maxObserved = 16
	// maxListed is how many messages a finding lists of a run that does not come to rest.
	maxListed = 50
	// MaxMoments is how many messages of a finding are listed with the state after them, and maxAsked how many queries show
	// this state.
	MaxMoments = 500
	maxAsked   = 40
	// maxShown is how many characters of an argument, of a reply or of the result of a query are shown with a message.
	maxShown = 2_000
	// maxSites is how many faults are kept for drawing.
	maxSites = 5_000
)
