package campaign

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/explore/harness"
	"github.com/canisterd/canisterd/internal/explore/schedule"
	"github.com/canisterd/canisterd/internal/explore/search"
	"github.com/canisterd/canisterd/replica"
)

// File returns the schedule file of a finding.
func (f *Finding) File(c *Config) *schedule.File {
	if f.file != nil {
		return f.file
	}
	base := c.Setup.Base.RootHash()
	file := &schedule.File{
		Property: f.Property, Method: f.Method, Text: f.Text, Modules: make(map[string]string), Base: hex.EncodeToString(base[:]), Seed: c.Seed,
		Waits: c.Setup.Waits, Observe: c.fileQueries(), Messages: names(f.Steps), Upgrades: f.upgrades(c), Outcalls: f.outcalls(c),
	}
	if f.Canister.Len() > 0 {
		file.Canister = c.Setup.NameOf(f.Canister)
	}
	for i := range c.Before {
		file.Before = append(file.Before, c.fileOperation("", &c.Before[i]))
	}
	for _, position := range f.Schedule.Operations {
		file.Operations = append(file.Operations, c.operation(position))
	}
	for _, position := range f.probed(c) {
		file.Probed = append(file.Probed, c.operation(position))
	}
	for _, id := range c.involved(f) {
		if hash := c.moduleHash(id); hash != "" {
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
	file.Identities = c.identitiesOf(file)
	return file
}

// operation returns the operation at a position for a file.
func (c *Config) operation(position int) schedule.Operation {
	return c.fileOperation(harness.OperationName(position), &c.Setup.Operations[position])
}

// fileOperation returns an operation for a file.
func (c *Config) fileOperation(name string, o *harness.Operation) schedule.Operation {
	return schedule.Operation{
		Name: name, Canister: c.Setup.NameOf(o.Message.Receiver), Method: o.Message.Method,
		Argument: c.fileArgument(o.Message.Arg), Sender: c.fileSender(o.Message.Sender), Title: c.Setup.WithNames(o.Title), Retried: o.Retried,
	}
}

// OfFile returns the schedule of a file; canister finds a canister by its name or id. The operations of the file must
// be those of the configuration, at the same positions. OfFile changes the waits, the observed queries and the answers
// to outcalls in the configuration to those of the file. It fails if the run upgrades a canister and the configuration
// has no module for the upgrade.
func (c *Config) OfFile(file *schedule.File, canister func(name string) (principal.Principal, bool)) (*Schedule, error) {
	s := &Schedule{}
	if err := s.readRecord(file, canister); err != nil {
		return nil, err
	}
	if err := c.applyFile(file, canister); err != nil {
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
		made, err := readOperation(&o, canister)
		if err != nil {
			return nil, err
		}
		if own := c.operation(position); !sameCall(&made.Message, &c.Setup.Operations[position].Message) {
			return nil, fmt.Errorf("operation %s of the schedule is %s.%s(%s) of %s, but here it is %s.%s(%s) of %s: the operations have changed since the schedule was found",
				o.Name, o.Canister, o.Method, o.Argument, o.Sender, own.Canister, own.Method, own.Argument, own.Sender)
		}
		s.Operations = append(s.Operations, position)
	}
	return s, s.readDeviations(c, file)
}

// sameCall reports whether two messages have the same receiver, method, argument and sender.
func sameCall(a, b *replica.Ingress) bool {
	return a.Receiver == b.Receiver && a.Method == b.Method && bytes.Equal(a.Arg, b.Arg) && a.Sender == b.Sender
}

// readDeviations reads the deviations and the faults of a file.
func (s *Schedule) readDeviations(c *Config, file *schedule.File) error {
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
		if err := c.checkFault(kind, &f); err != nil {
			return err
		}
		s.Plan = append(s.Plan, harness.Fault{At: f.At, Kind: kind, Answer: max(0, f.Answer-1)})
	}
	return nil
}

// checkFault says why a fault of a file is invalid or cannot happen with this configuration, nil if it can.
func (c *Config) checkFault(kind harness.FaultKind, f *schedule.Fault) error {
	switch {
	case kind == harness.OtherAnswer:
		return c.checkAnswer(f.At, f.Answer)
	case f.Answer != 0:
		return fmt.Errorf("fault %s of %s has an answer, and only %s has one", f.Kind, f.At, harness.OtherAnswer)
	case kind == harness.Upgrade && len(c.Setup.Upgrades) == 0:
		return fmt.Errorf("fault %s of %s needs the module to which the canister is upgraded: pass that of the exploration (--upgrade)", f.Kind, f.At)
	}
	return nil
}

// checkAnswer returns an error if the configuration does not have the answer of a fault OtherAnswer. Numbers begin at 1.
func (c *Config) checkAnswer(at string, number int) error {
	answers := len(c.Setup.Outcalls)
	switch {
	case answers == 0:
		return fmt.Errorf("fault %s of %s needs the answers to HTTP outcalls, but none were given: pass those of the exploration (--outcall)", harness.OtherAnswer, at)
	case number < 1 || number > answers:
		return fmt.Errorf("fault %s of %s has answer %d: expected 1 to %d, the answers to HTTP outcalls", harness.OtherAnswer, at, number, answers)
	}
	return nil
}

// positionOf returns the position of the operation with a name.
func positionOf(name string) (int, error) {
	number, found := strings.CutPrefix(name, "op")
	n, err := strconv.Atoi(number)
	if !found || err != nil || n < 1 || n > maxOperations {
		return 0, fmt.Errorf("invalid name of an operation %q: expected op1 to op%d", name, maxOperations)
	}
	return n - 1, nil
}

// Operations returns the operations of a file, each at its position; canister finds a canister by its name or id.
// Positions that the file leaves out are empty.
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

// Before returns the calls of a file that come before its run.
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

// applyFile copies the settings of a file other than its operations to the configuration.
func (c *Config) applyFile(file *schedule.File, canister func(name string) (principal.Principal, bool)) error {
	c.Setup.Waits = file.Waits
	if len(file.Messages) == 0 {
		return nil // older files do not have the rest
	}
	if err := c.checkUpgrades(file, canister); err != nil {
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

// fileQueries returns the observed queries for a file.
func (c *Config) fileQueries() (all []schedule.Query) {
	for _, q := range c.Observe {
		all = append(all, schedule.Query{
			Canister: c.Setup.NameOf(q.Canister), Method: q.Method, Argument: c.fileArgument(q.Arg), Sender: c.fileSender(q.Sender),
		})
	}
	return all
}

// readOperation converts an operation of a file.
func readOperation(o *schedule.Operation, canister func(name string) (principal.Principal, bool)) (made harness.Operation, err error) {
	id, err := lookUp(o.Canister, canister)
	if err != nil {
		return made, err
	}
	arg, err := readArgument(o.Argument, canister)
	if err != nil {
		return made, fmt.Errorf("invalid argument of %s: %w", o.Name, err)
	}
	sender, err := readSender(o.Sender, canister)
	if err != nil {
		return made, fmt.Errorf("invalid sender of %s: %w", o.Name, err)
	}
	return harness.Operation{Title: o.Title, Retried: o.Retried, Message: replica.Ingress{
		Sender: sender, Receiver: id, Effective: id, Method: o.Method, Arg: arg, Size: len(arg) + replica.EnvelopeBytes,
	}}, nil
}
