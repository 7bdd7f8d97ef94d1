package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/canisterd/canisterd/api/control/remote"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

func (c *cli) outcalls() *cobra.Command {
	cmd := group("outcalls", "List and answer held HTTP outcalls (--outcalls hold)")
	cmd.AddCommand(c.outcallsList(), c.outcallsShow(), c.outcallsAnswer())
	return cmd
}

// waitingOutcalls returns the outcalls that wait in the instance.
func (c *cli) waitingOutcalls(ctx context.Context, d *remote.Daemon) ([]*controlv1.Outcall, error) {
	return allPages((*controlv1.ListOutcallsResponse).GetOutcalls, func(token string) (*controlv1.ListOutcallsResponse, error) {
		return d.Messages.ListOutcalls(ctx, &controlv1.ListOutcallsRequest{Instance: c.instance, Page: &controlv1.Page{Size: pageSize, Token: token}})
	})
}

func (c *cli) outcallsList() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the held HTTP outcalls",
		Example: `  canisterd outcalls list
  canisterd -i lab outcalls list`,
		Args: cobra.NoArgs,
		RunE: c.connecting(func(ctx context.Context, d *remote.Daemon, _ []string) error {
			all, err := c.waitingOutcalls(ctx, d)
			if err != nil {
				return err
			}
			t := c.table("OUTCALL", "CANISTER", "METHOD", "URL", "BYTES", "NODES")
			for _, o := range all {
				t.row(fmt.Sprint(o.GetNumber()), c.nameOf(o.GetCanisterId()), o.GetMethod(), o.GetUrl(), fmt.Sprint(len(o.GetBody())), fmt.Sprint(o.GetNodes()))
			}
			return c.print(t.String(), &controlv1.ListOutcallsResponse{Outcalls: all})
		}),
	}
}

// outcall returns the outcall with a number, on a subnet if several have that number.
func (c *cli) outcall(ctx context.Context, d *remote.Daemon, text, subnet string) (*controlv1.Outcall, error) {
	n, err := number("HTTP outcall", "canisterd outcalls list", text)
	if err != nil {
		return nil, err
	}
	on, err := c.subnetOf(ctx, d, subnet)
	if err != nil {
		return nil, err
	}
	all, err := c.waitingOutcalls(ctx, d)
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(o *controlv1.Outcall) bool { return o.GetNumber() != n || on != "" && o.GetSubnetId() != on })
	switch len(all) {
	case 0:
		return nil, fmt.Errorf("no held HTTP outcall %d (canisterd outcalls list)", n)
	case 1:
		return all[0], nil
	}
	return nil, fmt.Errorf("several subnets have a held HTTP outcall %d: select one, such as --subnet %s", n, all[0].GetSubnetId())
}

func (c *cli) outcallsShow() *cobra.Command {
	var subnet string
	cmd := &cobra.Command{
		Use:   "show OUTCALL",
		Short: "Show the request of an HTTP outcall",
		Example: `  canisterd outcalls show 1
  canisterd -i lab outcalls show 1`,
		Args: cobra.ExactArgs(1),
		RunE: c.connecting(func(ctx context.Context, d *remote.Daemon, args []string) error {
			o, err := c.outcall(ctx, d, args[0], subnet)
			if err != nil {
				return err
			}
			return c.print(c.outcallText(o), o)
		}),
	}
	cmd.Flags().StringVar(&subnet, "subnet", "", "subnet of the canister (default: the only one with such an outcall)")
	return cmd
}

// outcallText formats a request as in HTTP, after its canister.
func (c *cli) outcallText(o *controlv1.Outcall) string {
	var text strings.Builder
	fmt.Fprintf(&text, "canister  %s\nsubnet    %s\nnodes     %d\nat most   %s\n\n%s %s", c.nameOf(o.GetCanisterId()), o.GetSubnetId(), o.GetNodes(),
		bytesOf(o.GetMaxResponseBytes()), oneLine(o.GetMethod()), oneLine(o.GetUrl()))
	for _, h := range o.GetHeaders() {
		fmt.Fprintf(&text, "\n%s: %s", oneLine(h.GetName()), oneLine(h.GetValue()))
	}
	switch body := o.GetBody(); {
	case len(body) == 0:
	case utf8.Valid(body):
		fmt.Fprintf(&text, "\n\n%s", oneLine(string(body)))
	default:
		fmt.Fprintf(&text, "\n\n(bytes) %x", body)
	}
	return text.String()
}

type answerFlags struct {
	status         uint32
	headers        []string
	file, each, on string
}

