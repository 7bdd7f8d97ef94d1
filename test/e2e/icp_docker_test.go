//go:build clients && linux

package e2e

import (
	"encoding/json"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// engine is as much of Docker's HTTP interface as icp-cli uses for one container. Its container is a process, with the
// entry point of the image launcher of the Dockerfile: what icp-cli mounts is at another path there, so it is named by a
// flag, and so is the port.
type engine struct {
	*testing.T
	binary string
	entry  []string // of the image, after the program
	port   string   // in the container and outside

	mu    sync.Mutex // guards what follows
	made  containerBody
	cmd   *exec.Cmd
	ended chan struct{} // the process has
	code  int
}

// containerBody is what a client says of a container to be made.
type containerBody struct {
	Image      string   `json:"Image"`
	Cmd        []string `json:"Cmd"`
	Entrypoint []string `json:"Entrypoint"`
	Env        []string `json:"Env"`
	HostConfig struct {
		PortBindings map[string]any `json:"PortBindings"`
		Mounts       []struct {
			Target, Source string
			ReadOnly       bool
		} `json:"Mounts"`
	} `json:"HostConfig"`
}

const (
	containerID  = "0123456789abcdef0123456789abcdef"
	launcherPort = "4943/tcp"
	statusFolder = "/app/status"
)

// launcherImage is the entry point of the image for icp-cli, and the ports that it exposes.
func launcherImage(t *testing.T) (entry, ports []string) {
	t.Helper()
	file, err := os.ReadFile("../../Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	_, stage, found := strings.Cut(string(file), "FROM scratch AS launcher\n")
	stage, _, _ = strings.Cut(stage, "\nFROM ")
	line := regexp.MustCompile(`(?m)^ENTRYPOINT (.*)$`).FindStringSubmatch(stage)
	if !found || line == nil || regexp.MustCompile(`(?m)^(USER|CMD) `).MatchString(stage) {
		t.Fatalf("the stage launcher of the Dockerfile is not an entry point that runs as root: %s", stage)
	}
	if err := json.Unmarshal([]byte(line[1]), &entry); err != nil {
		t.Fatal(err)
	}
	for _, exposed := range regexp.MustCompile(`(?m)^EXPOSE (\d+)$`).FindAllStringSubmatch(stage, -1) {
		ports = append(ports, exposed[1]+"/tcp")
	}
	return entry, ports
}

// serve serves the interface at a socket, and gives the value of DOCKER_HOST.
func (e *engine) serve() string {
	path := filepath.Join(e.TempDir(), "docker.sock")
	listener, err := net.Listen("unix", path)
	if err != nil {
		e.Fatal(err)
	}
	mux := http.NewServeMux()
	for route, answer := range map[string]http.HandlerFunc{
		"GET /images/{name}/json":     e.answer(http.StatusOK, func() any { return map[string]string{"Id": "sha256:0"} }),
		"POST /containers/create":     e.create,
		"POST /containers/{id}/start": e.start,
		"POST /containers/{id}/wait":  e.wait,
		"GET /containers/{id}/json":   e.answer(http.StatusOK, e.inspect),
		"POST /containers/{id}/stop":  e.stop,
	} {
		mux.HandleFunc(route, answer)
	}
	versioned := regexp.MustCompile(`^/v1\.\d+/`)
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.URL.Path = versioned.ReplaceAllString(r.URL.Path, "/")
		mux.ServeHTTP(w, r)
	})}
	go func() { _ = server.Serve(listener) }() // until it is closed
	e.Cleanup(func() { _ = server.Close() })
	e.Cleanup(e.kill)
	return "unix://" + path
}

// answer answers with a value as JSON.
func (e *engine) answer(status int, value func() any) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(value()) // the client says what is missing
	}
}

func (e *engine) create(w http.ResponseWriter, r *http.Request) {
	e.mu.Lock()
	err := json.NewDecoder(r.Body).Decode(&e.made)
	e.mu.Unlock()
	if err != nil {
		e.Errorf("the container: %v", err)
	}
	e.answer(http.StatusCreated, func() any { return map[string]any{"Id": containerID, "Warnings": []string{}} })(w, r)
}

