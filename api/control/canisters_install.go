package control

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strconv"

	"google.golang.org/grpc"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/did"
	"github.com/canisterd/canisterd/candid/management"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/internal/budget"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
	"github.com/canisterd/canisterd/replica"
)

// InstallCode installs a module that arrives in chunks.
func (s *canisters) InstallCode(stream grpc.ClientStreamingServer[controlv1.InstallCodeRequest, controlv1.InstallCodeResponse]) error {
	first, err := stream.Recv()
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	head := first.GetHead()
	if head == nil {
		return uploadBroken.Refuse("the first message has no head, which says what is installed and how")
	}
	ctx := stream.Context()
	c, err := s.subject(ctx, head.GetInstance(), head.GetCanisterId())
	if err != nil {
		return err
	}
	o := &preparedCall{instance: c.instance, effective: c.id, method: "install_code", anySize: true}
	if head.GetSender() == "" {
		o.sender, err = c.controller()
	} else {
		o.sender, err = requiredPrincipal("head.sender", head.GetSender())
	}
	if err != nil {
		return err
	}
	arg := management.Install{Canister: c.id}
	mode, err := modeOf(head, c.report.Module == nil, &arg.Mode)
	if err != nil {
		return err
	}
	features, err := canister.FeaturesOf(head.GetFeatures())
	if err != nil {
		return BadField.Refuse("head.features", fmt.Sprintf("%.50q", head.GetFeatures()), err.Error())
	}
	hash := head.GetModuleHash()
	if n := len(hash); n != 0 && n != sha256.Size {
		return BadField.Refuse("head.module_hash", hex.EncodeToString(hash), fmt.Sprintf("a hash has %d bytes", sha256.Size))
	}
	files, err := upload(stream, len(hash) > 0)
	if err != nil {
		return err
	}
	held := s.open.memory.NewReservation()
	defer held.Release()
	if len(hash) > 0 {
		if files.module, err = s.moduleByHash(hash, held); err != nil {
			return err
		}
	}
	if head.GetOnlyDebugInfo() {
		return c.addDebugInfo(files, stream)
	}
	if arg.Module = files.module; files.HasDebugInfo() {
		if err := c.instance.Driver().AddDebugInfo(arg.Module, files.DebugInfo); err != nil {
			return debugInfoBad.Refuse(err)
		}
	}
	if arg.Mode.Upgrade != nil && head.KeepMainMemory == nil && c.keeps(arg.Module) {
		(*arg.Mode.Upgrade).Persistence = &management.Persistence{Keep: new(candid.Null)}
	}
	if arg.Arg, err = initialArgument(head.GetArgument(), arg.Module); err != nil {
		return err
	}
	if features != 0 {
		if err := c.setFeatures(ctx, features); err != nil {
			return err
		}
	}
	a, err := manage(ctx, o, arg)
	if err != nil {
		return err
	}
	return stream.SendAndClose(&controlv1.InstallCodeResponse{ModuleHash: hashOf(c.instance.Driver().Module(c.id)), Mode: mode, Instructions: a.Instructions})
}

// moduleByHash returns the module that an installation names instead of sending it. Its bytes are held until the installation
// ends.
func (s *canisters) moduleByHash(hash []byte, held *budget.Reservation) ([]byte, error) {
	module, err := s.registry.ModuleByHash([sha256.Size]byte(hash), held.Grow)
	if err == nil && module == nil {
		err = moduleUnknown.Refuse(hex.EncodeToString(hash))
	}
	return module, err
}

// addDebugInfo hands in debug information for the module that the canister has.
func (c *subject) addDebugInfo(files *uploaded, stream grpc.ClientStreamingServer[controlv1.InstallCodeRequest, controlv1.InstallCodeResponse]) error {
	if hash := sha256.Sum256(files.module); c.report.Module == nil || hash != c.report.Module.Hash() {
		return moduleNotInstalled.Refuse(c.id, hex.EncodeToString(hash[:]))
	}
	if err := c.instance.Driver().AddDebugInfo(files.module, files.DebugInfo); err != nil {
		return debugInfoBad.Refuse(err)
	}
	if err := c.instance.Driver().WarmModule(stream.Context(), files.module); err != nil {
		return err
	}
	return stream.SendAndClose(&controlv1.InstallCodeResponse{ModuleHash: hashOf(c.report.Module)})
}

// setFeatures sets the features of the canister.
func (c *subject) setFeatures(ctx context.Context, features canister.Features) error {
	refused, err := c.apply(ctx, replica.SetFeatures{Canister: c.id, Features: features})
	if err == nil && refused != nil {
		return canisterUnknown.Refuse(c.id)
	}
	return err
}

