package pocketic

import (
	"maps"
	"net/http"
	"slices"
	"strings"
)

// operationRoutes returns the routes that run alone on an instance, by their paths under /instances/{id}.
func (s *Server) operationRoutes() map[string]operation {
	return map[string]operation{
		"GET read/get_time":                       s.getTime,
		"GET read/get_canister_http":              s.getOutcalls,
		"POST read/query":                         s.query,
		"POST read/get_cycles":                    s.getCycles,
		"POST read/get_controllers":               s.getControllers,
		"POST read/get_stable_memory":             s.getStableMemory,
		"POST read/get_subnet":                    s.getSubnet,
		"POST read/pub_key":                       s.getPublicKey,
		"POST read/ingress_status":                s.ingressStatus,
		"POST update/submit_ingress_message":      s.submitIngress,
		"POST update/await_ingress_message":       s.awaitIngress,
		"POST update/set_time":                    s.setTime,
		"POST update/set_certified_time":          s.setCertifiedTime,
		"POST update/add_cycles":                  s.addCycles,
		"POST update/set_stable_memory":           s.setStableMemory,
		"POST update/canister_snapshot_download":  s.downloadSnapshot,
		"POST update/canister_snapshot_upload":    s.uploadSnapshot,
		"POST update/delete_subnet":               s.deleteSubnet,
		"POST update/tick":                        s.tick,
		"POST update/mock_canister_http":          s.mockOutcall,
		"POST update/mock_flexible_canister_http": s.mockFlexible,
		"GET auto_progress":                       s.isAutoProgress,
		"POST auto_progress":                      s.autoProgress,
		"POST stop_progress":                      s.stopProgress,
	}
}

// touchesDisk has the operations that read or write files, and the one that deletes a subnet.
var touchesDisk = map[string]bool{
	"update/canister_snapshot_download": true, "update/canister_snapshot_upload": true, "update/delete_subnet": true,
}

// otherRoutes returns the routes that do not wait.
func (s *Server) otherRoutes() map[string]http.HandlerFunc {
	return map[string]http.HandlerFunc{
		"GET /status":                               func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) },
		"GET /api.json":                             s.describe,
		"POST /blobstore":                           s.putBlob,
		"GET /blobstore/{hex}":                      s.getBlob,
		"POST /verify_signature":                    s.verifySignature,
		"GET /read_graph/{label}/{op}":              s.readGraph,
		"DELETE /prune_graph/{label}/{op}":          s.pruneGraph,
		"GET /instances":                            s.listInstances,
		"POST /instances":                           wantsJSON(s.createInstance),
		"DELETE /instances/{id}":                    s.deleteInstance,
		"GET /instances/{id}/read/topology":         s.getTopology,
		"GET /instances/{id}/_/topology":            s.getTopology,
		"GET /instances/{id}/_/dashboard":           s.getDashboard,
		"GET /instances/{id}/_/canister/{canister}": s.getCanister,
		"/instances/{id}/api/{path...}":             s.serveAPI,
		"POST /instances/{id}/canisterd/{rpc}":      s.askControl,
		"/canisterd/fork_of/{source}/{path...}":     s.serveFork,
		"GET /http_gateway":                         s.listGateways,
		"POST /http_gateway":                        wantsJSON(s.createGateway),
		"POST /http_gateway/{gateway}/stop":         wantsJSON(s.stopGateway),
	}
}

// table makes the routes.
func (s *Server) table() *http.ServeMux {
	mux := http.NewServeMux()
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNotFound) })
	for pattern, handler := range s.otherRoutes() {
		mux.HandleFunc(pattern, s.counted(handler))
	}
	for route, do := range s.operationRoutes() {
		method, path := split(route)
		handler := s.perform(path, do)
		if touchesDisk[path] {
			handler = wantsJSON(handler)
		}
		mux.HandleFunc(method+" /instances/{id}/"+path, s.counted(handler))
	}
	return mux
}

// Routes returns all routes as a method and a path, sorted.
func Routes() []string {
	s := new(Server)
	all := slices.Collect(maps.Keys(s.otherRoutes()))
	for route := range s.operationRoutes() {
		method, path := split(route)
		all = append(all, method+" /instances/{id}/"+path)
	}
	slices.Sort(all)
	return all
}

// describe serves GET /api.json: the routes as an OpenAPI document.
func (s *Server) describe(w http.ResponseWriter, _ *http.Request) {
	paths := make(map[string]map[string]any)
	for _, route := range Routes() {
		method, path := split(route)
		if path == "" {
			continue // for all methods
		}
		if paths[path] == nil {
			paths[path] = make(map[string]any)
		}
		paths[path][strings.ToLower(method)] = map[string]any{"responses": map[string]any{"200": map[string]string{"description": "done"}}}
	}
	respond(w, http.StatusOK, map[string]any{
		"openapi": "3.1.0", "info": map[string]string{"title": "PocketIC server of canisterd", "version": "16"}, "paths": paths,
	})
}

// split returns the method and the path of a route; path is empty if it has no method.
func split(route string) (method, path string) {
	method, path, _ = strings.Cut(route, " ")
	return method, path
}
