package main

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/canisterd/canisterd/candid/principal"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// pocketTarget is what a stage knows of canisterd pocket-ic, the second target.
type pocketTarget struct {
	numbers map[string]int    // of instances, by their names here
	names   map[string]string // of instances in the control API, likewise
}

// pocketTTL is how long the server lives without a request.
const pocketTTL = 10 * time.Minute

// startPocket starts canisterd pocket-ic and waits until it has written the port that it listens at.
func startPocket(ctx context.Context, o *options, dir string) (*process, error) {
	file, err := os.CreateTemp(dir, "port-*")
	if err == nil {
		err = errors.Join(file.Close(), os.Remove(file.Name()))
	}
	if err != nil {
		return nil, fmt.Errorf("naming the file of the port: %w", err)
	}
	p, _, err := begin(ctx, o, []string{
		o.binary, "pocket-ic", "--port-file", file.Name(), "--ttl", strconv.Itoa(int(pocketTTL.Seconds())), "--memory-limit", strconv.Itoa(memoryLimit>>20) + "MiB",
	}, "XDG_CACHE_HOME="+filepath.Join(dir, "cache"))
	if err != nil {
		return nil, err
	}
	for begun := time.Now(); time.Since(begun) < readyTimeout && p.alive() && ctx.Err() == nil; time.Sleep(sampleInterval) {
		text, err := os.ReadFile(file.Name())
		if port, invalid := strconv.Atoi(strings.TrimSpace(string(text))); err == nil && invalid == nil && strings.HasSuffix(string(text), "\n") {
			p.url = fmt.Sprintf("http://127.0.0.1:%d", port)
			return p, nil
		}
	}
	p.kill()
	return nil, fmt.Errorf("canisterd pocket-ic does not say where it listens\n%s", p.log.tail())
}

// makePocketInstance makes an instance whose time is the wall clock's.
func (s *stage) makePocketInstance(ctx context.Context, name string) error {
	before, err := s.control.Instances.ListInstances(ctx, &controlv1.ListInstancesRequest{})
	if err != nil {
		return err
	}
	var made struct {
		Created struct {
			Number int `json:"instance_id"`
		}
	}
	err = s.restInto(ctx, "/instances", `{"subnet_config_set":{"application":[{}]}}`, &made)
	if err == nil {
		err = s.restInto(ctx, fmt.Sprintf("/instances/%d/auto_progress", made.Created.Number), `{"artificial_delay_ms":null}`, new(any))
	}
	if err != nil {
		return fmt.Errorf("making the instance %s: %w", name, err)
	}
	after, err := s.control.Instances.ListInstances(ctx, &controlv1.ListInstancesRequest{})
	if err != nil {
		return err
	}
	for _, i := range after.Instances {
		if !slices.ContainsFunc(before.Instances, func(known *controlv1.Instance) bool { return known.Name == i.Name }) {
			s.pocket.numbers[name], s.pocket.names[name] = made.Created.Number, i.Name
			return nil
		}
	}
	return fmt.Errorf("the control API does not list the instance %s", name)
}

// pocketPath is a path of the attacked instance in PocketIC's interface.
func (s *stage) pocketPath(path string) string {
	return fmt.Sprintf("/instances/%d/%s", s.pocket.numbers[attackedInstance], path)
}

// restInto sends a request of PocketIC's interface and decodes its answer.
func (s *stage) restInto(ctx context.Context, path, body string, into any) error {
	answer, err := s.rest(ctx, http.MethodPost, path, strings.NewReader(body), nil)
	if err != nil {
		return err
	}
	return json.Unmarshal(answer, into)
}

// rest sends a request of PocketIC's interface. The error is a *refusal if the server refused it.
func (s *stage) rest(ctx context.Context, method, path string, body io.Reader, header http.Header) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	response, err := s.send(ctx, method, path, body, header)
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }()
	answer, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	if err == nil && response.StatusCode >= http.StatusBadRequest {
		err = &refusal{response.StatusCode, string(answer)}
	}
	return answer, err
}

// send sends a request of PocketIC's interface, whose answer the caller reads.
func (s *stage) send(ctx context.Context, method, path string, body io.Reader, header http.Header) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, method, s.process.url+path, body)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	for name, values := range header {
		request.Header[name] = values
	}
	request.Host = header.Get("Host")
	return s.http.Do(request)
}

// raw is a canister's id in PocketIC's JSON.
func raw(canister principal.Principal) string {
	return fmt.Sprintf(`{"canister_id":%q}`, base64.StdEncoding.EncodeToString(canister.Bytes()))
}

// violate records something that must not happen, the first time.
func (s *stage) violate(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	s.violation.CompareAndSwap(nil, &text)
}
