package control

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// asked is an RPC that Ask answers.
type asked struct {
	service any
	handler grpc.MethodHandler
}

// askedRPCs returns the RPCs that Ask answers, by their names in snake case: those about one instance and its
// snapshots. Other interfaces have their own calls to create and delete instances, to set the pacing, and to call
// canisters. RPCs that write to folders or listen at addresses are only in the control API.
func (s *Server) askedRPCs() map[string]asked {
	all := make(map[string]asked)
	for _, service := range []struct {
		description *grpc.ServiceDesc
		methods     []string // none: all
		server      any
	}{
		{&controlv1.Messages_ServiceDesc, nil, &messages{Server: s}},
		{&controlv1.Events_ServiceDesc, nil, &events{Server: s}},
		{&controlv1.Clock_ServiceDesc, []string{"AdvanceTime", "RunUntil", "ListMoves", "StepMessage"}, &clock{Server: s}},
		{&controlv1.Instances_ServiceDesc, []string{"TakeSnapshot", "ListSnapshots", "DeleteSnapshot", "RestoreSnapshot"}, &instances{Server: s}},
		{&controlv1.Profiler_ServiceDesc, nil, &profiler{Server: s}},
		{&controlv1.Coverage_ServiceDesc, nil, &coverages{Server: s}},
		{&controlv1.Explorer_ServiceDesc, []string{"ReplaySchedule"}, &explorer{Server: s}},
	} {
		for _, method := range service.description.Methods {
			if service.methods == nil || slices.Contains(service.methods, method.MethodName) {
				all[snakeCase(method.MethodName)] = asked{service.server, method.Handler}
			}
		}
	}
	all["explore"] = asked{&explorer{Server: s}, exploreUnary}
	return all
}

// exploreUnary is the handler of Explore as a unary RPC, which answers with the report. It has the form of generated
// handlers.
func exploreUnary(server any, ctx context.Context, decode func(any) error, guard grpc.UnaryServerInterceptor) (any, error) { //nolint:revive // grpc.MethodHandler has this form
	in := new(controlv1.ExploreRequest)
	if err := decode(in); err != nil {
		return nil, err
	}
	info := &grpc.UnaryServerInfo{Server: server, FullMethod: controlv1.Explorer_Explore_FullMethodName}
	return guard(ctx, in, info, func(ctx context.Context, in any) (any, error) {
		return server.(*explorer).exploreUnary(ctx, in.(*controlv1.ExploreRequest))
	})
}

// snakeCase returns the name of an RPC in snake case: add_rule for AddRule.
func snakeCase(name string) string {
	var out strings.Builder
	for i, r := range name {
		if i > 0 && 'A' <= r && r <= 'Z' {
			out.WriteByte('_')
		}
		out.WriteRune(r)
	}
	return strings.ToLower(out.String())
}

// Ask makes a unary RPC for programs without gRPC. Explore answers with its report. The name is in snake case; request
// and answer are JSON with the field names of the .proto files (ProtoJSON). instance replaces the instance of the
// request. known is false for a name that is not offered; an error is an *Error, or a context error.
func (s *Server) Ask(ctx context.Context, name, instance string, request []byte) (answer []byte, known bool, err error) {
	rpc, known := s.askedRPCs()[name]
	if !known {
		return nil, false, nil
	}
	out, err := rpc.handler(rpc.service, ctx, func(in any) error { return readAsked(in.(proto.Message), instance, request) }, s.guardUnary)
	if err != nil {
		return nil, true, err
	}
	written, err := protojson.MarshalOptions{UseProtoNames: true, EmitDefaultValues: true}.Marshal(out.(proto.Message))
	if err != nil {
		return nil, true, Unexpected.Refuse(err)
	}
	// protojson varies its spaces from build to build.
	var compact bytes.Buffer
	if err := json.Compact(&compact, written); err != nil {
		return nil, true, Unexpected.Refuse(err)
	}
	return compact.Bytes(), true, nil
}

// readAsked decodes a request and sets its instance. Empty JSON is an empty request.
func readAsked(in proto.Message, instance string, request []byte) error {
	if len(bytes.TrimSpace(request)) > 0 {
		if err := protojson.Unmarshal(request, in); err != nil {
			// protojson writes one of two kinds of spaces, depending on the build.
			text := strings.TrimPrefix(strings.ReplaceAll(err.Error(), "\u00a0", " "), "proto: ")
			return BadField.Refuse("body", quoted(string(request)), text)
		}
	}
	message := in.ProtoReflect()
	message.Set(message.Descriptor().Fields().ByName("instance"), protoreflect.ValueOfString(instance))
	return nil
}
