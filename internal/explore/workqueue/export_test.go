package workqueue

import "time"

// Reserve makes an object store.
var Reserve = reserve

// Within gives the requests of a worker another limit.
func (h *Host) Within(request time.Duration) *Host {
	limited := *h
	limited.request = request
	return &limited
}
