package teach

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"nod/detect/agents"
	"nod/detect/screen"
	"nod/detect/taught"
	"nod/internal/host/ansi"
	"nod/internal/words"
)

// askDialog asks which row is the heading of the dialog and which rows are its answers, until nod can find it
// again by them. Earlier answers remain the defaults.
func (t teaching) askDialog(ctx context.Context, lesson *agents.Taught, lines []int, found *screen.Prompt) error {
	for {
		if err := t.askHead(ctx, lesson, lines); err != nil {
			return err
		}
		if err := t.askAnswers(ctx, lesson, lines, found); err != nil {
			return err
		}
		if again, err := t.findAgain(ctx, lesson); err != nil || again {
			return err
		}
	}
}

func (t teaching) askHead(ctx context.Context, lesson *agents.Taught, lines []int) error {
	question, least := "Which row does the dialog begin with, above all that it asks about? ", 1
	if lesson.Head != "" {
		question, least = question+"(0: as before) ", 0
	}
	row, err := t.askNumber(ctx, question, least, len(lines))
	if err == nil && row > 0 {
		lesson.Head = t.layout.Lines[lines[row-1]].Text
	}
	return err
}

// askAnswers asks which rows are the answers. If nod has found some, or some were named, they need only be
// confirmed.
func (t teaching) askAnswers(ctx context.Context, lesson *agents.Taught, lines []int, found *screen.Prompt) error {
	labels := lesson.Labels
	if labels == nil && found != nil {
		for _, o := range found.Options {
			labels = append(labels, o.Label)
		}
	}
	if len(labels) > 1 {
		all, err := t.Confirm(ctx, fmt.Sprintf("Are these all of its answers: %s?", quoted(labels)))
		if err != nil || all {
			lesson.Labels = labels
			return err
		}
	}
	var err error
	lesson.Labels, err = t.askLabels(ctx, lines)
	return err
}

// findAgain reports whether nod finds the dialog by its heading and answers. A heading that may cut something
// off must be confirmed.
func (t teaching) findAgain(ctx context.Context, lesson *agents.Taught) (bool, error) {
	seen := screen.Parse(t.Screen)
	lesson.Below = nil
	p := lesson.Found(seen)
	if below := lesson.Unplaced(seen); p == nil && len(below) > 0 {
		always, err := t.Confirm(ctx, fmt.Sprintf("Is this below its answers whenever it waits: %s?", quoted(below)))
		if err != nil {
			return false, err
		}
		if always {
			lesson.Below = below
			p = lesson.Found(seen)
		}
	}
	if p == nil {
		t.Say("nod does not find it again by that: the head must be above the answers, the answers must be one list, in order, and neither an input box nor a row that takes a typed answer may be below them. Again:")
		return false, nil
	}
	if len(p.Doubts) == 0 {
		return true, nil
	}
	for _, doubt := range p.Doubts {
		t.Say("An approval will ask for your consent: %s", words.Why(doubt))
	}
	return t.Confirm(ctx, fmt.Sprintf("Does it begin with %q all the same?", ansi.OneLine(lesson.Head)))
}

// askLabels asks which rows are answers.
func (t teaching) askLabels(ctx context.Context, lines []int) ([]string, error) {
	for {
		answer, err := t.Ask(ctx, "Which rows are its answers, as in 5-7 or 5,7? ")
		if err != nil {
			return nil, err
		}
		chosen, ok := rowsOf(answer, len(lines))
		if ok && len(chosen) > 1 {
			var at []int
			for _, n := range chosen {
				at = append(at, lines[n-1])
			}
			return t.layout.Labels(at), nil
		}
		fmt.Fprintf(t.Out, "Two rows at least, from 1 to %d.\n", len(lines))
	}
}

// rowsOf parses "5-7" or "5,7" as numbers from 1 to most.
func rowsOf(text string, most int) ([]int, bool) {
	var rows []int
	for _, part := range strings.Split(text, ",") {
		from, to, ranged := strings.Cut(strings.TrimSpace(part), "-")
		a, err := strconv.Atoi(strings.TrimSpace(from))
		b := a
		if err == nil && ranged {
			b, err = strconv.Atoi(strings.TrimSpace(to))
		}
		if err != nil || a < 1 || b > most || b < a {
			return nil, false
		}
		for n := a; n <= b; n++ {
			rows = append(rows, n)
		}
	}
	return rows, true
}

