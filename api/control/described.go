package control

import (
	_ "embed"
	"fmt"
	"sync"

	"google.golang.org/grpc"
	"google.golang.org/grpc/reflection"
	reflectionv1 "google.golang.org/grpc/reflection/grpc_reflection_v1"
	reflectionv1alpha "google.golang.org/grpc/reflection/grpc_reflection_v1alpha"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
)

// describedFiles are the .proto files of the control API with their comments, 0.1 MB (make proto). The generated Go
// code omits the comments.
//
//go:embed described.binpb
var describedFiles []byte

// describedTypes finds the descriptors for reflection: those of the control API with their comments, for clients such
// as grpcurl, and others without.
type describedTypes struct{ files func() *protoregistry.Files }

// registerReflection serves the descriptors of all services. They are read on the first request.
func registerReflection(s *grpc.Server) {
	options := reflection.ServerOptions{Services: s, DescriptorResolver: describedTypes{sync.OnceValue(readDescribed)}}
	reflectionv1.RegisterServerReflectionServer(s, reflection.NewServerV1(options))
	reflectionv1alpha.RegisterServerReflectionServer(s, reflection.NewServer(options))
}

// readDescribed reads the embedded files; each comes after those that it imports.
func readDescribed() *protoregistry.Files {
	var set descriptorpb.FileDescriptorSet
	files := new(protoregistry.Files)
	if err := proto.Unmarshal(describedFiles, &set); err != nil {
		panic(fmt.Sprintf("described.binpb is damaged: %v", err))
	}
	for _, f := range set.GetFile() {
		file, err := protodesc.NewFile(f, describedTypes{func() *protoregistry.Files { return files }})
		if err == nil {
			err = files.RegisterFile(file)
		}
		if err != nil {
			panic(fmt.Sprintf("described.binpb: %s: %v", f.GetName(), err))
		}
	}
	return files
}

// FindFileByPath finds a .proto file.
func (d describedTypes) FindFileByPath(path string) (protoreflect.FileDescriptor, error) {
	if file, err := d.files().FindFileByPath(path); err == nil {
		return file, nil
	}
	return protoregistry.GlobalFiles.FindFileByPath(path)
}

// FindDescriptorByName finds a service, method, message or enumeration.
func (d describedTypes) FindDescriptorByName(name protoreflect.FullName) (protoreflect.Descriptor, error) {
	if found, err := d.files().FindDescriptorByName(name); err == nil {
		return found, nil
	}
	return protoregistry.GlobalFiles.FindDescriptorByName(name)
}
