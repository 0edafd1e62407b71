package deploy

import (
	"encoding/json"
	"errors"
	"strings"

	_ "embed"
)

// pluginHooks writes a whole plugin file, for agents that load JavaScript instead of calling commands.
type pluginHooks struct{}

//go:embed plugin.js
var pluginText string

// pluginMark is the first line of the file. nod recognises its own file by it.
const pluginMark = "// Written by `nod hooks install`."

func (p pluginHooks) install(text []byte, command string) ([]byte, error) {
	if err := p.check(text); err != nil {
		return nil, err
	}
	quoted, err := json.Marshal(command)
	if err != nil {
		return nil, err
	}
	return []byte(strings.Replace(pluginText, "COMMAND", string(quoted), 1)), nil
}

func (p pluginHooks) remove(text []byte) ([]byte, error) {
	if err := p.check(text); err != nil {
		return nil, err
	}
	return nil, nil
}

func (p pluginHooks) check(text []byte) error {
	if len(text) > 0 && !strings.HasPrefix(string(text), pluginMark) {
		return errors.New("it was not written by nod")
	}
	return nil
}
