package replica

import (
	"fmt"

	"github.com/canisterd/canisterd/archive"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/intercanister"
)

// inputForm is the form in which inputs of one type are written.
type inputForm struct {
	is   func(Input) bool
	code func(*archive.Coder, Input) Input // writes an input, or reads one if it is nil
}

// byPointer returns the form of inputs that are pointers.
func byPointer[T any, P interface {
	*T
	Input
}](each func(*T, *archive.Coder)) inputForm {
	return inputForm{
		func(in Input) bool { _, ok := in.(P); return ok },
		func(c *archive.Coder, in Input) Input {
			p, _ := in.(P)
			if p == nil {
				p = new(T)
			}
			each((*T)(p), c)
			return p
		},
	}
}

// byValue returns the form of inputs that are values.
func byValue[T Input](each func(*T, *archive.Coder)) inputForm {
	return inputForm{
		func(in Input) bool { _, ok := in.(T); return ok },
		func(c *archive.Coder, in Input) Input {
			v, _ := in.(T)
			each(&v, c)
			return v
		},
	}
}

// inputForms has each type of input at its number, which never changes. All records have the time (AdvanceTo).
var inputForms = []inputForm{
	byPointer((*Ingress).archive),
	byPointer((*HTTPAnswer).archive),
	byPointer((*ModulePrepared).archive),
	byValue((*AddCycles).archive),
	byValue((*SetCycles).archive),
	byValue((*SetStableMemory).archive),
	byValue(func(at *CertifyAt, c *archive.Coder) { archive.Number(c, at) }),
	byValue((*QueryCounts).archive),
	byPointer(func(in *ForgetAnswers, c *archive.Coder) { archiveRequests(c, &in.Subnet, &in.Requests) }),
	byPointer(func(in *ShedAnswers, c *archive.Coder) { archive.Number(c, &in.Bytes) }),
	byValue((*MigrateCanister).archive),
	byValue((*RenameCanister).archive),
	byPointer(func(in *AddRule, c *archive.Coder) { in.Rule.Archive(c) }),
	byValue((*RemoveRule).archive),
	byValue(func(in *ReleaseHeld, c *archive.Coder) { archive.Number(c, &in.ID) }),
	byValue(func(in *DropHeld, c *archive.Coder) { archive.Number(c, &in.ID) }),
	byPointer((*SettleHeld).archive),
	byPointer((*SettleCall).archive),
	byValue(func(in *FireTimer, c *archive.Coder) { c.Principal(&in.Canister) }),
	byValue(func(in *CancelTimer, c *archive.Coder) { c.Principal(&in.Canister) }),
	byValue((*SetFeatures).archive),
	byPointer(func(in *AddSubnet, c *archive.Coder) { in.Config.archive(c) }),
	byValue(func(in *DeleteSubnet, c *archive.Coder) { c.Principal(&in.Subnet) }),
	byPointer(func(in *DropAnswers, c *archive.Coder) { archiveRequests(c, &in.Subnet, &in.Requests) }),
	byValue(func(in *SetVersion, c *archive.Coder) {
		c.Principal(&in.Canister)
		archive.Number(c, &in.Version)
	}),
}

// archiveInput writes an input, or reads one.
func archiveInput(c *archive.Coder, in *Input) {
	kind := 0
	for !c.Reading() && !inputForms[kind].is(*in) {
		if kind++; kind == len(inputForms) {
			panic(fmt.Sprintf("replica: an input of type %T has no form", *in))
		}
	}
	if archive.AtMost(c, &kind, len(inputForms)-1); !c.Failed() {
		*in = inputForms[kind].code(c, *in)
	}
}

func (in *Ingress) archive(c *archive.Coder) {
	archive.Hash(c, &in.ID)
	c.Principal(&in.Sender)
	c.Principal(&in.Receiver)
	c.Principal(&in.Effective)
	c.Principal(&in.Subnet)
	c.Bool(&in.BySubnet)
	archive.String(c, &in.Method, archive.MaxBytes)
	c.Bytes(&in.Arg, archive.MaxBytes)
	archive.Number(c, &in.Expiry)
	archive.Number(c, &in.Size)
	intercanister.ArchiveInfo(c, &in.Info)
	c.Bool(&in.AnyExpiry)
	c.Bool(&in.AnySize)
	c.Bool(&in.Inspected)
}

