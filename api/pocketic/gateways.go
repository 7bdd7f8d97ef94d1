package pocketic

import (
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
)

// gatewayConfig is what a client wants of an HTTP gateway.
type gatewayConfig struct {
	Address *string  `json:"ip_addr"`
	Port    *uint16  `json:"port"`
	Domains []string `json:"domains"`
	HTTPS   any      `json:"https_config"`
	Forward struct {
		Instance *int    `json:"PocketIcInstance"`
		Replica  *string `json:"Replica"`
	} `json:"forward_to"`
}

// gateway is a listener of its own for one instance. It serves the HTTP interface of the Internet
// Computer, and not yet what canisters answer to browsers.
type gateway struct {
	number  int
	port    int
	config  gatewayConfig
	stop    func()
	stopped bool
}

// gatewayDetails describes a gateway.
type gatewayDetails struct {
	InstanceID int            `json:"instance_id"` // the gateway's number
	Port       int            `json:"port"`
	Forward    map[string]int `json:"forward_to"`
	Domains    []string       `json:"domains"`
	HTTPS      any            `json:"https_config"`
}

// gatewayInfo is the answer to a new gateway.
type gatewayInfo struct {
	InstanceID int `json:"instance_id"`
	Port       int `json:"port"`
}

// gateways are the gateways of all instances, by number.
type gateways struct {
	mu  sync.Mutex
	all []*gateway
}

// listGateways is GET /http_gateway.
func (s *Server) listGateways(w http.ResponseWriter, _ *http.Request) {
	s.gateways.mu.Lock()
	defer s.gateways.mu.Unlock()
	shown := []gatewayDetails{}
	for _, g := range s.gateways.all {
		if !g.stopped {
			shown = append(shown, gatewayDetails{g.number, g.port, map[string]int{"PocketIcInstance": *g.config.Forward.Instance}, g.config.Domains, nil})
		}
	}
	respond(w, http.StatusOK, shown)
}

// createGateway is POST /http_gateway.
func (s *Server) createGateway(w http.ResponseWriter, r *http.Request) {
	g, err := s.openGateway(r)
	if err != nil {
		_, text := failureOf(err)
		respond(w, http.StatusBadGateway, map[string]message{"Error": {text}})
		return
	}
	respond(w, http.StatusCreated, map[string]gatewayInfo{"Created": {g.number, g.port}})
}

func (s *Server) openGateway(r *http.Request) (*gateway, error) {
	body, err := readBody(r)
	if err != nil {
		return nil, err
	}
	var config gatewayConfig
	if err := decode(body, &config); err != nil {
		return nil, err
	}
	switch {
	case config.Forward.Instance == nil:
		return nil, failed("canisterd has gateways for its own instances only: forward_to must be PocketIcInstance")
	case config.HTTPS != nil:
		return nil, failed("canisterd has no HTTPS gateway yet: leave https_config out")
	}
	e, err := s.numbered(*config.Forward.Instance)
	if err != nil {
		return nil, err
	}
	address, port := "127.0.0.1", 0
	if config.Address != nil {
		address = *config.Address
	}
	if config.Port != nil {
		port = int(*config.Port)
	}
	g := &gateway{config: config}
	at := net.JoinHostPort(address, strconv.Itoa(port))
	if g.port, g.stop, err = s.host.Listen(at, e.gatewayHandler(s)); err != nil {
		return nil, failed("Failed to bind to address %s: %v", at, err)
	}
	s.gateways.mu.Lock()
	defer s.gateways.mu.Unlock()
	g.number = len(s.gateways.all)
	s.gateways.all = append(s.gateways.all, g)
	return g, nil
}

// noPages is for browsers that ask a gateway for what a canister serves.
const noPages = "canisterd serves no pages of canisters here yet: this address has the HTTP interface of the Internet Computer, /api/v2/status and the like\n"

// gatewayHandler is what a gateway serves of an instance.
func (e *entry) gatewayHandler(s *Server) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.begin()
		defer s.over()
		switch {
		case e.ctx.Err() != nil:
			http.Error(w, "Instance was deleted", http.StatusBadGateway)
		case strings.HasPrefix(r.URL.Path, "/api/"):
			e.instance.API().ServeHTTP(w, r)
		case r.Method == http.MethodGet && r.URL.Path == "/_/topology":
			respond(w, http.StatusOK, e.topology)
		default:
			w.Header().Set("Content-Type", "text/plain; charset=utf-8")
			w.WriteHeader(http.StatusNotImplemented)
			_, _ = fmt.Fprint(w, noPages)
		}
	})
}

// stopGateway is POST /http_gateway/{gateway}/stop.
func (s *Server) stopGateway(w http.ResponseWriter, r *http.Request) {
	if number, err := strconv.Atoi(r.PathValue("gateway")); err == nil {
		s.closeGateways(func(g *gateway) bool { return g.number == number })
	}
	respond(w, http.StatusOK, nil)
}

// closeGateways stops some gateways.
func (s *Server) closeGateways(which func(*gateway) bool) {
	s.gateways.mu.Lock()
	defer s.gateways.mu.Unlock()
	for _, g := range s.gateways.all {
		if !g.stopped && which(g) {
			g.stopped = true
			g.stop()
		}
	}
}
