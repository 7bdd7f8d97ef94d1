package workqueue

import "time"

// Limits of campaigns with workers in other processes. All are ours.
const (
	// maxWorkers is how many workers a hub has.
	maxWorkers = 256
	// maxSlots is how many jobs one worker runs in parallel.
	maxSlots = 1024
	// descriptionBytes is the size of a description, and of the results of one assignment.
	descriptionBytes = 512 << 20
	// arrivedBytes is the size of results that wait for the coordinator. Workers with more results wait.
	arrivedBytes = 256 << 20
	// baseBytes is the size of a base, in a file.
	baseBytes = 16 << 30
	// partBytes is the size of a part of a description, a base or results in one message.
	partBytes = 1 << 20
	// gcPercent is how much garbage a process of a worker has when it is collected, in percent of what lives (Go: 100).
	gcPercent = 400
	// maxAttempts is how many workers are given an assignment: what ends so many is the fault of a job.
	maxAttempts = 5
	// aheadJobs is how many jobs workers may be ahead of the results that were taken.
	aheadJobs = 8192

	// assignmentTime is how long the runs of an assignment shall take.
	assignmentTime = 50 * time.Millisecond
	// leastTime is how long they take at least, where there are as many.
	leastTime = 2 * time.Millisecond
	// firstJobs is the number of jobs of an assignment as long as it is not known how long they take.
	firstJobs = 8
	// aliveInterval is how often a worker says that it is there, and alivePatience how long it is believed.
	aliveInterval = time.Second
	alivePatience = 5 * time.Second
	// workerPatience is how long a coordinator without workers waits for one.
	workerPatience = time.Minute
)
