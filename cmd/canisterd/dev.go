package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"google.golang.org/grpc/codes"

	"github.com/canisterd/canisterd/api/control/remote"
	"github.com/canisterd/canisterd/internal/project"
)

type devFlags struct {
	daemon startFlags
	set    *pflag.FlagSet // of the command
	own    bool           // the flags describe a daemon
	open   bool
	poll   time.Duration
}

// devDaemonFlags are the flags of canisterd start that dev has too.
var devDaemonFlags = []string{"listen", "state-dir", "ephemeral", "subnet", "system-canisters"}

func (c *cli) dev() *cobra.Command {
	var f devFlags
	cmd := &cobra.Command{
		Use:   "dev [DIR]",
		Short: "Build and deploy a directory, and again whenever its files change",
		Long: `Build and deploy a directory, and again whenever its files change, until stopped. DIR
defaults to the current directory, or the nearest one above it that has a
` + project.File + `.

dev uses the daemon that runs, or starts one: always with --listen, --state-dir,
--ephemeral, --subnet or --system-canisters, which describe it. Then it builds and deploys the canisters,
and watches the sources of their builds (sources: in ` + project.File + `), their modules,
and ` + project.File + ` itself. What has changed is built again, and its canister upgraded:
its state is kept. A line says what happened and how long it took. If a build fails or
an upgrade traps, the canister runs as before, and dev says why. dev also prints the
logs and traps of the canisters.

Ctrl-C stops dev, and the daemon if dev has started it: the next dev goes on with its
state, unless it was --ephemeral. A build runs code of the project, as make does.`,
		Example: `  canisterd dev
  canisterd dev --open
  canisterd dev shop --ephemeral --listen 127.0.0.1:0`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			folder := project.Nearest()
			if len(args) > 0 {
				folder = args[0]
			}
			for _, name := range devDaemonFlags {
				f.own = f.own || cmd.Flags().Changed(name)
			}
			if f.poll < 0 || f.poll == 0 && cmd.Flags().Changed("poll") {
				return fmt.Errorf("invalid --poll %s: expected an interval of more than 0, such as 1s", f.poll)
			}
			f.set = cmd.LocalNonPersistentFlags()
			return c.develop(cmd.Context(), folder, &f)
		},
	}
	daemonFlags := &cobra.Command{}
	f.daemon.add(c, daemonFlags)
	f.daemon.telemetry.level = "warn" // dev itself says where the daemon serves
	for _, name := range devDaemonFlags {
		cmd.Flags().AddFlag(daemonFlags.Flags().Lookup(name))
	}
	cmd.Flags().DurationVar(&f.poll, "poll", 0, "look at the files at this interval, such as 1s, where the file system reports no changes")
	cmd.Flags().BoolVar(&f.open, "open", false, "open the inspector in a browser")
	c.allowOutside(cmd)
	c.selectNetwork(cmd)
	return sending(cmd)
}

// develop deploys a folder whenever its files change, until the context ends.
func (c *cli) develop(ctx context.Context, folder string, f *devFlags) (err error) {
	if _, err := c.readProject(folder); err != nil {
		return err
	}
	f.daemon.deploy = folder
	stop, err := c.devDaemon(ctx, f)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stop()) }()
	if f.open {
		c.openForDev(ctx)
	}
	return c.connected(ctx, func(ctx context.Context, d *remote.Daemon) error {
		x, err := newDevelopment(c, d, folder, f.poll)
		if err != nil {
			return err
		}
		return errors.Join(x.run(ctx), x.watcher.Close())
	})
}

// devDaemon finds the daemon that runs, or starts one, and says which. stop stops it in that case.
func (c *cli) devDaemon(ctx context.Context, f *devFlags) (stop func() error, err error) {
	if !f.own {
		switch err := c.reached(ctx); {
		case err == nil:
			note := fmt.Sprintf("http      %s (it ran before, and goes on when dev stops)", c.url)
			return func() error { return nil }, c.printDevDaemon(ctx, note, devDaemon{URL: c.url})
		case remote.Code(err) != codes.Unavailable || c.url != defaultURL || c.control != "":
			return nil, c.explained(ctx, err)
		}
	}
	d, err := c.startOwn(context.WithoutCancel(ctx), &f.daemon, f.set)
	if err != nil {
		return nil, err
	}
	c.url, c.control = d.URL(), f.daemon.control.Address
	state := "kept in " + d.stateDir + ": the next dev goes on there"
	if d.stateDir == "" {
		state = "in memory: it is gone when dev stops (--ephemeral)"
	}
	stop = func() error {
		c.note("stopping; %s", fateOfState(d.stateDir))
		return d.stop()
	}
	err = c.printDevDaemon(ctx, fmt.Sprintf("http      %s\nstate     %s", d.URL(), state), devDaemon{URL: d.URL(), Started: true, State: d.stateDir})
	if err != nil {
		return nil, errors.Join(err, stop())
	}
	return stop, nil
}

// devDaemon says for --json which daemon dev uses.
type devDaemon struct {
	URL     string `json:"url"`
	Started bool   `json:"started"` // by dev
	State   string `json:"state_dir,omitempty"`
	Inspect string `json:"inspector,omitempty"` // with the token
}

// printDevDaemon prints which daemon dev uses, with the address of its inspector if it has one.
func (c *cli) printDevDaemon(ctx context.Context, text string, value devDaemon) error {
	if at, err := c.inspectorURL(ctx, nil, true); err == nil {
		text, value.Inspect = text+"\ninspector "+at, at
	}
	return c.print(text, value)
}

// openForDev opens the inspector in a browser. dev goes on without it.
func (c *cli) openForDev(ctx context.Context) {
	at, err := c.inspectorURL(ctx, nil, false)
	if err == nil {
		err = openInspector(ctx, at)
	}
	if err != nil {
		c.note("note: the inspector could not be opened: %v", err)
	}
}
