package main

import (
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"nod/cmd/internal/control"
)

func (p *program) shareCommand() *cobra.Command {
	var caption string
	c := &cobra.Command{
		Use:   "share FILE",
		Short: "bring a file to the chat",
		Long: `Sends a file to the chat: a regular file in the project of a watched agent, of at most 10 MB. A text with
something like a secret is refused, and so is a link. A file that an agent shares is a wish: it is sent
when you tap Send under its name.`,
		Example: "  nod share coverage.html --caption 'what is left'",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			path, err := filepath.Abs(args[0])
			if err != nil {
				return fmt.Errorf("find the present folder: %w", err)
			}
			var shared control.Shared
			if err := p.call(cmd.Context(), "file.share", control.ShareParams{Path: path, Caption: caption}, &shared); err != nil {
				return notFound(err, "`nod setup` sets up a chat")
			}
			if shared.Wish != "" {
				p.say("#%s: %s goes when a supervisor taps Send under it.", shared.Wish, shared.Name)
				return nil
			}
			p.say("%s is on its way to the chat.", shared.Name)
			return nil
		},
	}
	c.Flags().StringVar(&caption, "caption", "", "say `TEXT` with it")
	return c
}
