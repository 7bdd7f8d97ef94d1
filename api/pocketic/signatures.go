package pocketic

import (
	"net/http"

	"github.com/canisterd/canisterd/api/internal/wire"
)

// rawSignature is a signature by a canister: the keys in DER form.
type rawSignature struct {
	Message       []byte `json:"msg"`
	Signature     []byte `json:"sig"`
	PublicKey     []byte `json:"pubkey"`
	RootPublicKey []byte `json:"root_pubkey"`
}

// verifySignature serves POST /verify_signature.
func (s *Server) verifySignature(w http.ResponseWriter, r *http.Request) {
	memory := s.memory.NewReservation()
	defer memory.Release()
	body, err := s.readBody(r, maxConfigBytes, memory)
	var in rawSignature
	if err == nil {
		err = decode(body, &in)
	}
	if err != nil {
		refuse(w, err)
		return
	}
	trust, err := wire.NewTrust(in.RootPublicKey)
	if err != nil {
		unverified(w, http.StatusBadRequest, "Failed to parse DER encoded root public key: "+err.Error())
		return
	}
	key, err := wire.ParseCanisterKey(in.PublicKey)
	if err != nil {
		unverified(w, http.StatusBadRequest, "Failed to parse DER encoded public key: "+err.Error())
		return
	}
	if err := key.Verify(trust, in.Message, in.Signature); err != nil {
		unverified(w, http.StatusNotAcceptable, "Canister signature verification failed: "+err.Error())
		return
	}
	respond(w, http.StatusOK, map[string]any{"Ok": nil})
}

func unverified(w http.ResponseWriter, status int, text string) {
	respond(w, status, map[string]string{"Err": text})
}
