package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/canisterd/canisterd/api/control/remote"
	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/internal/candid/relation"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// expression is a statement about the state of an instance: two sides with a relation between them, or one side whose
// value is the answer.
type expression struct {
	left, right side
	relation    string // "": there is no right side
}

// side is a field of a canister's status, a query, or a value.
type side struct {
	canister, field string
	call            *controlv1.Call
	value           candid.Value
}

// readExpression parses an expression such as
//
//	bank.cycles < 1_000_000
//	bank.module_hash
//	vault paidOut <= bank owed (principal "aaaaa-aa")
func (c *cli) readExpression(text string) (*expression, error) {
	_, statement := relation.CutMoment(text) // as in an invariant: it does not matter here
	left, is, right := relation.Split(statement)
	e := &expression{relation: is}
	var err error
	if e.left, err = c.readSide(left); err != nil {
		return nil, fmt.Errorf("invalid expression %q: %w", text, err)
	}
	if e.left.value != nil {
		return nil, fmt.Errorf("invalid expression %q: expected CANISTER.FIELD or CANISTER QUERY first, for example: bank.cycles < 1_000_000", text)
	}
	if is != "" {
		if e.right, err = c.readSide(right); err != nil {
			return nil, fmt.Errorf("invalid expression %q: %w", text, err)
		}
	}
	return e, nil
}

// readSide parses a side. A word that is neither a field nor a Candid value is a text.
func (c *cli) readSide(text string) (s side, err error) {
	text = strings.TrimSpace(text)
	word, rest, _ := strings.Cut(text, " ")
	if dot := strings.LastIndexByte(word, '.'); dot > 0 && rest == "" {
		if _, failed := candid.ParseValue(text); failed != nil { // 1.5 is a number
			s.field = word[dot+1:]
			if !slices.Contains(statusFields(), s.field) {
				return s, fmt.Errorf("invalid field %q: expected one of %s", s.field, strings.Join(statusFields(), ", "))
			}
			s.canister, err = c.canisterOf(word[:dot])
			return s, err
		}
	}
	if _, unknown := c.canisterOf(word); rest != "" && unknown == nil {
		method, arguments, found := strings.Cut(rest, "(")
		args := []string{word, strings.Trim(strings.TrimSpace(method), `"`)}
		if found {
			args = append(args, "("+arguments)
		}
		s.call, _, err = (&callFlags{argumentFlags: argumentFlags{form: "text"}}).call(c, args)
		return s, err
	}
	if s.value, err = candid.ParseValue(text); err != nil {
		if text == "" || strings.ContainsAny(text, " \"(){};") {
			return s, fmt.Errorf("%q is neither a field nor a query of a canister, nor a value: %w", text, err)
		}
		s.value = candid.Text(text)
	}
	return s, nil
}

// answer returns whether the relation holds, shown with the values of both sides; without a relation, the value of the left.
func (e *expression) answer(ctx context.Context, d *remote.Daemon, instance string) (probe, error) {
	left, err := e.left.valueIn(ctx, d, instance)
	right := candid.Value(nil)
	if err == nil && e.relation != "" {
		right, err = e.right.valueIn(ctx, d, instance)
	}
	if err != nil {
		return probe{}, err
	}
	if e.relation == "" {
		if text := valueText(left); text != "" {
			return probe{text, text, false}, nil
		}
		return probe{noAnswer, noAnswer, true}, nil // such as the module hash of an empty canister
	}
	holds, err := relation.Holds(left, e.relation, right)
	answer := fmt.Sprint(holds)
	shown := fmt.Sprintf("%s (%s %s %s)", answer, cmp.Or(valueText(left), `""`), e.relation, cmp.Or(valueText(right), `""`))
	return probe{answer, shown, false}, err
}

// valueIn returns the value of a side in an instance.
func (s *side) valueIn(ctx context.Context, d *remote.Daemon, instance string) (candid.Value, error) {
	switch {
	case s.field != "":
		got, err := d.Canisters.GetCanister(ctx, &controlv1.GetCanisterRequest{Instance: instance, CanisterId: s.canister})
		if err != nil {
			return nil, err
		}
		return fieldOf(got.GetCanister(), s.field), nil
	case s.call != nil:
		r, err := d.Calls.Query(ctx, &controlv1.QueryRequest{Instance: instance, Call: s.call})
		if err != nil {
			return nil, err
		}
		text := answerText(r.GetOutcome())
		values, err := candid.ParseArgs(text)
		if err != nil || len(values) == 0 {
			return nil, status.Errorf(codes.FailedPrecondition, "%s answers %s", s.call.GetMethod(), text)
		}
		return values[0], nil
	}
	return s.value, nil
}

// statusFields returns the names of the fields of a canister in canister status --json that have a value.
func statusFields() (names []string) {
	for _, f := range reflect.VisibleFields(reflect.TypeFor[canisterStatusResult]()) {
		if f.Type.Kind() != reflect.Pointer {
			names = append(names, nameInJSON(f))
		}
	}
	return names
}

func nameInJSON(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}

// fieldOf returns a field of a canister.
func fieldOf(s *controlv1.Canister, name string) candid.Value {
	result := reflect.ValueOf(canisterResult(s))
	at := slices.IndexFunc(reflect.VisibleFields(result.Type()), func(f reflect.StructField) bool { return nameInJSON(f) == name })
	switch v := result.Field(at).Interface().(type) {
	case uint64:
		return candid.NatOf(v)
	case json.Number:
		if n, err := candid.ParseValue(v.String()); err == nil {
			return n
		}
		return candid.NatOf(0)
	case bool:
		return candid.Bool(v)
	case []string:
		all := candid.Vec{}
		for _, one := range v {
			all = append(all, candid.Text(one))
		}
		return all
	case string:
		return candid.Text(v)
	default:
		panic(fmt.Sprintf("canisterd: a field of type %T", v))
	}
}

// valueText formats a value as bisect compares and prints it: texts without quotes, numbers without their type.
func valueText(v candid.Value) string {
	if text, ok := v.(candid.Text); ok {
		return string(text)
	}
	if n := relation.Number(v); n != nil && n.IsInt() {
		return n.Num().String()
	}
	return candid.Format(v)
}
