package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/canisterd/canisterd/daemon"
	"github.com/canisterd/canisterd/internal/project"
	"github.com/canisterd/canisterd/internal/regular"
	"github.com/canisterd/canisterd/internal/rehearse"
)

func (c *cli) cacheGroup() *cobra.Command {
	all := group("cache", "Fill the directory of compiled modules, or move it as one file")
	all.Long = `Fill the directory of compiled modules (canisterd start --cache-dir), or move it as one
file, for example between jobs of continuous integration. Modules are found by module,
build of canisterd and processor. No daemon is needed, and one may be using the directory.`
	all.AddCommand(c.cacheExport(), c.cacheImport(), c.cachePrewarm())
	return all
}

// cacheDirectory adds the flag that names the directory of compiled modules.
func cacheDirectory(cmd *cobra.Command, dir *string) {
	cmd.Flags().StringVar(dir, "cache-dir", "", "directory of compiled modules (--cache-dir of canisterd start) (default: the user's cache directory)")
}

// movedCache is what canisterd cache export and import did, for --json.
type movedCache struct {
	File    string `json:"file"`
	Modules int    `json:"modules"`
	Bytes   int64  `json:"bytes"`
}

func (c *cli) cacheExport() *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:   "export FILE",
		Short: "Export compiled modules to a file",
		Long: `Export to a file the compiled modules that this build of canisterd uses on this processor.
Modules of other builds and processors stay behind, so the file does not grow from one
job to the next.`,
		Example: `  canisterd cache export modules.tar
  canisterd cache export --cache-dir .canisterd-cache modules.tar`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			cache, err := daemon.OpenModuleCache(dir)
			if err != nil {
				return err
			}
			moved := movedCache{File: args[0]}
			err = regular.Replace(args[0], func(out io.Writer) error {
				content, err := cache.Export(out)
				if err == nil && content.Modules == 0 {
					return errors.New("it has no modules compiled by this build for this processor: canisterd cache prewarm compiles those of a project")
				}
				moved.Modules, moved.Bytes = content.Modules, content.Bytes
				return err
			})
			if err != nil {
				return fmt.Errorf("exporting %s: %w", cache.Dir, err)
			}
			return c.print(fmt.Sprintf("%s: %s exported", moved.File, count(uint64(moved.Modules), "module")), moved)
		},
	}
	cacheDirectory(cmd, &dir)
	return cmd
}

func (c *cli) cacheImport() *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:   "import FILE",
		Short: "Import compiled modules from a file",
		Long: `Import the compiled modules in a file of canisterd cache export, all or none. A file of
another build of canisterd, of another system, or of a processor with other features is
refused. The file has native code that daemons run: import only files that you trust.`,
		Example: `  canisterd cache import modules.tar
  canisterd cache import --cache-dir .canisterd-cache modules.tar`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			cache, err := daemon.OpenModuleCache(dir)
			if err != nil {
				return err
			}
			file, err := regular.Open(args[0])
			if err != nil {
				return err
			}
			defer func() { _ = file.Close() }() // it was only read
			content, err := cache.Import(file)
			if err != nil {
				return fmt.Errorf("importing %s: %w", args[0], err)
			}
			moved := movedCache{args[0], content.Modules, content.Bytes}
			return c.print(fmt.Sprintf("%s: %s imported", moved.File, count(uint64(moved.Modules), "module")), moved)
		},
	}
	cacheDirectory(cmd, &dir)
	return cmd
}

func (c *cli) cachePrewarm() *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:   "prewarm [MODULE...]",
		Short: "Compile modules before the first start",
		Long: `Compile modules into the directory of compiled modules, so that the first start need not:
the named ones, or those of the project in the current directory, or the nearest one above
it that has a ` + project.File + `. canisterd build makes the modules of a project.`,
		Example: `  canisterd cache prewarm
  canisterd cache prewarm counter.wasm bank.wasm.gz
  canisterd cache prewarm --cache-dir .canisterd-cache`,
		RunE: func(cmd *cobra.Command, args []string) error {
			modules, err := c.modulesToCompile(args)
			if err != nil {
				return err
			}
			cache, err := daemon.OpenModuleCache(dir)
			if err != nil {
				return err
			}
			return c.prewarm(cmd.Context(), cache, modules)
		},
	}
	cacheDirectory(cmd, &dir)
	c.allowOutside(cmd)
	c.selectNetwork(cmd)
	return cmd
}

// moduleToCompile is a module with what its installation hands in beside it.
type moduleToCompile struct {
	name  string // of the file or the canister
	bytes []byte
	debug project.DebugInfo
}

// modulesToCompile reads the named modules, or those of the project without any.
func (c *cli) modulesToCompile(files []string) (modules []moduleToCompile, err error) {
	var none installFlags
	for _, file := range files {
		m := moduleToCompile{name: file}
		if m.bytes, err = regular.Read(file, rehearse.MaxModuleBytes); err != nil {
			return nil, err
		}
		if m.debug, err = none.debugInfo(file); err != nil {
			return nil, err
		}
		modules = append(modules, m)
	}
	if len(files) > 0 {
		return modules, nil
	}
	p, err := c.readProject(project.Nearest())
	if err != nil {
		return nil, err
	}
	for _, name := range sortedKeys(p.Canisters) {
		if p.Canisters[name].Wasm == "" {
			continue // a clone
		}
		m := moduleToCompile{name: name}
		if m.bytes, err = p.Module(name); err == nil {
			m.debug, err = p.DebugInfo(name)
		}
		if err != nil {
			return nil, fmt.Errorf("canister %s: %w", name, err)
		}
		modules = append(modules, m)
	}
	return modules, nil
}

// prewarm compiles modules into a cache.
func (c *cli) prewarm(ctx context.Context, cache daemon.ModuleCache, modules []moduleToCompile) (err error) {
	compiler, err := cache.Compiler(compileWorker())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, compiler.Close()) }()
	t, done := c.table("MODULE", ""), map[string]string{}
	for _, m := range modules {
		begun := time.Now()
		known, err := compiler.Compile(ctx, m.bytes, m.debug.SourceMap, m.debug.DebugFile)
		if err != nil {
			return fmt.Errorf("%s: %w", m.name, err)
		}
		if done[m.name] = "known"; !known {
			done[m.name] = "compiled"
			c.note("%s: compiled in %s", m.name, brief(time.Since(begun)))
		}
		t.row(m.name, done[m.name])
	}
	return c.print(t.String(), done)
}