func (in *HTTPAnswer) archive(c *archive.Coder) {
	c.Principal(&in.Subnet)
	archive.Number(c, &in.Number)
	archive.Slice(c, &in.Answers, archive.MaxItems, func(a *OutcallAnswer) {
		archive.Number(c, &a.Status)
		archive.Slice(c, &a.Headers, archive.MaxItems, func(header *[2]string) {
			archive.String(c, &header[0], archive.MaxBytes)
			archive.String(c, &header[1], archive.MaxBytes)
		})
		c.Bytes(&a.Body, archive.MaxBytes)
		intercanister.ArchiveReject(c, &a.Reject)
	})
	transformed := in.Contents != nil
	if c.Bool(&transformed); !transformed {
		return
	}
	archive.Slice(c, &in.Contents, archive.MaxItems, func(o *OutcallContent) {
		c.Bytes(&o.Reply, archive.MaxBytes)
		intercanister.ArchiveReject(c, &o.Reject)
		o.Spent.Archive(c)
	})
	if in.Contents == nil {
		in.Contents = []OutcallContent{}
	}
}

func (in *ModulePrepared) archive(c *archive.Coder) {
	c.Principal(&in.Subnet)
	archive.Hash(c, &in.Hash)
	intercanister.ArchiveReject(c, &in.Reject)
}

func (in *AddCycles) archive(c *archive.Coder) {
	c.Principal(&in.Canister)
	in.Amount.Archive(c)
}

func (in *SetCycles) archive(c *archive.Coder) {
	c.Principal(&in.Canister)
	in.Amount.Archive(c)
}

func (in *SetStableMemory) archive(c *archive.Coder) {
	c.Principal(&in.Canister)
	c.Bytes(&in.Content, archive.MaxBytes)
}

func (in *SetFeatures) archive(c *archive.Coder) {
	c.Principal(&in.Canister)
	archive.AtMost(c, &in.Features, canister.AllFeatures)
}

func (in *QueryCounts) archive(c *archive.Coder) {
	archive.Slice(c, (*[]QueryCount)(in), archive.MaxItems, func(q *QueryCount) {
		c.Principal(&q.Canister)
		archive.Number(c, &q.Calls)
		archive.Number(c, &q.Instructions)
		archive.Number(c, &q.RequestBytes)
		archive.Number(c, &q.ResponseBytes)
	})
}

func archiveRequests(c *archive.Coder, of *principal.Principal, all *[]RequestID) {
	c.Principal(of)
	archive.Slice(c, all, archive.MaxItems, func(id *RequestID) { archive.Hash(c, id) })
}

func (in *MigrateCanister) archive(c *archive.Coder) {
	c.Principal(&in.Canister)
	c.Principal(&in.Subnet)
}

func (in *RenameCanister) archive(c *archive.Coder) {
	c.Principal(&in.Canister)
	c.Principal(&in.To)
	c.Principal(&in.RequestedBy)
}

func (in *RemoveRule) archive(c *archive.Coder) {
	archive.Number(c, &in.ID)
	c.Bool(&in.Release)
}

func (in *SettleHeld) archive(c *archive.Coder) {
	archive.Number(c, &in.ID)
	archiveSettlement(c, &in.Answer)
}

func (in *SettleCall) archive(c *archive.Coder) {
	c.Principal(&in.Subnet)
	archive.Number(c, &in.Call)
	archiveSettlement(c, &in.Answer)
}

func archiveSettlement(c *archive.Coder, s *Settlement) {
	c.Bytes(&s.Reply, archive.MaxBytes)
	intercanister.ArchiveReject(c, &s.Reject)
	c.Bool(&s.Unknown)
}