func (c *cli) outcallsAnswer() *cobra.Command {
	var f answerFlags
	cmd := &cobra.Command{
		Use:   "answer OUTCALL [reply BODY | reject [CODE] TEXT]",
		Short: "Answer a held HTTP outcall",
		Long: `Answer a held HTTP outcall with a response whose body is BODY or a file, with a reject,
or with one answer for each node. A response with --status or --header needs no body.
The file of --each has a JSON array of objects such as

  {"status": 200, "headers": {"Date": "today"}, "body": "..."}
  {"reject": "the node was cut off"}`,
		Example: `  canisterd outcalls answer 0 reply '{"rate": 4.2}' --header 'Content-Type: application/json'
  canisterd outcalls answer 0 --status 404 --body-file page.html
  canisterd outcalls answer 0 reject sys_transient "the network is busy"
  canisterd outcalls answer 0 --each answers.json`,
		Args: cobra.RangeArgs(1, 4),
		RunE: func(cmd *cobra.Command, args []string) error {
			answers, err := f.answers(args[1:], cmd.Flags().Changed("status"))
			if err != nil {
				return err
			}
			return c.connected(cmd.Context(), func(ctx context.Context, d *remote.Daemon) error {
				o, err := c.outcall(ctx, d, args[0], f.on)
				if err != nil {
					return err
				}
				if f.each != "" && len(answers) != int(o.GetNodes()) {
					return fmt.Errorf("%s has %s, but the outcall is made by %s: write one for each", f.each, count(uint64(len(answers)), "answer"), count(uint64(o.GetNodes()), "node"))
				}
				_, err = d.Messages.AnswerOutcall(ctx, &controlv1.AnswerOutcallRequest{
					Instance: c.instance, SubnetId: o.GetSubnetId(), Number: o.GetNumber(), Answers: answers, Incarnation: o.GetIncarnation(),
				})
				if err != nil {
					return err
				}
				return c.done(map[string]any{"number": o.GetNumber(), "done": "answered"}, "HTTP outcall %d is answered", o.GetNumber())
			})
		},
	}
	flags := cmd.Flags()
	flags.Uint32Var(&f.status, "status", 200, "HTTP status of the response")
	flags.StringArrayVar(&f.headers, "header", nil, "header of the response, 'NAME: VALUE'; repeatable")
	flags.StringVar(&f.file, "body-file", "", "read the body of the response from a file")
	flags.StringVar(&f.each, "each", "", "read an answer for each node from a JSON file")
	flags.StringVar(&f.on, "subnet", "", "subnet of the canister (default: the only one with such an outcall)")
	return cmd
}

// answers returns the given answers, one or one for each node. A response with a status or headers needs no body.
func (f *answerFlags) answers(args []string, hasStatus bool) ([]*controlv1.OutcallAnswer, error) {
	describesResponse := hasStatus || len(f.headers) > 0 || f.file != ""
	switch {
	case f.each != "":
		if len(args) > 0 || describesResponse {
			return nil, errors.New("use either --each or one answer for all nodes, not both")
		}
		return readAnswers(f.each)
	case len(args) > 0 && args[0] == "reject":
		if describesResponse {
			return nil, errors.New("--status, --header and --body-file cannot be used with reject")
		}
		answer, err := parseAnswer(args)
		if err != nil {
			return nil, err
		}
		return []*controlv1.OutcallAnswer{{Answer: &controlv1.OutcallAnswer_Reject{Reject: answer.GetReject()}}}, nil
	}
	response := &controlv1.HttpResponse{Status: f.status}
	switch {
	case len(args) == 2 && args[0] == "reply" && f.file == "":
		response.Body = []byte(args[1])
	case len(args) == 0 && f.file != "":
		body, err := os.ReadFile(f.file)
		if err != nil {
			return nil, fmt.Errorf("reading the body: %w", err)
		}
		response.Body = body
	case len(args) != 0 || f.file != "":
		return nil, fmt.Errorf("invalid answer %q: expected one of reply BODY, reject [CODE] TEXT, --body-file FILE or --each FILE", strings.Join(args, " "))
	case !describesResponse:
		return nil, errors.New("no answer given: expected reply BODY, reject [CODE] TEXT, --body-file FILE or --each FILE")
	}
	for _, header := range f.headers {
		name, value, found := strings.Cut(header, ":")
		if !found {
			return nil, fmt.Errorf("invalid --header %q: expected NAME: VALUE", header)
		}
		response.Headers = append(response.Headers, &controlv1.HttpHeader{Name: name, Value: strings.TrimSpace(value)})
	}
	return []*controlv1.OutcallAnswer{{Answer: &controlv1.OutcallAnswer_Response{Response: response}}}, nil
}

// nodeAnswer is the answer of one node in a file.
type nodeAnswer struct {
	Status  uint32            `json:"status"`
	Headers map[string]string `json:"headers"`
	Body    string            `json:"body"`
	Reject  string            `json:"reject"`
}

func readAnswers(path string) (all []*controlv1.OutcallAnswer, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("reading the answers: %w", err)
	}
	var read []nodeAnswer
	if err := json.Unmarshal(text, &read); err != nil {
		return nil, fmt.Errorf("%s: %w: expected an array with an answer for each node", path, err)
	}
	for _, one := range read {
		if one.Reject != "" {
			reject := &controlv1.Reject{Code: controlv1.RejectCode_REJECT_CODE_SYS_TRANSIENT, Text: one.Reject}
			all = append(all, &controlv1.OutcallAnswer{Answer: &controlv1.OutcallAnswer_Reject{Reject: reject}})
			continue
		}
		response := &controlv1.HttpResponse{Status: one.Status, Body: []byte(one.Body)}
		for _, name := range slices.Sorted(maps.Keys(one.Headers)) {
			response.Headers = append(response.Headers, &controlv1.HttpHeader{Name: name, Value: one.Headers[name]})
		}
		all = append(all, &controlv1.OutcallAnswer{Answer: &controlv1.OutcallAnswer_Response{Response: response}})
	}
	return all, nil
}
