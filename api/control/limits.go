package control

import "time"

const (
	// maxTraces limits the call trees of one response. Ours.
	maxTraces = 100
	// maxTraceDepth limits the depth of a tree in messages: decoders of some languages accept
	// messages nested 100 deep, and each call takes two levels. A rendered tree has all calls. Ours.
	maxTraceDepth = 40
	// maxTypesShown is the largest text of an argument's types, in bytes, that an error about it
	// includes. Ours.
	maxTypesShown = 400
	// MaxRequestBytes limits a message of a client; larger data is streamed in chunks. grpc-go's
	// own default.
	MaxRequestBytes = 4 << 20
	// maxReadBytes is the largest message that is read only to tell its sender what to do, such
	// as for a whole module in one chunk. gRPC itself rejects larger ones. Ours.
	maxReadBytes = 32 << 20
	// MaxResponseBytes limits a message to a client: a reply of 3 MiB as JSON, and lists. Clients
	// have to raise their own limit of 4 MiB to receive more. Ours.
	MaxResponseBytes = 64 << 20
	// MaxStreams limits the open RPCs of one connection. Ours.
	MaxStreams = 4096
	// streamWorkers is the number of goroutines that run RPCs one after the other, with stacks that have grown before. More
	// RPCs at once each have a goroutine of their own. Ours.
	streamWorkers = 64
	// localBuffer is the number of bytes that a connection of Local has in memory in each direction. Ours.
	localBuffer = 256 << 10
	// MaxHeadBytes limits the metadata of an RPC. Ours.
	MaxHeadBytes = 64 << 10
	// resetBurst is how many RPCs clients may reset together before they are answered, resetInterval how long until they
	// may reset another one, maxResetPause the longest pause between two reads of a connection whose client resets more.
	// The specification has none; ours.
	resetBurst    = 1000
	resetInterval = 5 * time.Millisecond
	maxResetPause = time.Second
	// ConnectPatience is how long a client may take to open a connection. Ours.
	ConnectPatience = 10 * time.Second
	// KeepAlive is how long a connection may be silent before the server pings the client, and
	// how long the client may take to answer: leases of an unreachable client end within twice
	// that time. Ours.
	KeepAlive = 10 * time.Second
	// cutPatience is how long RPCs have to end with DaemonStops before they are cut off. Ours.
	cutPatience = 500 * time.Millisecond
	// MinPing is the minimum interval between pings of a client; one that pings more often is
	// disconnected. Ours.
	MinPing = 5 * time.Second
	// DefaultPage is the number of entries of a page by default, MaxPage the maximum. Ours.
	DefaultPage = 100
	MaxPage     = 1000
	// MaxNodes limits the nodes of a subnet; each has its own key. Ours.
	MaxNodes = 100
	// maxQuoted limits the part of a client's value that an error quotes, maxErrorText the text of
	// an error, maxErrorValue each value of its metadata. An error is in the trailers, its text
	// twice and with escapes, and some clients accept 8 KiB there. Ours.
	maxQuoted     = 100
	maxErrorText  = 1536
	maxErrorValue = 256
	// MaxInterfaces limits the modules whose interfaces are cached. Ours.
	MaxInterfaces = 256
	// maxBudgets limits the budgets of an instance. Ours.
	maxBudgets = 10_000
	// MaxBatch limits the calls of one request. Ours.
	MaxBatch = 1000
	// MaxUnderWay limits the calls of a stream that are in progress; at the limit, the stream is
	// not read. Ours.
	MaxUnderWay = 1024
	// maxUnanswered limits the bytes of a stream's unanswered calls; at the limit, the stream is
	// not read. Ours.
	maxUnanswered = 16 << 20
	// MaxStreamBatch limits the calls of a stream that are submitted together. Ours.
	MaxStreamBatch = 128
	// showingShare is the divisor of the processors that gives the number of streams that may make
	// messages of events at the same time: an event takes a processor for about 10 µs, and streams
	// that replay thousands at once must leave processors to other requests. Ours.
	showingShare = 2
	// DeadlineSpare is how long before its deadline, at most, an unanswered call ends, so that the
	// client still receives the request id. Ours.
	DeadlineSpare = 50 * time.Millisecond
	// MemoryChunk is the number of bytes of a memory in one message. Ours.
	MemoryChunk = 1 << 20
	// ChunkBytes is the number of bytes of a file in one message to a client. Ours.
	ChunkBytes = 1 << 20
	// defaultAnswerTime is how long a question waits for its answer by default, maxAnswerTime the most that a client can set.
	// Ours.
	defaultAnswerTime = 30 * time.Second
	maxAnswerTime     = 10 * time.Minute
	// maxAsked limits the properties that a client answers for, and the queries of each; maxAskedTitle the bytes of a title.
	// Ours.
	maxAsked      = 100
	maxAskedTitle = 100
	// maxQuestionBytes limits a question; a message with several has at most twice as much, as clients take 4 MiB. Ours.
	maxQuestionBytes = 1 << 20
	// maxVerdicts limits the answers of one request, and the questions of one message; maxVerdictText the bytes of an answer's
	// text. Ours.
	maxVerdicts    = 1000
	maxVerdictText = 4096
	// maxRemembered limits the answers that are cached, maxRememberedText the bytes of their texts together. Other questions
	// are asked again. Ours.
	maxRemembered     = 200_000
	maxRememberedText = 16 << 20
)
