package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

// healthPatience is how long the daemon may take to report its health; maxHealthText limits the answer that is read.
const (
	healthPatience = 5 * time.Second
	maxHealthText  = 4 << 10
)

func (c *cli) health() *cobra.Command {
	return &cobra.Command{
		Use:   "health",
		Short: "Fail unless the daemon answers and its default instance is running",
		Long: `Fail unless the daemon answers and its default instance is running.

The command requests /health at --url, as load balancers do, and needs no control API.
Use it for health checks of containers (docker-compose.yml).`,
		Example: `  canisterd health
  canisterd --url http://127.0.0.1:4943 health`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return c.checkHealth(cmd.Context()) },
	}
}

func (c *cli) checkHealth(ctx context.Context) error {
	if err := checkURL(c.url); err != nil {
		return err
	}
	ctx, cancel := patient(ctx, healthPatience)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimSuffix(c.url, "/")+"/health", http.NoBody)
	if err != nil {
		return err
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return fmt.Errorf("no daemon answers at %s: %w (start one with canisterd start, or set --url)", c.url, innermost(err))
	}
	defer func() { _ = answer.Body.Close() }() // only for reading
	defer http.DefaultClient.CloseIdleConnections()
	text, err := io.ReadAll(io.LimitReader(answer.Body, maxHealthText))
	if err != nil {
		return fmt.Errorf("checking the health of %s: %w", c.url, err)
	}
	if answer.StatusCode/100 != 2 {
		return fmt.Errorf("the daemon at %s is not healthy (status %d): %s", c.url, answer.StatusCode, strings.TrimSpace(string(text)))
	}
	return c.print(c.url+" is healthy", map[string]string{"url": c.url, "health": "healthy"})
}