// modeOf parses the mode of an installation.
func modeOf(head *controlv1.InstallHead, empty bool, out *management.InstallMode) (controlv1.InstallMode, error) {
	mode := head.GetMode()
	if mode == controlv1.InstallMode_INSTALL_MODE_UNSPECIFIED {
		if mode = controlv1.InstallMode_INSTALL_MODE_UPGRADE; empty {
			mode = controlv1.InstallMode_INSTALL_MODE_INSTALL
		}
	}
	switch mode {
	case controlv1.InstallMode_INSTALL_MODE_INSTALL:
		out.Install = new(candid.Null)
	case controlv1.InstallMode_INSTALL_MODE_REINSTALL:
		out.Reinstall = new(candid.Null)
	case controlv1.InstallMode_INSTALL_MODE_UPGRADE:
		options := &management.UpgradeOptions{}
		if head.GetSkipPreUpgrade() {
			options.SkipPreUpgrade = &head.SkipPreUpgrade
		}
		if head.KeepMainMemory != nil {
			options.Persistence = &management.Persistence{Replace: new(candid.Null)}
			if head.GetKeepMainMemory() {
				options.Persistence = &management.Persistence{Keep: new(candid.Null)}
			}
		}
		out.Upgrade = &options
		return mode, nil
	default:
		return mode, BadField.Refuse("head.mode", strconv.Itoa(int(mode)), "expected install, reinstall or upgrade")
	}
	if head.GetSkipPreUpgrade() || head.KeepMainMemory != nil {
		return mode, BadField.Refuse("head.mode", mode, "skip_pre_upgrade and keep_main_memory are for upgrades")
	}
	return mode, nil
}

// keepSection is the metadata of modules whose main memory survives upgrades.
const keepSection = "enhanced-orthogonal-persistence"

// keeps reports whether an upgrade to a module keeps the canister's main memory: if both request it.
func (c *subject) keeps(module []byte) bool {
	if c.report.Module == nil {
		return false
	}
	if _, ok := c.report.Module.Section(keepSection); !ok {
		return false
	}
	_, ok := did.Section(module, keepSection, canister.MaxModuleBytes)
	return ok
}

// uploaded are the files of an installation.
type uploaded struct {
	module []byte
	canister.DebugInfo
}

// upload reads the bytes of a module, unless it is known by its hash, and of its debug information.
func upload(stream grpc.ClientStreamingServer[controlv1.InstallCodeRequest, controlv1.InstallCodeResponse], known bool) (*uploaded, error) {
	module := atMost("a module", canister.MaxModuleBytes)
	if known {
		module = pieces{refusal: "the head has module_hash, and chunks of a module follow: send one of the two"}
	}
	sourceMap, debugFile := atMost("a source map", canister.MaxSourceMapBytes), atMost("a debug file", canister.MaxDebugFileBytes)
	for {
		in, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return &uploaded{module.join(), canister.DebugInfo{SourceMap: sourceMap.join(), DebugFile: debugFile.join()}}, nil
		}
		if err != nil {
			return nil, err
		}
		var file *pieces
		var piece []byte
		switch part := in.GetPart().(type) {
		case *controlv1.InstallCodeRequest_Chunk:
			file, piece = &module, part.Chunk
		case *controlv1.InstallCodeRequest_SourceMap:
			file, piece = &sourceMap, part.SourceMap
		case *controlv1.InstallCodeRequest_DebugFile:
			file, piece = &debugFile, part.DebugFile
		default:
			return nil, uploadBroken.Refuse("a message after the first has no chunk")
		}
		if !file.add(piece) {
			return nil, uploadBroken.Refuse(file.refusal)
		}
	}
}

// pieces are the chunks of a file.
type pieces struct {
	all        [][]byte
	size, most int
	refusal    string // of a larger file
}

// atMost is an empty file with a limit in bytes.
func atMost(what string, most int) pieces {
	return pieces{most: most, refusal: fmt.Sprintf("%s has at most %d bytes", what, most)}
}

// add adds a chunk, and reports whether the file is not too large.
func (p *pieces) add(chunk []byte) bool {
	p.all = append(p.all, chunk)
	p.size += len(chunk)
	return p.size <= p.most
}

// join returns the file, nil if it has no chunk.
func (p *pieces) join() []byte {
	switch len(p.all) {
	case 0:
		return nil
	case 1:
		return p.all[0]
	}
	return bytes.Join(p.all, nil)
}

// initialArgument returns the argument of canister_init or canister_post_upgrade. Text and JSON are read by the
// interface of the module.
func initialArgument(v *controlv1.Value, module []byte) ([]byte, error) {
	const of = "the installation"
	switch form := v.GetForm().(type) {
	case *controlv1.Value_Bytes:
		return form.Bytes, nil
	case *controlv1.Value_Text:
		file, err := did.FromModule(module, canister.MaxModuleBytes)
		args, typed := initOf(file)
		if err != nil || !typed {
			raw, err := untyped(form.Text)
			return raw, refuseArgument(of, "", err)
		}
		raw, err := file.EncodeInit(form.Text)
		return raw, refuseArgument(of, did.FormatTypes(args), err)
	case *controlv1.Value_Json:
		file, err := did.FromModule(module, canister.MaxModuleBytes)
		args, typed := initOf(file)
		if err == nil && !typed {
			err = errors.New("the module does not say the types of its arguments, in metadata candid:args or a constructor in candid:service: send bytes or text")
		}
		if err != nil {
			return nil, refuseArgument(of, "", err)
		}
		raw, err := file.InitFromJSON([]byte(form.Json))
		return raw, refuseArgument(of, did.FormatTypes(args), err)
	}
	return noArguments, nil
}

// initOf returns the arguments of the installation, and false if nothing declares them.
func initOf(file *did.File) ([]did.Arg, bool) {
	if file == nil {
		return nil, false
	}
	return file.Init()
}
