package identity

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/term"
)

// ReadKey reads a key from a PEM file.
func ReadKey(path string) ([]byte, Key, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, Key{}, fmt.Errorf("reading the identity: %w", err)
	}
	key, err := ParsePEM(text, askPassword)
	if err != nil {
		return nil, Key{}, fmt.Errorf("the identity %s: %w", path, err)
	}
	return text, key, nil
}

// askPassword asks on the terminal, or uses the environment.
func askPassword() ([]byte, error) {
	if password := os.Getenv("CANISTERD_PASSWORD"); password != "" {
		return []byte(password), nil
	}
	stdin := int(os.Stdin.Fd())
	if !term.IsTerminal(stdin) {
		return nil, errors.New("the key is encrypted and there is no terminal to ask for the password: set CANISTERD_PASSWORD")
	}
	fmt.Fprint(os.Stderr, "password: ")
	password, err := term.ReadPassword(stdin)
	fmt.Fprintln(os.Stderr)
	if err != nil {
		return nil, fmt.Errorf("reading the password: %w", err)
	}
	return password, nil
}
