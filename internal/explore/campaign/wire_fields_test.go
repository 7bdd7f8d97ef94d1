package campaign

import (
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/explore/harness"
)

// filled sets all fields of a value to something that is not zero, unless set has it already.
func filled(t *testing.T, v reflect.Value) {
	t.Helper()
	switch v.Interface().(type) {
	case principal.Principal:
		v.Set(reflect.ValueOf(principal.Anonymous))
		return
	case rand.PCG:
		v.Set(reflect.ValueOf(*rand.NewPCG(3, 4)))
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			filled(t, v.Field(i))
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		filled(t, v.Elem())
	case reflect.Array:
		for i := range v.Len() {
			filled(t, v.Index(i))
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range v.Len() {
			filled(t, v.Index(i))
		}
	case reflect.String:
		v.SetString("text")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(3)
	case reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(3)
	default:
		t.Fatalf("a value has a field of type %s: fill it here, and write it in wire.go", v.Type())
	}
}

func TestAllFieldsOfJobsAndResultsAreWritten(t *testing.T) {
	var jobs []Job
	filled(t, reflect.ValueOf(&jobs).Elem())
	record, err := AppendJobs(nil, jobs)
	if err != nil {
		t.Fatal(err)
	}
	read, err := ReadJobs(record)
	if err != nil || !reflect.DeepEqual(read, jobs) {
		t.Errorf("jobs\n%+v\nare read as\n%+v, %v", jobs, read, err)
	}
	o := outcome{plan: jobs[0].Plan, phase: "fifo", reached: []bool{true}, values: []string{"1/3"}, unfinished: true, partial: true}
	filled(t, reflect.ValueOf(&o.steps).Elem())
	filled(t, reflect.ValueOf(&o.answers).Elem())
	filled(t, reflect.ValueOf(&o.violations).Elem())
	o.steps = append(o.steps, &harness.Step{Move: "other"}, o.steps[0])
	b := &Batch{config: &Config{}}
	b.config.Setup.Operations = make([]harness.Operation, 4)
	results := []Result{{outcomes: []outcome{o, o}, finished: true, replied: []int{0, 2}, ran: o.steps[0].Blocks[:1]}}
	if record, err = AppendResults(nil, results); err != nil {
		t.Fatal(err)
	}
	if _, err := b.ReadResults(record, jobs[:1]); err == nil || !strings.Contains(err.Error(), "goals") {
		t.Errorf("results about goals that there are not are read: %v", err)
	}
	for i := range results[0].outcomes {
		results[0].outcomes[i].reached, results[0].outcomes[i].values = nil, nil
	}
	if record, err = AppendResults(nil, results); err != nil {
		t.Fatal(err)
	}
	again, err := b.ReadResults(record, jobs[:1])
	if err != nil || !reflect.DeepEqual(again, results) {
		t.Errorf("results\n%+v\nare read as\n%+v, %v", results, again, err)
	}
}

func TestNoMoreJobsGoToAWorkerThanItReads(t *testing.T) {
	if _, err := AppendJobs(nil, make([]Job, 512)); err != nil {
		t.Error(err)
	}
	if _, err := AppendJobs(nil, make([]Job, 513)); err == nil {
		t.Error("513 jobs are written")
	}
}

// results are records of results and a batch whose jobs they may be of.
func results(f *testing.F) *Batch {
	f.Helper()
	b := &Batch{config: &Config{}}
	b.config.Setup.Operations = make([]harness.Operation, 2)
	step := &harness.Step{Move: "op1", Context: "op1", Method: "withdraw", Calls: []harness.CallMade{{Name: "op1/1"}}}
	for _, r := range [][]Result{
		{}, {{outcomes: []outcome{{steps: []*harness.Step{step, step}, answers: []harness.Answer{{Operation: "op1", Position: 1, Reply: []byte("DIDL")}}}}}},
	} {
		record, err := AppendResults(nil, r)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(record)
	}
	return b
}

func FuzzAnyResultsCanBeTakenOrAreRefused(f *testing.F) {
	b := results(f)
	f.Fuzz(func(_ *testing.T, record []byte) {
		read, err := b.ReadResults(record, make([]Job, 1))
		if err != nil {
			return
		}
		report := newReport(b.config)
		for i := range read[0].outcomes {
			report.count(&read[0].outcomes[i])
			for _, v := range read[0].outcomes[i].violations {
				report.addViolation("fuzz", v, &read[0].outcomes[i])
			}
		}
		for _, found := range report.Findings {
			_, _ = found.Explain(&b.config.Setup), found.Mermaid(&b.config.Setup)
		}
	})
}

func FuzzJobsThatAreReadAreWrittenAsTheyWere(f *testing.F) {
	for _, j := range []Job{{}, {Plan: harness.Plan{{At: "op1", Kind: harness.NoCalls}}, Chance: rand.NewPCG(1, 2)}} {
		record, err := AppendJobs(nil, []Job{j})
		if err != nil {
			f.Fatal(err)
		}
		f.Add(record)
	}
	f.Fuzz(func(t *testing.T, record []byte) {
		jobs, err := ReadJobs(record)
		if err != nil {
			return
		}
		again, err := AppendJobs(nil, jobs)
		if err != nil {
			t.Fatal(err)
		}
		if read, err := ReadJobs(again); err != nil || !reflect.DeepEqual(read, jobs) {
			t.Errorf("jobs\n%+v\nare read as\n%+v, %v", jobs, read, err)
		}
	})
}
