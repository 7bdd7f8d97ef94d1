package inspect

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/canisterd/canisterd/candid/did"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

const payInterface = `service : { pay : (record { amount : nat }) -> (variant { ok }) }`

// typedControl knows the interface of one canister.
type typedControl struct{ grpc.ClientConnInterface }

func (typedControl) Invoke(_ context.Context, _ string, in, out any, _ ...grpc.CallOption) error {
	if in.(*controlv1.GetInterfaceRequest).GetCanisterId() != "typed" {
		return status.Error(codes.NotFound, "no interface")
	}
	proto.Merge(out.(proto.Message), &controlv1.GetInterfaceResponse{Candid: payInterface})
	return nil
}

func TestAHeldMessageIsShownWithTheTypesOfItsMethod(t *testing.T) {
	file, err := did.Parse(payInterface)
	if err != nil {
		t.Fatal(err)
	}
	pay, _ := file.Method("pay")
	argument, err := pay.EncodeArgs("(record { amount = 7 })")
	if err != nil {
		t.Fatal(err)
	}
	ask := func(method, body, kind string) *httptest.ResponseRecorder {
		r := request(method, Path+"values", body)
		r.Header.Set("Content-Type", kind)
		w := httptest.NewRecorder()
		New(Config{Control: typedControl{}, Token: secret}).ServeHTTP(w, r)
		return w
	}
	for _, row := range []struct {
		canister, method string
		bytes            []byte
		status           int
		want             string
	}{
		{"typed", "pay", argument, 200, "amount = 7"},
		{"typed", "other", argument, 200, "7"},
		{"other", "pay", argument, 200, "7"},
		{"typed", "pay", []byte("nothing"), 400, "not Candid"},
	} {
		body, err := json.Marshal(message{Canister: row.canister, Method: row.method, Bytes: row.bytes})
		if err != nil {
			t.Fatal(err)
		}
		if w := ask(http.MethodPost, string(body), unaryType); w.Code != row.status || !strings.Contains(w.Body.String(), row.want) {
			t.Errorf("%s.%s of %x: %d %s", row.canister, row.method, row.bytes, w.Code, w.Body)
		}
	}
	for _, w := range []*httptest.ResponseRecorder{ask(http.MethodGet, "", unaryType), ask(http.MethodPost, "{}", "text/plain"), ask(http.MethodPost, "nothing", unaryType)} {
		if w.Code < 400 {
			t.Errorf("status %d", w.Code)
		}
	}
}
