package campaign

import (
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/explore/harness"
	"github.com/canisterd/canisterd/explore/schedule"
	"github.com/canisterd/canisterd/explore/search"
	"github.com/canisterd/canisterd/replica"
)

// File is the schedule file of a finding.
func (f *Finding) File(c *Config) *schedule.File {
	base := c.Setup.Base.RootHash()
	file := &schedule.File{
		Property: f.Property, Method: f.Method, Text: f.Text, Modules: make(map[string]string), Base: hex.EncodeToString(base[:]), Seed: c.Seed,
		Waits: c.Setup.Waits, Observe: c.observed(), Messages: names(f.Steps), Upgrades: f.upgrades(c), Outcalls: f.outcalls(c),
	}
	if f.Canister.Len() > 0 {
		file.Canister = c.Setup.NameOf(f.Canister)
	}
	for i := range c.Before {
		file.Before = append(file.Before, c.written("", &c.Before[i]))
	}
	for _, position := range f.Schedule.Operations {
		file.Operations = append(file.Operations, c.operation(position))
	}
	for _, position := range f.probed(c) {
		file.Probed = append(file.Probed, c.operation(position))
	}
	for _, id := range c.concerns(f) {
		if hash := c.module(id); hash != "" {
			file.Modules[c.Setup.NameOf(id)] = hash
		}
	}
	for _, b := range f.Schedule.Deviations {
		file.Deviations = append(file.Deviations, schedule.Deviation{Run: b.First, Before: b.Later})
	}
	for _, fault := range f.Schedule.Plan {
		own := schedule.Fault{At: fault.At, Kind: fault.Kind.String()}
		if fault.Kind == harness.OtherAnswer {
			own.Answer = fault.Answer + 1
		}
		file.Faults = append(file.Faults, own)
	}
	return file
}

// operation is the operation at a position as a file has it.
func (c *Config) operation(position int) schedule.Operation {
	return c.written(harness.OperationName(position), &c.Setup.Operations[position])
}

// written is an operation as a file has it.
func (c *Config) written(name string, o *harness.Operation) schedule.Operation {
	return schedule.Operation{
		Name: name, Canister: c.Setup.NameOf(o.Message.Receiver), Method: o.Message.Method,
		Argument: hex.EncodeToString(o.Message.Arg), Sender: o.Message.Sender.String(), Title: o.Title, Retried: o.Retried,
	}
}

// OfFile is the schedule of a file; canister finds a canister by its name or id. Its operations must be those of the
// configuration, under the same numbers. The configuration then waits for timers, observes queries and answers outcalls as
// the file says. The error also says which module is missing to which the run upgrades a canister.
func (c *Config) OfFile(file *schedule.File, canister func(name string) (principal.Principal, bool)) (*Schedule, error) {
	s := &Schedule{}
	if err := s.remember(file, canister); err != nil {
		return nil, err
	}
	if err := c.take(file, canister); err != nil {
		return nil, err
	}
	for _, o := range file.Operations {
		position, err := positionOf(o.Name)
		if err != nil {
			return nil, err
		}
		if position >= len(c.Setup.Operations) {
			return nil, fmt.Errorf("the schedule has operation %s, and the exploration has only %d", o.Name, len(c.Setup.Operations))
		}
		own := c.operation(position)
		if own.Canister != o.Canister || own.Method != o.Method || own.Argument != o.Argument || own.Sender != o.Sender {
			return nil, fmt.Errorf("operation %s of the schedule is %s.%s(%s) of %s, and that of the exploration %s.%s(%s) of %s: the operations have changed since it was found",
				o.Name, o.Canister, o.Method, o.Argument, o.Sender, own.Canister, own.Method, own.Argument, own.Sender)
		}
		s.Operations = append(s.Operations, position)
	}
	return s, s.read(c, file)
}

// read takes over how a file deviates from FIFO.
func (s *Schedule) read(c *Config, file *schedule.File) error {
	for _, d := range file.Deviations {
		if d.Run == d.Before {
			return fmt.Errorf("message %s cannot come before itself", d.Run)
		}
		s.Deviations = append(s.Deviations, search.Before{First: d.Run, Later: d.Before})
	}
	for _, f := range file.Faults {
		kind, err := harness.ParseFault(f.Kind)
		if err != nil {
			return err
		}
		if err := c.fits(kind, &f); err != nil {
			return err
		}
		s.Plan = append(s.Plan, harness.Fault{At: f.At, Kind: kind, Answer: max(0, f.Answer-1)})
	}
	return nil
}

