package kept

import (
	"fmt"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/clone"
	"github.com/canisterd/canisterd/internal/project"
)

// Choices returns what the user says about canisters that cannot be cloned, by their ids: which get a stand-in, and with
// which arguments, as Candid text, published modules are installed.
func Choices(standIns []string, init map[string]string) (*clone.Choices, error) {
	c := &clone.Choices{Init: map[principal.Principal]string{}, Encode: encodeInit}
	for _, text := range standIns {
		id, err := principal.Parse(text)
		if err != nil {
			return nil, fmt.Errorf("stand-in: %w", err)
		}
		c.StandIns = append(c.StandIns, id)
	}
	for text, argument := range init {
		id, err := principal.Parse(text)
		if err != nil {
			return nil, fmt.Errorf("argument: %w", err)
		}
		c.Init[id] = argument
	}
	return c, nil
}

// encodeInit is the argument of the installation of a module, and its text.
func encodeInit(module []byte, text string) (argument []byte, shown string, err error) {
	a := project.FromText(text)
	if text == "" {
		if a, err = project.DefaultInit(module); err != nil {
			return nil, "", err
		}
	}
	argument, err = a.Encode(module)
	return argument, a.Text, err
}
