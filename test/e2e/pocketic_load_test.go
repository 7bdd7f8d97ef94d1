//go:build clients && linux

package e2e

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/canisterd/canisterd/internal/eventually"
)

// pocketServer is PocketIC's server as a process group of its own.
type pocketServer struct {
	testing.TB
	cmd *exec.Cmd
	url string
}

// startPocket starts a server and waits until its port file says that it serves.
func startPocket(t testing.TB, binary, file string, arguments ...string) *pocketServer {
	t.Helper()
	before, _ := os.ReadFile(file) // of a server that was killed
	s := &pocketServer{TB: t, cmd: exec.Command(binary, append([]string{"--port-file", file}, arguments...)...)}
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.kill)
	eventually.True(t, "the server serves", func() bool {
		line, err := os.ReadFile(file)
		s.url = "http://127.0.0.1:" + strings.TrimSpace(string(line))
		return err == nil && strings.HasSuffix(string(line), "\n") && (!bytes.Equal(line, before) || s.answers(string(line)))
	})
	return s
}

// answers reports whether a server serves at a port.
func (s *pocketServer) answers(port string) bool {
	response, err := http.Get("http://127.0.0.1:" + strings.TrimSpace(port) + "/status")
	if err != nil {
		return false
	}
	return response.Body.Close() == nil
}

// kill ends the server at once.
func (s *pocketServer) kill() {
	_ = s.cmd.Process.Kill() // it may have ended
	_ = s.cmd.Wait()         // by the signal
}

// ask makes a request that must succeed, and gives the answer.
func (s *pocketServer) ask(method, path, body string) string {
	s.Helper()
	request, err := http.NewRequestWithContext(s.Context(), method, s.url+path, strings.NewReader(body))
	if err != nil {
		s.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		s.Fatal(err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode >= http.StatusBadRequest {
		s.Fatalf("%s %s: %d %s (%v)", method, path, response.StatusCode, answer, err)
	}
	return string(answer)
}

func TestTwoHundredLiveInstancesTakeLessThanAGigabyte(t *testing.T) {
	s := startPocket(t, pocketIC(t, "pocket-ic"), filepath.Join(t.TempDir(), "port"))
	for number := range 200 {
		s.ask(http.MethodPost, "/instances", `{"subnet_config_set":{"application":[{}]}}`)
		s.ask(http.MethodPost, fmt.Sprintf("/instances/%d/auto_progress", number), "{}")
	}
	if all := s.ask(http.MethodGet, "/instances", ""); strings.Count(all, "Available") != 200 {
		t.Errorf("the instances are %s", all)
	}
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`VmRSS:\s+(\d+) kB`).FindSubmatch(status)
	if found == nil {
		t.Fatalf("%s has no VmRSS", status)
	}
	resident, err := strconv.Atoi(string(found[1]))
	if t.Logf("200 live instances take %d KiB", resident); err != nil || resident > 1<<20 {
		t.Errorf("this is more than a GiB (%v)", err)
	}
}

func TestAServerThatWasKilledLeavesNothingThatStopsTheNextOne(t *testing.T) {
	binary, file := pocketIC(t, "pocket-ic"), filepath.Join(t.TempDir(), "port")
	killed := startPocket(t, binary, file)
	gateway := killed.ask(http.MethodPost, "/instances", `{"subnet_config_set":{"application":[{}]},"http_gateway_config":{}}`)
	ports := []string{killed.url[strings.LastIndex(killed.url, ":")+1:], regexp.MustCompile(`"port":(\d+)`).FindStringSubmatch(gateway)[1]}
	killed.kill()
	if err := syscall.Kill(-killed.cmd.Process.Pid, 0); err == nil {
		t.Errorf("processes of the group %d are left", killed.cmd.Process.Pid)
	}
	next := startPocket(t, binary, file, "--port", ports[0])
	next.ask(http.MethodPost, "/instances", fmt.Sprintf(`{"subnet_config_set":{"application":[{}]},"http_gateway_config":{"port":%s}}`, ports[1]))
}