// fits says why a fault of a file cannot be made, nil if it can.
func (c *Config) fits(kind harness.FaultKind, f *schedule.Fault) error {
	answers := len(c.Setup.Outcalls)
	switch {
	case kind != harness.OtherAnswer && f.Answer != 0:
		return fmt.Errorf("fault %s of %s has an answer, and only %s has one", f.Kind, f.At, harness.OtherAnswer)
	case kind == harness.OtherAnswer && answers == 0:
		return fmt.Errorf("fault %s of %s needs the answers to HTTP outcalls, and none were given: give those of the exploration (--outcall)", f.Kind, f.At)
	case kind == harness.OtherAnswer && (f.Answer < 1 || f.Answer > answers):
		return fmt.Errorf("fault %s of %s has answer %d: expected 1 to %d, the answers to HTTP outcalls", f.Kind, f.At, f.Answer, answers)
	case kind == harness.Upgrade && len(c.Setup.Upgrades) == 0:
		return fmt.Errorf("fault %s of %s needs the module to which the canister is upgraded: give that of the exploration (--upgrade)", f.Kind, f.At)
	}
	return nil
}

// positionOf is the position of the operation with a name.
func positionOf(name string) (int, error) {
	number, found := strings.CutPrefix(name, "op")
	n, err := strconv.Atoi(number)
	if !found || err != nil || n < 1 || n > maxOperations {
		return 0, fmt.Errorf("invalid name of an operation %q: expected op1 to op%d", name, maxOperations)
	}
	return n - 1, nil
}

// Operations makes the operations of a file, each at its position; canister finds a canister by its name or id.
// Operations that the file leaves out are empty.
func Operations(file *schedule.File, canister func(name string) (principal.Principal, bool)) (all []harness.Operation, err error) {
	for _, o := range slices.Concat(file.Operations, file.Probed) {
		position, err := positionOf(o.Name)
		if err != nil {
			return nil, err
		}
		for len(all) <= position {
			all = append(all, harness.Operation{})
		}
		if all[position], err = readOperation(&o, canister); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// Before makes the calls of a file that come before its run.
func Before(file *schedule.File, canister func(name string) (principal.Principal, bool)) (all []harness.Operation, err error) {
	for i := range file.Before {
		o, err := readOperation(&file.Before[i], canister)
		if err != nil {
			return nil, err
		}
		all = append(all, o)
	}
	return all, nil
}

// take takes over what a file says of its run beside the operations.
func (c *Config) take(file *schedule.File, canister func(name string) (principal.Principal, bool)) error {
	c.Setup.Waits = file.Waits
	if len(file.Messages) == 0 {
		return nil // older files do not have the rest
	}
	if err := c.upgradable(file, canister); err != nil {
		return err
	}
	if len(file.Outcalls) > 0 {
		c.Setup.Outcalls = nil
	}
	for _, o := range file.Outcalls {
		c.Setup.Outcalls = append(c.Setup.Outcalls, replica.OutcallAnswer{Status: o.Status, Body: []byte(o.Body)})
	}
	c.Observe = nil
	for _, q := range file.Observe {
		o, err := readOperation(&schedule.Operation{Name: "the query " + q.Method, Canister: q.Canister, Method: q.Method, Argument: q.Argument, Sender: q.Sender}, canister)
		if err != nil {
			return err
		}
		c.Observe = append(c.Observe, harness.Query{Canister: o.Message.Receiver, Sender: o.Message.Sender, Method: q.Method, Arg: o.Message.Arg})
	}
	return nil
}

// observed are the observed queries as a file has them.
func (c *Config) observed() (all []schedule.Query) {
	for _, q := range c.Observe {
		all = append(all, schedule.Query{
			Canister: c.Setup.NameOf(q.Canister), Method: q.Method, Argument: hex.EncodeToString(q.Arg), Sender: q.Sender.String(),
		})
	}
	return all
}

// readOperation makes an operation of a file.
func readOperation(o *schedule.Operation, canister func(name string) (principal.Principal, bool)) (made harness.Operation, err error) {
	id, err := known(o.Canister, canister)
	if err != nil {
		return made, err
	}
	arg, err := hex.DecodeString(o.Argument)
	if err != nil {
		return made, fmt.Errorf("invalid argument of %s: expected hex, got %q", o.Name, o.Argument)
	}
	sender, err := principal.Parse(o.Sender)
	if err != nil {
		return made, fmt.Errorf("invalid sender of %s: %w", o.Name, err)
	}
	return harness.Operation{Title: o.Title, Retried: o.Retried, Message: replica.Ingress{
		Sender: sender, Receiver: id, Effective: id, Method: o.Method, Arg: arg, Size: len(arg) + replica.EnvelopeBytes,
	}}, nil
}
