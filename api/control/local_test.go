package control

import (
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

func TestAClientInThisProcessNeedsTheToken(t *testing.T) {
	s := New(nil, Options{Token: "secret"})
	for token, refused := range map[string]bool{"secret": false, "wrong": true, "": true} {
		listener, connection, err := Local(token)
		if err != nil {
			t.Fatal(err)
		}
		done := make(chan error, 1)
		go func() { done <- s.Serve(listener) }()
		_, err = controlv1.NewExplorerClient(connection).AnswerQuestions(t.Context(), &controlv1.AnswerQuestionsRequest{})
		if got := status.Code(err) == codes.Unauthenticated; got != refused {
			t.Errorf("with the token %q: %v", token, err)
		}
		if err := connection.Close(); err != nil {
			t.Error(err)
		}
		if err := listener.Close(); err != nil {
			t.Error(err)
		}
		<-done
	}
	s.Close(t.Context())
}
