package control

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/creachadair/jrpc2"

	"nod/cmd/internal/control/caller"
	"nod/cmd/internal/control/share"
	"nod/deliver"
	"nod/detect"
	"nod/internal/host/tmux"
	"nod/internal/rpc"
	"nod/internal/words"
	"nod/nudge"
)

// ShareParams are the parameters of file.share.
type ShareParams struct {
	Path    string `json:"path"` // absolute
	Caption string `json:"caption"`
}

// Shared is the result of file.share.
type Shared struct {
	Name string `json:"name"`
	Size int    `json:"size"` // bytes
	Wish string `json:"wish"` // the id of the wish if it became one; empty if the file is being sent
}

// longestCaption is the longest caption, in bytes.
const longestCaption = 1000

// errNoChat says that there is no chat for a file.
var errNoChat = rpc.Refuse(string(deliver.NotFound), "NOD_TELEGRAM is off, so there is no chat to bring it to.")

// shareFile brings a file to the chat for a human. An agent's request becomes a wish.
func (c *Control) shareFile(ctx context.Context, p ShareParams) (Shared, error) {
	if !filepath.IsAbs(p.Path) {
		return Shared{}, jrpc2.Errorf(jrpc2.InvalidParams, "the path must be absolute")
	}
	if c.cfg.Share == nil {
		return Shared{}, errNoChat
	}
	if len(p.Caption) > longestCaption {
		return Shared{}, jrpc2.Errorf(jrpc2.InvalidParams, "the caption has more than %d bytes", longestCaption)
	}
	f, err := c.readShared(ctx, p.Path)
	if err != nil {
		return Shared{}, jrpc2.Errorf(jrpc2.InvalidParams, "%v", err)
	}
	result := Shared{Name: f.Name(), Size: len(f.Data)}
	place := c.caller(ctx)
	if place.Kind == caller.Human {
		c.cfg.Share(f.Name(), f.Data, p.Caption)
		return result, nil
	}
	own, ok := c.ownPane(place)
	if !ok {
		return Shared{}, c.refuse(place)
	}
	text := fmt.Sprintf("%s (%s)", f.Path, sizeOf(len(f.Data)))
	if p.Caption != "" {
		text += "\n" + p.Caption
	}
	from := nudge.Wisher{Name: "the agent itself", Agent: own.Process}
	placed, err := c.cfg.Keeper.WishFile(own.Pane, text, nudge.SharedFile{Path: f.Path, Size: len(f.Data), Sum: f.Sum()}, from)
	switch {
	case err != nil:
		return Shared{}, err
	case placed.Reason != "":
		return Shared{}, rpc.Refuse(string(placed.Reason), words.Why(placed.Refusal))
	}
	result.Wish = placed.Wish.ID
	return result, nil
}

// ReadShared reads the file of a wish again. It returns an error if the file has changed or may no longer be
// shared.
func (c *Control) ReadShared(wished nudge.SharedFile) ([]byte, error) {
	f, err := c.readShared(context.Background(), wished.Path)
	if err == nil && f.Sum() != wished.Sum {
		err = fmt.Errorf("%s has another content than when it was asked for", wished.Path)
	}
	return f.Data, err
}

func (c *Control) readShared(ctx context.Context, path string) (share.File, error) {
	return share.Read(path, c.projects(ctx), bool(c.cfg.Settings().Redact))
}

// projects returns the folders of the projects in which agents run.
func (c *Control) projects(ctx context.Context) (folders []string) {
	home, _ := os.UserHomeDir()
	watched := c.cfg.Panes()
	for _, server := range tmux.Servers(c.cfg.Settings().TmuxSocket) {
		listing, err := server.List(ctx)
		if err != nil {
			continue // nothing is known of it now
		}
		for _, pane := range listing.Panes {
			seen := slices.ContainsFunc(watched, func(s detect.Sighting) bool { return s.Pane == (detect.PaneRef{Server: listing.Life, ID: pane.ID}) })
			if project := share.ProjectOf(pane.Path, home); seen && project != "" {
				folders = append(folders, project)
			}
		}
	}
	return folders
}

// ownPane returns the pane of the watched agent that a caller belongs to.
func (c *Control) ownPane(place caller.Place) (detect.Sighting, bool) {
	for _, s := range c.cfg.Panes() {
		if slices.ContainsFunc(place.Agents, s.Runs) {
			return s, true
		}
	}
	return detect.Sighting{}, false
}

func sizeOf(bytes int) string {
	switch {
	case bytes >= 1<<20:
		return strings.TrimSuffix(fmt.Sprintf("%.1f", float64(bytes)/(1<<20)), ".0") + " MB"
	case bytes >= 1<<10:
		return fmt.Sprintf("%d KB", bytes>>10)
	}
	return fmt.Sprintf("%d bytes", bytes)
}
