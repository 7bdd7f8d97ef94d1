package wasm

import (
	"context"
	"slices"
	"sync"
)

// Client identifies the client for which a module is compiled: clients of one instance share the turns of that
// instance. Both must be comparable.
type Client struct{ Instance, Sender any }

type clientKey struct{}

// WithClient returns a context whose compilations take turns with other clients. Compilations without a client begin at
// once.
func WithClient(ctx context.Context, c Client) context.Context {
	return context.WithValue(ctx, clientKey{}, c)
}

// compileQueue limits how many modules are compiled at a time. Waiting modules take turns: one module of each instance
// after the other, and within an instance one of each sender.
type compileQueue struct {
	mu        sync.Mutex // guards everything below
	free      int        // slots
	instances []instanceQueue
}

// instanceQueue is an instance with waiting modules. The first one in the list has the next turn.
type instanceQueue struct {
	instance any
	senders  []senderQueue
}

type senderQueue struct {
	sender  any
	tickets []chan struct{} // closed when it gets a slot
}

// acquire waits for a slot; release frees it. The error is the context's.
func (q *compileQueue) acquire(ctx context.Context) error {
	client, queued := ctx.Value(clientKey{}).(Client)
	if !queued {
		return ctx.Err()
	}
	ticket := q.enqueue(client)
	select {
	case <-ticket:
		return nil
	case <-ctx.Done():
		if !q.withdraw(client, ticket) {
			q.release(ctx)
		}
		return ctx.Err()
	}
}

// release passes a slot to the next waiting ticket.
func (q *compileQueue) release(ctx context.Context) {
	if _, queued := ctx.Value(clientKey{}).(Client); !queued {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.free++
	q.grant()
}

// enqueue adds a ticket, which is closed at once if a slot is free.
func (q *compileQueue) enqueue(c Client) chan struct{} {
	q.mu.Lock()
	defer q.mu.Unlock()
	ticket := make(chan struct{})
	at := slices.IndexFunc(q.instances, func(i instanceQueue) bool { return i.instance == c.Instance })
	if at < 0 {
		at = len(q.instances)
		q.instances = append(q.instances, instanceQueue{instance: c.Instance})
	}
	senders := &q.instances[at].senders
	of := slices.IndexFunc(*senders, func(s senderQueue) bool { return s.sender == c.Sender })
	if of < 0 {
		of = len(*senders)
		*senders = append(*senders, senderQueue{sender: c.Sender})
	}
	(*senders)[of].tickets = append((*senders)[of].tickets, ticket)
	q.grant()
	return ticket
}

// grant assigns the free slots. An instance or sender that had its turn moves to the end of the queue. Needs q.mu.
func (q *compileQueue) grant() {
	for ; q.free > 0 && len(q.instances) > 0; q.free-- {
		instance := q.instances[0]
		sender := instance.senders[0]
		close(sender.tickets[0])
		sender.tickets = sender.tickets[1:]
		instance.senders = slices.Delete(instance.senders, 0, 1)
		if len(sender.tickets) > 0 {
			instance.senders = append(instance.senders, sender)
		}
		q.instances = slices.Delete(q.instances, 0, 1)
		if len(instance.senders) > 0 {
			q.instances = append(q.instances, instance)
		}
	}
}

// withdraw removes a ticket. It returns false if the ticket already has a slot.
func (q *compileQueue) withdraw(c Client, ticket chan struct{}) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	for i := range q.instances {
		instance := &q.instances[i]
		if instance.instance != c.Instance {
			continue
		}
		for j := range instance.senders {
			sender := &instance.senders[j]
			at := slices.Index(sender.tickets, ticket)
			if at < 0 {
				continue
			}
			sender.tickets = slices.Delete(sender.tickets, at, at+1)
			if len(sender.tickets) == 0 {
				instance.senders = slices.Delete(instance.senders, j, j+1)
			}
			if len(instance.senders) == 0 {
				q.instances = slices.Delete(q.instances, i, i+1)
			}
			return true
		}
	}
	return false
}
