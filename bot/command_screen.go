package bot

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"nod/bot/message"
	"nod/detect"
)

const (
	paneButtons = 12 // how many panes get a button in a list
	paneLabel   = 60 // the maximum length of the label
)

// screen answers /screen NAME.
func (b *Bot) screen(_ context.Context, _ int, m *incoming, rest string) error {
	s, ok, err := b.chosenPane(m, rest, toShow)
	if err != nil || !ok {
		return err
	}
	b.sendScreen(m.Chat.ID, m.ID, s.Pane, b.style().Title(s.Agent, s.Name, s.Project), s.Where)
	return nil
}

// chosenPane finds the pane that name means. Without a name it takes the pane of the nudge that the message
// replies to, the pane of the topic, or the only pane. If it can't decide, it asks and returns false.
func (b *Bot) chosenPane(m *incoming, name string, use paneUse) (detect.Sighting, bool, error) {
	panes := b.cfg.Panes()
	if name == "" && m.ReplyTo != nil {
		n, ok, err := b.about(m)
		if err != nil {
			return detect.Sighting{}, false, fmt.Errorf("find the nudge of a message: %w", err)
		}
		if ok {
			s, ok := sightingOf(n.Pane, panes)
			if !ok {
				b.say(m.Chat.ID, m.ID, message.Sentence("That pane is gone."))
			}
			return s, ok, nil
		}
	}
	if name == "" {
		topic, _, err := b.topicAt(m.Chat.ID, m.topic())
		if err != nil {
			return detect.Sighting{}, false, fmt.Errorf("find a topic: %w", err)
		}
		if s, ok := sightingOf(topic.Pane, panes); ok {
			return s, true, nil
		}
	}
	fits := panesNamed(panes, name)
	if len(fits) == 1 {
		return fits[0], true, nil
	}
	why := fmt.Sprintf("No pane is called %q.", message.Cut(message.OneLine(name), 40))
	switch {
	case len(panes) == 0:
		why = "No agent runs in a pane that nod watches."
	case name == "":
		why = "Which one?"
	case len(fits) > 1:
		why, panes = "More than one pane fits.", fits
	}
	b.askPane(m, why, panes, use)
	return detect.Sighting{}, false, nil
}

// askPane asks which pane is meant, with a button for each.
func (b *Bot) askPane(m *incoming, why string, panes []detect.Sighting, use paneUse) {
	out := message.Sentence(why + use.sofar)
	if len(panes) > paneButtons {
		out = b.paneChoice(why+use.sofar, use.usage, panes)
	}
	out.Keys = b.paneKeys(m.Chat.ID, use, panes)
	b.say(m.Chat.ID, m.ID, out)
}

// sightingOf returns the last look at a pane; false: it is not watched any more.
func sightingOf(pane detect.PaneRef, panes []detect.Sighting) (detect.Sighting, bool) {
	return firstPane(panes, func(s detect.Sighting) bool { return s.Pane == pane })
}

func firstPane(panes []detect.Sighting, is func(detect.Sighting) bool) (detect.Sighting, bool) {
	if i := slices.IndexFunc(panes, is); i >= 0 {
		return panes[i], true
	}
	return detect.Sighting{}, false
}

// paneUse is what a command does with the chosen pane.
type paneUse struct {
	usage string       // the syntax of the command
	sofar string       // the text while no pane is chosen
	key   message.Verb // of the buttons that choose a pane
	id    func(detect.Sighting) string
}

var (
	toShow = paneUse{"/screen NAME", "", message.VerbRenew, func(s detect.Sighting) string { return paneID(s.Pane) }}
	toList = paneUse{"/next NAME", "", message.VerbNext, func(s detect.Sighting) string { return paneID(s.Pane) }}
	toTell = paneUse{"/tell NAME TEXT", " Nothing was typed yet.", message.VerbTo, agentID}
)

// paneKeys returns a button for each pane.
func (b *Bot) paneKeys(chat int64, use paneUse, panes []detect.Sighting) message.Keys {
	var keys message.Keys
	style := b.style()
	sorted := slices.SortedFunc(slices.Values(panes), func(a, b detect.Sighting) int { return strings.Compare(a.Where, b.Where) })
	for _, s := range sorted[:min(len(sorted), paneButtons)] {
		label := message.Cut(style.Where(s.Where)+" · "+style.Title(s.Agent, s.Name, s.Project), paneLabel)
		keys = append(keys, message.Keys{{b.seal.Button(label, use.key, use.id(s), chat)}}...)
	}
	return keys
}

// panesNamed returns the panes that name means: an exact pane id or position; otherwise the given name, session, session and window,
// project or agent, which may fit several. An agent can choose most of these, so none of them goes before another. An empty name fits all.
func panesNamed(panes []detect.Sighting, name string) (fits []detect.Sighting) {
	if name == "" {
		return panes
	}
	for _, same := range []func(detect.Sighting) bool{
		func(s detect.Sighting) bool { return s.Pane.ID == name || s.Where == name },
		func(s detect.Sighting) bool {
			session, window, _ := strings.Cut(s.Where, ":")
			window, _, _ = strings.Cut(window, ".")
			return strings.EqualFold(s.Name, name) || strings.EqualFold(s.Project, name) || strings.EqualFold(s.Agent, name) ||
				name == session || name == session+":"+window
		},
	} {
		for _, s := range panes {
			if same(s) {
				fits = append(fits, s)
			}
		}
		if len(fits) > 0 {
			return fits
		}
	}
	return nil
}

func (b *Bot) paneChoice(why, usage string, panes []detect.Sighting) message.Outgoing {
	var out message.Outgoing
	out.Page.Text(why)
	if len(panes) == 0 {
		return out
	}
	out.Page.Text(" Use " + usage + " with one of:").Line()
	var lines []string
	style := b.style()
	for _, s := range panes {
		lines = append(lines, fmt.Sprintf("%s · %s", style.Where(s.Where), style.Title(s.Agent, s.Name, s.Project)))
	}
	slices.Sort(lines)
	out.Page.List(lines)
	return out
}
