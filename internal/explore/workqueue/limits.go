package workqueue

import "time"

// Limits of campaigns with workers elsewhere. All are ours; those of a server that was not started by canisterd are its
// own (NATS: 1 MiB for a message).
const (
	// messageBytes is the longest message of a server that canisterd starts.
	messageBytes = 8 << 20
	// queueBytes is the memory of the jobs, and of the results, that wait on the server.
	queueBytes = 256 << 20
	// objectBytes is the size of the description, the base and large results of a campaign together, on disk.
	objectBytes = 16 << 30
	// leastObjectBytes is what a server must have left for them.
	leastObjectBytes = 64 << 20
	// storeAttempts is how often a server is asked to create the store if it cannot create the folder, and storeWait is the
	// time between two attempts.
	storeAttempts = 5
	storeWait     = 50 * time.Millisecond
	// descriptionBytes is the size of a description, and of large results.
	descriptionBytes = 512 << 20
	// maxWorkers is how many workers take part in a campaign.
	maxWorkers = 256
	// maxSlots is how many jobs one worker runs beside each other.
	maxSlots = 1024
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
	// assignmentWait is how long the server waits for a worker that holds an assignment, and assignmentProlonged how often
	// a worker says that it still does.
	assignmentWait      = 2 * time.Second
	assignmentProlonged = 500 * time.Millisecond
	// aliveInterval is how often a worker says that it is there, and alivePatience how long it is believed.
	aliveInterval = time.Second
	alivePatience = 5 * time.Second
	// workerPatience is how long a coordinator without workers waits for one.
	workerPatience = time.Minute
	// joinInterval is how often a worker asks for a campaign, and joinPatience how long it waits for the answer.
	joinInterval = 200 * time.Millisecond
	joinPatience = time.Second
	// connectPatience is how long it takes at most to reach a server, and to reach it again.
	connectPatience = 5 * time.Second
	reconnectWait   = 250 * time.Millisecond
	// fetchPatience is how long a worker waits for an assignment before it asks again, and so until it notices that the
	// work is over.
	fetchPatience = 250 * time.Millisecond
	// requestPatience is how long a request to the server takes at most, and transferPatience how long it takes to read or
	// write an object.
	requestPatience  = 10 * time.Second
	transferPatience = time.Hour
)