// askMeanings asks which answer means yes and which no, until the answers are possible.
func (t teaching) askMeanings(ctx context.Context, lesson *agents.Taught) (err error) {
	for {
		if lesson.Once, err = t.askMeaning(ctx, lesson.Labels, "means yes, for this once", screen.Once); err != nil {
			return err
		}
		if lesson.No, err = t.askMeaning(ctx, lesson.Labels, "means no", screen.No); err != nil {
			return err
		}
		if err = lesson.Check(); err == nil {
			return nil
		}
		t.Say("That can't be: %v. Once more:", err)
	}
}

// askMeaning asks which label has a meaning; empty if none has. It refuses a label whose own words say
// something else, and prints why.
func (t teaching) askMeaning(ctx context.Context, labels []string, means string, scope screen.Scope) (string, error) {
	fmt.Fprintln(t.Out)
	for n, label := range labels {
		fmt.Fprintf(t.Out, "%3d  %s\n", n+1, ansi.OneLine(label))
	}
	for {
		n, err := t.askNumber(ctx, fmt.Sprintf("Which answer %s? (0: none) ", means), 0, len(labels))
		if err != nil || n == 0 {
			return "", err
		}
		if err := screen.CanMean(labels[n-1], scope); err != nil {
			t.Say("%q can't mean that: %v.", ansi.OneLine(labels[n-1]), err)
			continue
		}
		return labels[n-1], nil
	}
}

// askKeys asks for the keys of answers if the screen does not show how to choose them. learnt is the reading
// of the dialog so far.
func (t teaching) askKeys(ctx context.Context, lesson agents.Taught, learnt *screen.Prompt) (map[string]string, error) {
	keys := map[string]string{}
	for _, answer := range []screen.Option{{Label: lesson.Once, Scope: screen.Once}, {Label: lesson.No, Scope: screen.No}} {
		if answer.Label == "" || canChoose(learnt, answer) {
			continue
		}
		key, err := t.askKey(ctx, answer)
		if err != nil {
			return nil, err
		}
		if key != "" {
			keys[answer.Label] = key
		}
	}
	return keys, nil
}

// canChoose reports whether a prompt shows how an answer is chosen.
func canChoose(p *screen.Prompt, answer screen.Option) bool {
	if p == nil {
		return false
	}
	i := slices.IndexFunc(p.Options, func(o screen.Option) bool { return o.Label == answer.Label })
	return i >= 0 && p.Options[i].Scope == answer.Scope && p.Choose(i) != nil
}

// askKey asks for the key of one answer; empty if none is known.
func (t teaching) askKey(ctx context.Context, answer screen.Option) (string, error) {
	for {
		key, err := t.Ask(ctx, fmt.Sprintf("The screen does not show how %q is chosen. Its key, as in y (empty: none is known): ", ansi.OneLine(answer.Label)))
		if err != nil || key == "" {
			return "", err
		}
		if err := screen.CanBeKey(key, answer.Scope); err != nil {
			t.Say("%q can't be its key: %v.", key, err)
			continue
		}
		return key, nil
	}
}

// askName asks for the name of the dialog.
func (t teaching) askName(ctx context.Context) (string, error) {
	for {
		name, err := t.Ask(ctx, "A name for this dialog: ")
		if err != nil {
			return "", err
		}
		if err = taught.CheckName(name); err == nil {
			return name, nil
		}
		t.Say("%v.", err)
	}
}

// askNumber asks for a number from least to most.
func (t teaching) askNumber(ctx context.Context, question string, least, most int) (int, error) {
	for {
		answer, err := t.Ask(ctx, question)
		if err != nil {
			return 0, err
		}
		if n, err := strconv.Atoi(answer); err == nil && n >= least && n <= most {
			return n, nil
		}
		fmt.Fprintf(t.Out, "A number from %d to %d.\n", least, most)
	}
}

func quoted(labels []string) string {
	var all []string
	for _, label := range labels {
		all = append(all, strconv.Quote(ansi.OneLine(label)))
	}
	return strings.Join(all, ", ")
}
