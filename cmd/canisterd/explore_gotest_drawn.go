package main

import (
	"fmt"
	"strconv"
	"strings"

	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// operation returns the option of an operation: explore.Op, or explore.Drawn if its arguments are drawn.
func (g *goTest) operation(c *cli, o *controlv1.ExploreOperation) (string, error) {
	if !o.GetDrawn() {
		call, err := g.call(c, o.GetCall())
		return "explore.Op(" + call + ")", err
	}
	to, err := g.receiver(c, o.GetCall().GetCanisterId(), o.GetCall().GetSender())
	return fmt.Sprintf("explore.Drawn(%s, %q)", to, o.GetCall().GetMethod()), err
}

// drawn adds what calls and arguments are drawn from.
func (g *goTest) drawn(c *cli, in *controlv1.ExploreRequest) error {
	for _, from := range in.GetAny() {
		id, err := c.canisterOf(from.GetCanister())
		if err != nil {
			return err
		}
		to, err := g.receiver(c, id, from.GetSender())
		if err != nil {
			return err
		}
		g.option("explore.Any(%s)", to)
	}
	for _, of := range in.GetArguments() {
		to, err := g.named(c, of.GetCanister())
		if err != nil {
			return err
		}
		if len(of.GetExamples()) > 0 {
			var examples []string
			for _, text := range of.GetExamples() {
				examples = append(examples, g.argument(c, text))
			}
			g.option("explore.Examples(%s, %q, %s)", to, of.GetMethod(), strings.Join(examples, ", "))
			continue
		}
		low, lowErr := strconv.ParseInt(of.GetLow(), 10, 64)
		high, highErr := strconv.ParseInt(of.GetHigh(), 10, 64)
		if lowErr != nil || highErr != nil {
			return fmt.Errorf("the range %s..%s of %s: a test takes two limits of 64 bits", of.GetLow(), of.GetHigh(), of.GetMethod())
		}
		g.option("explore.Between(%s, %q, %d, %d)", to, of.GetMethod(), low, high)
	}
	return nil
}
