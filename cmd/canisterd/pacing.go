package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/canisterd/canisterd/api/control/remote"
	"github.com/canisterd/canisterd/internal/control/request"
	"github.com/canisterd/canisterd/internal/quantity"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// pacingPrefix begins the values of PacingMode.
const pacingPrefix = "PACING_MODE_"

// pacingModes returns the modes with names for people; the other one is given by its interval.
func pacingModes() []string {
	return slices.DeleteFunc(request.EnumNames(controlv1.PacingMode_name, pacingPrefix), func(name string) bool {
		return name == word(controlv1.PacingMode_PACING_MODE_INTERVAL, pacingPrefix)
	})
}

// pacingForms returns the forms of a pacing.
func pacingForms() string {
	return strings.Join(pacingModes(), ", ") + ", or an interval such as 500ms"
}

func (c *cli) pacing() *cobra.Command {
	return &cobra.Command{
		Use:   "pacing [" + strings.Join(pacingModes(), " | ") + " | INTERVAL]",
		Short: "Show or change when rounds run",
		Long: `Show or change when rounds run: as soon as there is work, at the time of the wall clock
(auto); as soon as there is work, while time stands still (still); only when a command
such as canisterd run asks, while time stands still (manual); or every INTERVAL, at the
time of the wall clock.`,
		Example: `  canisterd pacing
  canisterd pacing manual
  canisterd pacing 500ms`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			want, err := parsePacing(first(args))
			if err != nil {
				return err
			}
			return c.connected(cmd.Context(), func(ctx context.Context, d *remote.Daemon) error {
				if want == nil {
					now, err := d.Clock.GetTime(ctx, &controlv1.GetTimeRequest{Instance: c.instance})
					if err != nil {
						return err
					}
					return c.print(pacingText(now.GetPacing()), now.GetPacing())
				}
				set, err := d.Clock.SetPacing(ctx, &controlv1.SetPacingRequest{Instance: c.instance, Pacing: want})
				if err != nil {
					return err
				}
				return c.print(pacingText(set.GetPacing()), set.GetPacing())
			})
		},
	}
}

// parsePacing parses a pacing; nil for an empty text.
func parsePacing(text string) (*controlv1.Pacing, error) {
	switch {
	case text == "":
		return nil, nil
	case slices.Contains(pacingModes(), text):
		return &controlv1.Pacing{Mode: controlv1.PacingMode(controlv1.PacingMode_value[pacingPrefix+strings.ToUpper(text)])}, nil
	}
	interval, err := quantity.ParseDuration(text)
	if err != nil {
		return nil, fmt.Errorf("invalid pacing %q: expected %s", text, pacingForms())
	}
	return &controlv1.Pacing{Mode: controlv1.PacingMode_PACING_MODE_INTERVAL, Interval: durationpb.New(interval)}, nil
}

func pacingText(p *controlv1.Pacing) string {
	if p.GetInterval() != nil {
		return "every " + p.GetInterval().AsDuration().String()
	}
	return word(p.GetMode(), pacingPrefix)
}
