package pocketic

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/canisterd/canisterd/api"
	pages "github.com/canisterd/canisterd/api/gateway"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/driver"
	"github.com/canisterd/canisterd/replica/introspect"
)

// gatewayConfig is a client's configuration of an HTTP gateway.
type gatewayConfig struct {
	Address     *string  `json:"ip_addr"`
	Port        *uint16  `json:"port"`
	Domains     []string `json:"domains"`
	DomainsFile *string  `json:"domain_custom_provider_local_file"`
	HTTPS       *KeyPair `json:"https_config"`
	Forward     struct {
		Instance *int    `json:"PocketIcInstance"`
		Replica  *string `json:"Replica"`
	} `json:"forward_to"`
}

// gateway is a listener for one instance.
type gateway struct {
	number int
	port   int
	config gatewayConfig
	stop   func()

	instance atomic.Pointer[entry] // nil until it is made
	pages    *pages.Gateway
}

// gatewayDetails describes a gateway.
type gatewayDetails struct {
	InstanceID int            `json:"instance_id"` // the gateway's number
	Port       int            `json:"port"`
	Forward    map[string]int `json:"forward_to"`
	Domains    []string       `json:"domains"`
	HTTPS      *KeyPair       `json:"https_config"`
}

// gatewayInfo is the answer to a new gateway.
type gatewayInfo struct {
	InstanceID int `json:"instance_id"`
	Port       int `json:"port"`
}

// gateways holds the gateways of all instances, by number; nil for stopped ones.
type gateways struct {
	mu  sync.Mutex // guards all
	all []*gateway
}

// listGateways serves GET /http_gateway.
func (s *Server) listGateways(w http.ResponseWriter, _ *http.Request) {
	s.gateways.mu.Lock()
	defer s.gateways.mu.Unlock()
	shown := []gatewayDetails{}
	for _, g := range s.gateways.all {
		if g != nil {
			shown = append(shown, gatewayDetails{g.number, g.port, map[string]int{"PocketIcInstance": *g.config.Forward.Instance}, g.config.Domains, g.config.HTTPS})
		}
	}
	respond(w, http.StatusOK, shown)
}

// createGateway serves POST /http_gateway.
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
	memory := s.memory.NewReservation()
	defer memory.Release()
	body, err := s.readBody(r, maxConfigBytes, memory)
	if err != nil {
		return nil, err
	}
	var config gatewayConfig
	if err := decode(body, &config); err != nil {
		return nil, err
	}
	if config.Forward.Instance == nil {
		return nil, failed("canisterd has gateways for its own instances only: forward_to must be PocketIcInstance")
	}
	e, err := s.numbered(*config.Forward.Instance)
	if err != nil {
		return nil, err
	}
	g, err := s.bindGateway(config)
	if err != nil {
		return nil, err
	}
	return g, s.startGateway(g, e)
}

// bindGateway listens at the address of a gateway, whose instance may not be made yet.
func (s *Server) bindGateway(config gatewayConfig) (*gateway, error) {
	address, port := "127.0.0.1", 0
	if config.Address != nil {
		address = *config.Address
	}
	if config.Port != nil {
		port = int(*config.Port)
	}
	g := &gateway{config: config}
	file := ""
	if config.DomainsFile != nil {
		file = *config.DomainsFile
	}
	g.pages = pages.New(g, pages.Config{Domains: config.Domains, DomainsFile: file, Memory: s.pages, Log: s.log})
	at := Listener{Address: net.JoinHostPort(address, strconv.Itoa(port)), TLS: config.HTTPS}
	var err error
	if g.port, g.stop, err = s.host.Listen(&at, s.gatewayHandler(g)); err != nil {
		if unusable, ok := errors.AsType[*KeyPairError](err); ok {
			return nil, failed("TLS config could not be created: %v", unusable)
		}
		return nil, failed("Failed to bind to address %s: %v", at.Address, err)
	}
	return g, nil
}

// startGateway serves an instance at a gateway and numbers the gateway.
func (s *Server) startGateway(g *gateway, e *entry) error {
	s.gateways.mu.Lock()
	defer s.gateways.mu.Unlock()
	if e.ctx.Err() != nil {
		g.stop()
		return update("Instance was deleted")
	}
	number := e.number
	g.config.Forward.Instance = &number
	g.instance.Store(e)
	g.number = len(s.gateways.all)
	s.gateways.all = append(s.gateways.all, g)
	return nil
}

// gatewayHandler returns the handler for a gateway's instance.
func (s *Server) gatewayHandler(g *gateway) http.Handler {
	return s.counted(func(w http.ResponseWriter, r *http.Request) {
		switch e := g.instance.Load(); {
		case e == nil:
			http.Error(w, "The instance is not made yet", http.StatusBadGateway)
		case e.ctx.Err() != nil:
			http.Error(w, "Instance was deleted", http.StatusBadGateway)
		default:
			g.pages.ServeHTTP(w, r)
		}
	})
}

// Network returns the instance of the gateway, by its name or as the only one.
func (g *gateway) Network(name string) pages.Network {
	e := g.instance.Load()
	if e == nil || name != "" && name != e.instance.Name() {
		return nil
	}
	return page{e}
}

// Networks returns the instance of the gateway.
func (g *gateway) Networks() []pages.Network { return []pages.Network{page{g.instance.Load()}} }

// page gives the gateway package an instance.
type page struct{ *entry }

// Name returns the name of the instance.
func (p page) Name() string { return p.instance.Name() }

// Backend answers calls.
func (p page) Backend() api.Backend { return p.instance.Backend() }

// API returns the HTTP interface of the Internet Computer.
func (p page) API() http.Handler { return p.signedInterface() }

// Topology returns the subnets of the instance.
func (p page) Topology() any { return p.shown() }

// Canisters returns up to most canisters, ordered by id.
func (p page) Canisters(ctx context.Context, most int) ([]pages.Canister, error) {
	reports, err := driver.ReadValue(ctx, p.entry.instance.Driver(), func(n *replica.Network) []introspect.CanisterReport {
		return n.Introspect().Reports(principal.Management, most)
	})
	return pages.Describe(reports), err
}

// Canister returns one canister.
func (p page) Canister(ctx context.Context, id principal.Principal) (pages.Canister, bool, error) {
	report, err := p.report(ctx, id)
	if err != nil || report == nil {
		return pages.Canister{}, false, err
	}
	return pages.Describe([]introspect.CanisterReport{*report})[0], true, nil
}

// stopGateway serves POST /http_gateway/{gateway}/stop.
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
	for i, g := range s.gateways.all {
		if g != nil && which(g) {
			s.gateways.all[i] = nil
			g.stop()
		}
	}
}
