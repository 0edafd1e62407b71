package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"nod/bot"
	"nod/internal/settings"
)

// saidCommand matches one of nod's commands in backquotes, as in pages, messages and help.
var saidCommand = regexp.MustCompile("`nod ([a-z][^`\n]*)`")

// fenced matches a block of commands on a page, and typedCommand a line of it.
var (
	fenced       = regexp.MustCompile("(?ms)^```(?:sh|console)?\n(.*?)^```")
	typedCommand = regexp.MustCompile(`(?m)^(?:\$ )?nod ([a-z].*)$`)
)

// elsewhere are names that look like nod's: commands of BotFather and Codex, and variables read before the
// settings.
var elsewhere = map[string]bool{"/newbot": true, "/revoke": true, "/approve": true, "NOD_CONFIG": true, "NOD_FIGURES": true}

// saidSetting matches a setting's name that isn't part of another word.
var saidSetting = regexp.MustCompile(`\bNOD_[A-Z]+(?:_[A-Z]+)*\b`)

// saidInChat matches a chat command in backquotes.
var saidInChat = regexp.MustCompile("`/([a-z]+)(?: [^`]*)?`")

// writtenFiles calls read with each page, and with each source file of the program.
func writtenFiles(t *testing.T, read func(path, text string)) {
	t.Helper()
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		name := filepath.Base(path)
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (name == "testdata" || strings.HasPrefix(name, ".") && path != root):
			return filepath.SkipDir
		case entry.IsDir(), strings.HasSuffix(name, "_test.go"), filepath.Ext(name) != ".go" && filepath.Ext(name) != ".md":
			return nil
		}
		text, err := os.ReadFile(path)
		read(path, string(text))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestEveryCommandThatIsNamedExists: no page or message names a command that does not exist.
func TestEveryCommandThatIsNamedExists(t *testing.T) {
	t.Parallel()
	root := (&program{env: settings.Environment{}}).root()
	root.InitDefaultHelpCmd()
	found := 0
	writtenFiles(t, func(path, text string) {
		said := saidCommand.FindAllStringSubmatch(text, -1)
		for _, block := range fenced.FindAllStringSubmatch(text, -1) {
			said = append(said, typedCommand.FindAllStringSubmatch(block[1], -1)...)
		}
		for _, said := range said {
			found++
			if wrong := unknownIn(root, strings.Fields(said[1])); wrong != "" {
				t.Errorf("%s: nod %s: %s", path, said[1], wrong)
			}
		}
	})
	if found < 200 {
		t.Errorf("only %d commands were found: the pages are read wrongly", found)
	}
}

// unknownIn returns the first command or flag of a line that does not exist; empty if all exist.
func unknownIn(root *cobra.Command, words []string) string {
	command, rest := root, words
	for len(rest) > 0 {
		next := child(command, rest[0])
		if next == nil {
			break
		}
		command, rest = next, rest[1:]
	}
	if command == root {
		return "no such command"
	}
	if command.HasSubCommands() && !command.Runnable() && len(rest) > 0 {
		return "no such command"
	}
	command.InitDefaultHelpFlag()
	for _, word := range rest {
		if word == "--" || strings.ContainsAny(word, "|#>%") {
			break
		}
		name, _, _ := strings.Cut(strings.TrimLeft(word, "[(-"), "=")
		name = strings.TrimRight(name, "],.)")
		switch dashes := len(strings.TrimLeft(word, "[(")) - len(strings.TrimLeft(word, "[(-")); {
		case dashes == 2 && command.Flags().Lookup(name) == nil && command.InheritedFlags().Lookup(name) == nil:
			return "no flag --" + name
		case dashes == 1 && len(name) == 1 && command.Flags().ShorthandLookup(name) == nil:
			return "no flag -" + name
		}
	}
	return ""
}

func child(command *cobra.Command, name string) *cobra.Command {
	for _, c := range command.Commands() {
		if c.Name() == name || c.HasAlias(name) {
			return c
		}
	}
	return nil
}

// TestEverySettingThatIsNamedExists: the same for each setting and each chat command.
func TestEverySettingThatIsNamedExists(t *testing.T) {
	t.Parallel()
	known := map[string]bool{}
	for _, v := range settings.Variables() {
		known[v.Name] = true
	}
	names, _ := bot.Commands()
	for _, name := range names {
		known["/"+strings.TrimPrefix(strings.Fields(name)[0], "/")] = true
	}
	writtenFiles(t, func(path, text string) {
		if filepath.Ext(path) != ".md" {
			return
		}
		for _, name := range saidSetting.FindAllString(text, -1) {
			if !known[name] && !elsewhere[name] {
				t.Errorf("%s: no setting %s", path, name)
			}
		}
		for _, said := range saidInChat.FindAllStringSubmatch(text, -1) {
			if !known["/"+said[1]] && !elsewhere["/"+said[1]] {
				t.Errorf("%s: no command /%s in the chat", path, said[1])
			}
		}
	})
}
