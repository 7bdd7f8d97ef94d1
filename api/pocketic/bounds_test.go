package pocketic_test

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/daemon"
)

// endless is a body of zeros of a number of bytes.
func endless(n int64) io.Reader { return io.LimitReader(zeros{}, n) }

type zeros struct{}

// Read gives zeros.
func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// send posts a body of any kind, and gives the answer.
func (a *api) send(path, encoding string, body io.Reader) string {
	a.Helper()
	request, err := http.NewRequestWithContext(a.Context(), http.MethodPost, a.url+path, body)
	if err != nil {
		a.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	if encoding != "" {
		request.Header.Set("Content-Encoding", encoding)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err.Error() // the server stopped reading
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		a.Fatal(err)
	}
	return fmt.Sprintf("%d %s", response.StatusCode, answer)
}

// allocated gives the number of bytes that the process allocates during do.
func allocated(do func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	do()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// budgetText is what a refusal of a budget says; a client that still sends may only see that its connection ends.
const budgetText = "the memory budget of bodies and blobs of PocketIC's clients is used up"

func refusedForMemory(answer string) bool {
	return strings.HasPrefix(answer, "429 ") && strings.Contains(answer, budgetText) || strings.Contains(answer, "broken pipe") || strings.Contains(answer, "connection reset")
}

func TestBodiesAndBlobsStayWithinTheMemoryLimit(t *testing.T) {
	a := servedWithin(t, daemon.MinMemoryLimit)
	a.world()
	for _, path := range []string{"/blobstore", "/instances/0/read/get_cycles", "/instances/0/canisterd/list_held"} {
		taken := allocated(func() {
			if answer := a.send(path, "", endless(1<<34)); !refusedForMemory(answer) {
				t.Errorf("an endless body to %s: %.200s", path, answer)
			}
		})
		if taken > daemon.MinMemoryLimit {
			t.Errorf("an endless body to %s takes %d bytes", path, taken)
		}
	}
	for _, path := range []string{"/instances", "/http_gateway", "/verify_signature"} {
		if answer := a.send(path, "", endless(2<<20)); !strings.Contains(answer, "the body has more than 1048576 bytes") {
			t.Errorf("a large body to %s: %.200s", path, answer)
		}
	}
	blobs := make([]string, 4)
	for i := range blobs { // 48 MiB are for clients
		content := bytes.Repeat([]byte{byte(i)}, 20<<20)
		hash := sha256.Sum256(content)
		blobs[i] = hex.EncodeToString(hash[:])
		if answer := a.send("/blobstore", "", bytes.NewReader(content)); answer != "200 "+blobs[i] {
			t.Fatalf("blob %d: %.200s", i, answer)
		}
	}
	for i, want := range []int{http.StatusNotFound, http.StatusNotFound, http.StatusOK, http.StatusOK} {
		response, err := http.Get(a.url + "/blobstore/" + blobs[i])
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		if response.StatusCode != want {
			t.Errorf("blob %d has status %d, want %d", i, response.StatusCode, want)
		}
	}
}

func TestABlobIsInflatedWithinTheMemoryLimit(t *testing.T) {
	a := servedWithin(t, daemon.MinMemoryLimit)
	a.world()
	set := func(size int64) string {
		packed := packedZeros(t, size)
		hash := sha256.Sum256(packed)
		if answer := a.send("/blobstore", "gzip", bytes.NewReader(packed)); !strings.HasPrefix(answer, "200") {
			t.Fatal(answer)
		}
		return a.ask(`POST /instances/0/update/set_stable_memory {"canister_id":"${FIRST}","blob_id":"` + base64.StdEncoding.EncodeToString(hash[:]) + `"}`)
	}
	if answer := set(1 << 20); answer != "200 null" {
		t.Error(answer)
	}
	if answer := a.ask(`POST /instances/0/read/get_stable_memory {"canister_id":"${FIRST}"}`); !strings.HasSuffix(answer, "(1398115 bytes)") {
		t.Errorf("%.50s ... %s", answer, answer[max(0, len(answer)-50):])
	}
	taken := allocated(func() {
		if answer := set(1 << 30); !refusedForMemory(answer) {
			t.Error(answer)
		}
	})
	if taken > 2*daemon.MinMemoryLimit {
		t.Errorf("a blob that inflates to 1 GiB takes %d bytes", taken)
	}
}

// packedZeros is a gzip file of zeros, size bytes in members of 1 MiB: to compress 1 GiB takes minutes under the race
// detector.
func packedZeros(t *testing.T, size int64) []byte {
	t.Helper()
	const member = 1 << 20
	var packed bytes.Buffer
	writer := gzip.NewWriter(&packed)
	if _, err := io.Copy(writer, endless(member)); err != nil || writer.Close() != nil {
		t.Fatal(err)
	}
	return bytes.Repeat(packed.Bytes(), int(size/member))
}

func TestAStableMemoryThatIsLargerThanTheMemoryIsSentInPieces(t *testing.T) {
	a := servedWithin(t, daemon.MinMemoryLimit)
	a.world()
	a.ask(`POST /instances/0/update/add_cycles {"canister_id":"${FIRST}","amount":1000000000000000000}`)
	a.run("GROW")
	response, err := http.Post(a.url+"/instances/0/read/get_stable_memory", "application/json", strings.NewReader(`{"canister_id":"`+a.given["FIRST"]+`"}`))
	if err != nil {
		t.Fatal(err)
	}
	head := make([]byte, 4<<20)
	_, err = io.ReadFull(response.Body, head)
	_ = response.Body.Close()
	const whole = 400 << 30
	if want := int64(len(`{"blob":""}`) + (whole+2)/3*4); err != nil || response.ContentLength != want || strings.Trim(string(head[len(`{"blob":"`):]), "A") != "" {
		t.Errorf("400 GiB are sent as %d bytes, want %d: %.50s (%v)", response.ContentLength, want, head, err)
	}
	if answer := a.ask("GET /instances"); answer != `200 ["Available"]` {
		t.Errorf("then the instances are %s", answer)
	}
}

// run makes an update call that replies.
func (a *api) run(payload string) {
	a.Helper()
	if answer := a.call(payload); !strings.HasPrefix(answer, `200 {"Ok"`) {
		a.Fatal(answer)
	}
}
