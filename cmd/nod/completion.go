package main

import (
	"errors"
	"io"
	"strings"

	"github.com/spf13/cobra"
)

func completionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "completion bash|zsh|fish",
		Short: "print a script that completes nod's commands",
		Long: `Prints a script that completes nod's commands, panes, waiting questions and monitors.

bash needs the package bash-completion; in ~/.zshrc the line belongs below the call of compinit. A session whose name
has other characters than A-Z a-z 0-9 _ . : % @ / + - is offered by its pane's id.`,
		Example: `  mkdir -p ~/.local/share/bash-completion/completions
  nod completion bash > ~/.local/share/bash-completion/completions/nod
  echo 'source <(nod completion zsh)' >> ~/.zshrc
  nod completion fish > ~/.config/fish/completions/nod.fish`,
		ValidArgs: []string{"bash", "zsh", "fish"},
		Args:      cobra.MatchAll(cobra.ExactArgs(1), cobra.OnlyValidArgs),
		RunE: func(cmd *cobra.Command, args []string) error {
			root, out := cmd.Root(), cmd.OutOrStdout()
			switch args[0] {
			case "bash":
				return root.GenBashCompletionV2(out, true)
			case "zsh":
				return root.GenZshCompletion(out)
			}
			return fishCompletion(root, out)
		},
	}
}

// fishCompletion prints cobra's script for fish, changed to quote every word except the program's name.
// cobra's own makes fish evaluate the words without their quotes, so that a file called (reboot) would be
// run.
func fishCompletion(root *cobra.Command, out io.Writer) error {
	const unquoted, quoted = "set -l args (commandline -opc)\n", "set -l args (commandline -opc)[1] (string escape -- (commandline -opc)[2..-1])\n"
	var script strings.Builder
	if err := root.GenFishCompletion(&script, true); err != nil {
		return err
	}
	if strings.Count(script.String(), unquoted) != 1 {
		return errors.New("the script for fish is not the one that nod knows how to make safe")
	}
	_, err := io.WriteString(out, strings.Replace(script.String(), unquoted, quoted, 1))
	return err
}
