package mcp

import "time"

const (
	// maxAnswer limits an answer, in bytes: an assistant reads all of it, and pays for it. Ours.
	maxAnswer = 2 << 10
	// maxFullAnswer limits an answer to an assistant that asked for all of it, in bytes. Ours.
	maxFullAnswer = 64 << 10
	// maxInstances is the number of instances that deploy keeps; the oldest one is deleted for the next. Ours.
	maxInstances = 8
	// maxFindings is the number of schedules that are remembered. Ours.
	maxFindings = 100
	// maxCanisters is the number of canisters whose interfaces are listed and whose queries are observed. Ours.
	maxCanisters = 20
	// maxValue is the number of characters of one value in an answer. Ours.
	maxValue = 200
	// maxTraceLines is the number of lines of a short trace. Ours.
	maxTraceLines = 14
	// maxListed is the number of waiting calls, messages and timers that an answer lists. Ours.
	maxListed = 10
	// maxScheduleFile limits the file of a schedule, in bytes. Ours.
	maxScheduleFile = 4 << 20
	// answerPatience is how long call waits for a reply. Ours.
	answerPatience = 10 * time.Second
	// deletePatience is how long an instance may take to be deleted after its client has gone. Ours.
	deletePatience = 10 * time.Second
	// defaultSeconds is how long explore runs, as canisterd explore does.
	defaultSeconds = 60
)
