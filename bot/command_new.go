package bot

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"nod/bot/message"
)

const (
	launchKept = 10 * time.Minute // how long a launch may be confirmed
	maxLaunch  = 20               // how many may wait for confirmation
	launchTime = 30 * time.Second // how long a launch may take
)

// Launch is an agent to start.
type Launch struct {
	Name, Agent string
	Folder      string // absolute, without symbolic links
	Args        []string
}

// launching is a launch that waits for its second tap.
type launching struct {
	Launch
	chat int64
	at   time.Time
}

const newUsage = "/new NAME AGENT FOLDER [ARG…], as in /new api claude api"

// newAgent answers /new: it asks for a second tap, which starts the agent.
func (b *Bot) newAgent(_ context.Context, _ int, m *incoming, rest string) error {
	roots := b.settings().Launch
	words := strings.Fields(rest)
	switch {
	case len(roots) == 0:
		b.say(m.Chat.ID, m.ID, message.Sentence("Starting agents from here is off. To turn it on, name folders in nod.env, as in NOD_LAUNCH=~/src."))
		return nil
	case len(words) < 3:
		b.say(m.Chat.ID, m.ID, message.Sentence("Use "+newUsage+". Folders may be in "+message.OneLine(strings.Join(roots, ", "))+"."))
		return nil
	}
	folder, err := folderIn(roots, words[2])
	if err != nil {
		b.say(m.Chat.ID, m.ID, message.Sentence("Nothing was started: "+message.Cut(message.OneLine(err.Error()), message.SentenceRoom)))
		return nil
	}
	l := Launch{Name: words[0], Agent: words[1], Folder: folder, Args: words[3:]}
	if launchMessage(l, "", m.Chat.ID, b.seal).Page.Short {
		b.say(m.Chat.ID, m.ID, message.Sentence("Nothing was started: the arguments do not fit into one message."))
		return nil
	}
	id, ok := b.keepLaunch(launching{l, m.Chat.ID, time.Now()})
	if !ok {
		b.say(m.Chat.ID, m.ID, message.Sentence("Too many starts already wait for your tap: tap one, or wait ten minutes."))
		return nil
	}
	b.say(m.Chat.ID, m.ID, launchMessage(l, id, m.Chat.ID, b.seal))
	return nil
}

// launchMessage asks for the tap that starts an agent. It shows everything that will be started.
func launchMessage(l Launch, id string, chat int64, seal message.Sealer) message.Outgoing {
	out := message.Outgoing{Keys: message.Keys{{seal.Button("▶ Start it", message.VerbNew, id, chat)}}}
	p := &out.Page
	p.Text("Start ").Bold(message.OneLine(l.Agent)).Text(" as ").Bold(message.OneLine(l.Name)).Text("?").Line()
	p.Text("Folder: ").Code(message.OneLine(l.Folder)).Line()
	if len(l.Args) == 0 {
		p.Text("No arguments.")
		return out
	}
	p.Text("Arguments:")
	for _, arg := range l.Args {
		p.Line().Code(message.OneLine(arg))
	}
	return out
}

// keepLaunch keeps a launch for its second tap; false: too many are kept.
func (b *Bot) keepLaunch(l launching) (id string, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for id, old := range b.launches {
		if time.Since(old.at) > launchKept {
			delete(b.launches, id)
		}
	}
	if len(b.launches) >= maxLaunch {
		return "", false
	}
	id = strings.ToLower(rand.Text()[:12])
	b.launches[id] = l
	return id, true
}

// takeLaunch returns a kept launch, once.
func (b *Bot) takeLaunch(id string, chat int64) (l launching, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	l, ok = b.launches[id]
	if !ok || l.chat != chat || time.Since(l.at) > launchKept {
		return launching{}, false
	}
	delete(b.launches, id)
	return l, true
}

// tapLaunch starts an agent, once, if its folder is still allowed. The result follows as a message.
func (b *Bot) tapLaunch(c *callback, p message.Tap) (string, error) {
	chat, number := c.Message.Chat.ID, c.Message.ID
	b.stripLater(chat, number)
	l, ok := b.takeLaunch(p.ID, chat)
	if !ok {
		return "That start has expired: send /new again.", nil
	}
	if folder, err := folderIn(b.settings().Launch, l.Folder); err != nil || folder != l.Folder {
		return "Nothing was started: the folder is no longer allowed.", nil
	}
	taken := b.inBackground(func(ctx context.Context) {
		ctx, cancel := context.WithTimeout(ctx, launchTime)
		defer cancel()
		if err := b.cfg.Launch(ctx, l.Launch, personOf(c.From).Name); err != nil {
			b.say(chat, number, message.Sentence("🚫 Not started: "+message.Cut(message.OneLine(b.style().Redact(err.Error())), message.SentenceRoom)))
			return
		}
		b.say(chat, number, message.Sentence("▶ "+message.Cut(message.OneLine(l.Name), message.NameRoom)+" runs. /tell "+message.Cut(message.OneLine(l.Name), message.NameRoom)+" gives it its first instruction."))
	})
	if !taken {
		return "Nothing was started: nod is too busy. Send /new again.", nil
	}
	return "Starting.", nil
}

// folderIn finds the named folder within one of the roots, with symbolic links followed. The name may begin
// with ~, be absolute, or be relative to a root.
func folderIn(roots []string, name string) (string, error) {
	if len(roots) == 0 {
		return "", errors.New("NOD_LAUNCH names no folder")
	}
	if rest, ok := strings.CutPrefix(name, "~/"); ok {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", fmt.Errorf("find the home folder: %w", err)
		}
		name = filepath.Join(home, rest)
	}
	candidates := []string{name}
	if !filepath.IsAbs(name) {
		candidates = nil
		for _, root := range roots {
			candidates = append(candidates, filepath.Join(root, name))
		}
	}
	for _, path := range candidates {
		path, err := filepath.EvalSymlinks(path)
		if err != nil {
			continue
		}
		info, err := os.Stat(path)
		if err == nil && info.IsDir() && slices.ContainsFunc(roots, func(root string) bool { return inside(root, path) }) {
			return path, nil
		}
	}
	return "", fmt.Errorf("there is no folder %q within %s", name, strings.Join(roots, ", "))
}

// inside reports whether path, which has no symbolic links, is a root or below it.
func inside(root, path string) bool {
	root, err := filepath.EvalSymlinks(root)
	if err != nil {
		return false
	}
	below, err := filepath.Rel(root, path)
	return err == nil && filepath.IsLocal(below)
}
