package otlp

import "time"

const (
	// maxQueue is how many complete spans wait to be sent. Ours; OpenTelemetry's default is 2,048.
	maxQueue = 8192
	// maxBatch is how many spans are sent at once: OpenTelemetry's default.
	maxBatch = 512
	// batchInterval is how long a complete span waits for others. Ours, for people who watch; OpenTelemetry's default is
	// 5 s.
	batchInterval = time.Second
	// maxOpen is how many messages, calls and contexts of an instance are remembered, so that later events find their
	// span. The oldest are forgotten. Ours.
	maxOpen = 16_384
	// maxSpanEvents is how many events a span has: OpenTelemetry's default.
	maxSpanEvents = 128
	// maxText is how many bytes of a text (a reject, a line of a log) are sent. Ours.
	maxText = 4 << 10
	// maxTries is how often a batch is sent before it is given up, firstPause how long the pause after the first try is;
	// it doubles from try to try. Ours.
	maxTries   = 5
	firstPause = 250 * time.Millisecond
	// defaultTimeout is how long one try takes at most: OpenTelemetry's default.
	defaultTimeout = 10 * time.Second
	// maxAnswer is how much of a collector's answer is read, in bytes. Ours.
	maxAnswer = 64 << 10
)
