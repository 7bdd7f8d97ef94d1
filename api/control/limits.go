package control

import "time"

const (
	// maxTraces is how many call trees are shown at once. Ours.
	maxTraces = 100
	// maxTraceDepth is how deep the calls of a tree are that are shown as messages: decoders of
	// some languages take messages nested 100 deep, and each call takes two. What is rendered has
	// all of them. Ours.
	maxTraceDepth = 40
	// maxTraceValue is how long the text of an argument or a reply in a trace is at most, in runes. Ours.
	maxTraceValue = 100
	// maxTypesShown is how long the types of an argument are at most, in bytes, to be a part of the
	// error about it. Ours.
	maxTypesShown = 400
	// MaxRequestBytes is how large a message of a client may be; what is larger is
	// streamed in pieces. grpc-go's own default.
	MaxRequestBytes = 4 << 20
	// maxReadBytes is how large a message is that is read, so that its sender hears what to
	// do: a whole module in one chunk, say. gRPC itself refuses larger ones. Ours.
	maxReadBytes = 32 << 20
	// MaxResponseBytes is how large a message to a client may be: a reply of 3 MiB
	// as JSON, and lists. Clients have to raise their own limit (4 MiB) to take more
	// than that. Ours.
	MaxResponseBytes = 64 << 20
	// MaxStreams is how many RPCs one connection may have open. Ours.
	MaxStreams = 4096
	// MaxHeadBytes is how large the metadata of an RPC may be. Ours.
	MaxHeadBytes = 64 << 10
	// ConnectPatience is how long a client may take to open a connection. Ours.
	ConnectPatience = 10 * time.Second
	// KeepAlive is how long a connection may be silent before the client is asked
	// for a sign of life, and how long it may take to give one: leases of a client
	// that cannot be reached end within twice that. Ours.
	KeepAlive = 10 * time.Second
	// cutPatience is how long clients have to hear that the daemon stops. Ours.
	cutPatience = 500 * time.Millisecond
	// MinPing is how often a client may ask for a sign of life of the daemon; one
	// that asks more often is cut off. Ours.
	MinPing = 5 * time.Second
	// DefaultPage is how many entries a page of a list has unless asked for another
	// number, MaxPage how many it has at most. Ours.
	DefaultPage = 100
	MaxPage     = 1000
	// MaxNodes is how many nodes a subnet has at most; each has its own key. Ours.
	MaxNodes = 100
	// maxQuoted is how much of what a client sent is shown in an error, maxErrorText how
	// long the text of one is, maxErrorValue each value of its metadata. An error is in the
	// trailers, its text twice and in escapes, and some clients take 8 KiB there. Ours.
	maxQuoted     = 100
	maxErrorText  = 1536
	maxErrorValue = 256
	// MaxInterfaces is how many modules the interfaces are remembered of. Ours.
	MaxInterfaces = 256
	// MaxBatch is how many calls one request makes. Ours.
	MaxBatch = 1000
	// MaxUnderWay is how many calls of a stream are under way; then the stream is read
	// no more. Ours.
	MaxUnderWay = 1024
	// maxUnanswered is how many bytes the unanswered calls of a stream have; then the stream is
	// read no more. Ours.
	maxUnanswered = 16 << 20
	// MaxStreamBatch is how many calls of a stream are handed in together. Ours.
	MaxStreamBatch = 128
	// showingShare is for which part of the processors there are places in which streams make messages
	// of events, 1/showingShare: an event takes a processor for about 10 µs, and streams that replay
	// thousands at once leave the other part to other requests. Ours.
	showingShare = 2
	// DeadlineSpare is how long before a deadline a call that is not answered is given
	// up, at most: its client has to hear the request's id. Ours.
	DeadlineSpare = 50 * time.Millisecond
	// MemoryChunk is how many bytes of a memory one message has. Ours.
	MemoryChunk = 1 << 20
	// ChunkBytes is how much of a file one message has that is sent to a client. Ours.
	ChunkBytes = 1 << 20
	// defaultAnswerTime is how long a question waits for its answer unless the client says otherwise, maxAnswerTime how long
	// at most. Ours.
	defaultAnswerTime = 30 * time.Second
	maxAnswerTime     = 10 * time.Minute
	// maxAsked is how many properties a client answers for, and how many queries each of them has; maxAskedTitle how many
	// bytes a title has. Ours.
	maxAsked      = 100
	maxAskedTitle = 100
	// maxQuestionBytes is how large a question is, and where a message with several ends: clients take 4 MiB. Ours.
	maxQuestionBytes = 1 << 20
	// maxVerdicts is how many answers one request has, maxVerdictText how many bytes the text of one. Ours.
	maxVerdicts    = 1000
	maxVerdictText = 4096
	// maxRemembered is how many answers are remembered, maxRememberedText how many bytes their texts have together. What is
	// not remembered is asked again. Ours.
	maxRemembered     = 200_000
	maxRememberedText = 16 << 20
)