// start starts the process of the container.
func (e *engine) start(w http.ResponseWriter, r *http.Request) {
	e.mu.Lock()
	defer e.mu.Unlock()
	status := ""
	for _, m := range e.made.HostConfig.Mounts {
		if m.Target == statusFolder && !m.ReadOnly {
			status = m.Source
		}
	}
	if _, mapped := e.made.HostConfig.PortBindings[launcherPort]; status == "" || !mapped || len(e.made.Entrypoint) > 0 {
		e.Errorf("the container is %+v", e.made)
	}
	arguments := slices.Concat(e.entry, e.made.Cmd, []string{"--status-dir", status, "--gateway-port", e.port})
	e.cmd = exec.Command(e.binary, arguments...)
	e.cmd.Env = append([]string{"HOME=" + e.TempDir()}, e.made.Env...)
	e.cmd.Stderr = os.Stderr
	if err := e.cmd.Start(); err != nil {
		e.Errorf("starting %q: %v", arguments, err)
	}
	e.ended = make(chan struct{})
	go func(cmd *exec.Cmd, ended chan struct{}) {
		_ = cmd.Wait() // the exit code says it
		e.mu.Lock()
		e.code = cmd.ProcessState.ExitCode()
		e.mu.Unlock()
		close(ended)
	}(e.cmd, e.ended)
	w.WriteHeader(http.StatusNoContent)
}

// wait answers when the process has ended.
func (e *engine) wait(w http.ResponseWriter, r *http.Request) {
	w.WriteHeader(http.StatusOK)
	_ = http.NewResponseController(w).Flush()
	for e.process() == nil && r.Context().Err() == nil {
	}
	select {
	case <-e.process():
		e.mu.Lock()
		defer e.mu.Unlock()
		_ = json.NewEncoder(w).Encode(map[string]int{"StatusCode": e.code})
	case <-r.Context().Done():
	}
}

// process is closed when the process has ended; nil if it was not started.
func (e *engine) process() chan struct{} {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.ended
}

func (e *engine) inspect() any {
	bound := map[string]any{launcherPort: []map[string]string{{"HostIp": "0.0.0.0", "HostPort": e.port}}}
	bound[e.port+"/tcp"] = bound[launcherPort]
	return map[string]any{"Id": containerID, "NetworkSettings": map[string]any{"Ports": bound}}
}

// stop sends the signal that Docker does, and waits for the end.
func (e *engine) stop(w http.ResponseWriter, r *http.Request) {
	if e.process() != nil {
		_ = e.cmd.Process.Signal(syscall.SIGTERM) // it may have ended
		<-e.process()
	}
	w.WriteHeader(http.StatusNoContent)
}

func (e *engine) kill() {
	if e.process() != nil {
		_ = e.cmd.Process.Kill() // it may have ended
		<-e.process()
	}
}

func TestICPCLIRunsTheImageForItInDocker(t *testing.T) {
	binary, err := build()
	if err != nil {
		t.Fatal(err)
	}
	entry, ports := launcherImage(t)
	if len(entry) == 0 || entry[0] != "/canisterd" || !slices.Contains(ports, launcherPort) {
		t.Fatalf("the image has the entry point %q and the ports %q", entry, ports)
	}
	e := &engine{T: t, binary: binary, entry: entry[1:], port: freePort(t)}
	p := newICPProject(t, "networks:\n  - name: local\n    mode: managed\n    image: canisterd-launcher\n    port-mapping:\n      - \"8000:4943\"\n", "DOCKER_HOST="+e.serve())
	p.expect(t, "network start -d", "Network started")
	p.play(t, "", []step{
		{"token balance", "Balance: 1000000.00000000 ICP"},
		{"deploy counter", "Deployed canisters"},
		{"canister call counter inc ()", "(1 : nat)"},
		{"network stop", "stopped"},
	})
	if <-e.process(); e.code != 0 || e.made.Image != "canisterd-launcher" || !slices.Contains(e.made.Env, "ICP_CLI_NETWORK_LAUNCHER_INTERFACE_VERSION=1.0.0") {
		t.Errorf("the container %+v ended with exit code %d", e.made, e.code)
	}
}
