package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"google.golang.org/grpc/codes"

	"github.com/canisterd/canisterd/api/control/remote"
	"github.com/canisterd/canisterd/daemon"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

func (c *cli) doctor() *cobra.Command {
	var stateDir, cacheDir string
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check this machine and the daemon, and suggest fixes",
		Example: `  canisterd doctor
  canisterd doctor --state-dir ./state`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			findings := daemon.Examine(daemon.Config{StateDir: stateDir, CacheDir: cacheDir})
			findings = append(findings, examineKnownModules())
			findings = append(findings, c.examineDaemon(cmd.Context())...)
			t := c.table("", "CHECK", "FOUND")
			failed := 0
			for _, f := range findings {
				colors := [...]colour{daemon.OK: green, daemon.Warning: yellow, daemon.Failed: red}
				t.row(c.paint(colors[f.Health], f.Health.String()), f.Check, f.Found)
				if f.Advice != "" {
					t.row("", "", "-> "+f.Advice)
				}
				if f.Health == daemon.Failed {
					failed++
				}
			}
			if err := c.print(t.String(), findings); err != nil {
				return err
			}
			if failed > 0 {
				return fmt.Errorf("%s failed", count(uint64(failed), "check"))
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&stateDir, "state-dir", "", "state directory to check as well (--state-dir of canisterd start)")
	cmd.Flags().StringVar(&cacheDir, "cache-dir", "", "cache directory to check (--cache-dir of canisterd start) (default: the user's cache directory)")
	return cmd
}

// examineDaemon checks whether a daemon answers, and the health of its instances.
func (c *cli) examineDaemon(ctx context.Context) []daemon.Finding {
	ctx, cancel := patient(ctx, 2*time.Second)
	defer cancel()
	d, err := c.remote()
	if err != nil {
		return []daemon.Finding{{Check: "daemon", Health: daemon.Failed, Found: err.Error()}}
	}
	defer func() { _ = d.Close() }() // only for this question
	all, err := d.Instances.ListInstances(ctx, &controlv1.ListInstancesRequest{PageSize: pageSize})
	switch {
	case remote.Code(err) == codes.Unavailable && c.control == "" && c.httpAlone(ctx):
		return []daemon.Finding{{Check: "daemon", Health: daemon.Warning, Found: c.url + " has its control API at another address, or none", Advice: "--control says where it is"}}
	case remote.Code(err) == codes.Unavailable:
		return []daemon.Finding{{Check: "daemon", Health: daemon.OK, Found: "none answers at " + c.controlAddress(), Advice: c.unreached(remote.Text(err))}}
	case err != nil:
		return []daemon.Finding{{Check: "daemon", Health: daemon.Failed, Found: c.explained(ctx, err).Error()}}
	}
	findings := []daemon.Finding{{Check: "daemon", Found: fmt.Sprintf("answers at %s, %s", c.controlAddress(), count(uint64(len(all.GetInstances())), "instance"))}}
	for _, i := range all.GetInstances() {
		if i.GetState() == controlv1.InstanceState_INSTANCE_STATE_RUNNING {
			findings = append(findings, modulesIn(ctx, d, i.GetName())...)
		}
		if i.GetState() == controlv1.InstanceState_INSTANCE_STATE_FAILED {
			findings = append(findings, daemon.Finding{
				Check: "instance " + i.GetName(), Health: daemon.Failed, Found: oneLine(i.GetFailure()),
				Advice: "report it with canisterd instance show " + i.GetName() + "; delete it and create it again",
			})
		}
	}
	return findings
}
