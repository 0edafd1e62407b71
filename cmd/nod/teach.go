package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"nod/detect"
	"nod/detect/agents"
	"nod/detect/screen"
	"nod/detect/taught"
	"nod/internal/redact"
	"nod/internal/settings"
	"nod/internal/tmux"
)

// teachRows is how many rows of a screen are shown to be taught from.
const teachRows = 30

func (p *program) teachCommand() *cobra.Command {
	var agent, file, name, forget string
	var list, check bool
	c := &cobra.Command{
		Use:   "teach PANE",
		Short: "teach nod a dialog that it can't answer",
		Long: `Shows what nod reads on a pane, row by row, and asks which answer means yes for this once and
which means no. It keeps that as a small file beside the settings, for that agent's dialog with
that head and these answers, and says at once what it makes of the screen with it. A running bot
reads it within a minute.

The rules for keys hold here too: an answer whose words say that it lasts can't mean yes for
this once, and Enter is pressed only where the screen shows which answer it takes.`,
		Example: "  nod teach main:2.0 --agent acme\n  nod teach --from acme-question-80x24.ansi --agent acme\n  nod teach --check",
		Args:    cobra.MaximumNArgs(1), ValidArgsFunction: p.completePanes,
		RunE: func(cmd *cobra.Command, args []string) error {
			folder := p.taughtFolder()
			switch {
			case folder == "":
				return fmt.Errorf("no folder for settings is known: set HOME or NOD_CONFIG")
			case list:
				return p.listTaught(folder)
			case check:
				return p.checkTaught(folder)
			case forget != "":
				return p.forgetTaught(folder, forget)
			case len(args) == 0 && file == "":
				return misuse("name a pane, as in `nod teach %%12`, or a screen that was written with nod record: --from FILE")
			}
			text, agent, err := p.screenToTeach(cmd.Context(), args, file, agent)
			if err != nil {
				return err
			}
			t := teaching{in: bufio.NewReader(p.in), out: p.out, agent: agent, layout: screen.Lay(screen.Parse(text))}
			return t.run(folder, name, text)
		},
	}
	c.Flags().StringVar(&agent, "agent", "", "the agent's `NAME`, where nod does not find it")
	c.Flags().StringVar(&file, "from", "", "teach from the screen in `FILE`, as nod record writes it")
	c.Flags().StringVar(&name, "name", "", "call the dialog `NAME`; asked for where it is left out")
	c.Flags().BoolVar(&list, "list", false, "list what was taught")
	c.Flags().BoolVar(&check, "check", false, "try every dialog on the screen that it was taught on")
	c.Flags().StringVar(&forget, "forget", "", "remove the dialog `NAME`")
	c.MarkFlagsMutuallyExclusive("list", "check", "forget", "from")
	return c
}

// taughtFolder is where dialogs that were taught are kept: beside the settings file.
func (p *program) taughtFolder() taught.Folder {
	file := settings.File(p.env)
	if file == "" {
		return ""
	}
	return taught.Folder(filepath.Join(filepath.Dir(file), "taught"))
}

// readTaught tells what a screen of an agent says, with what was taught. What is wrong with a file is said on standard error.
func (p *program) readTaught(agent string, s screen.Screen) screen.Reading {
	lessons, problems := p.taughtFolder().All()
	for _, problem := range problems {
		fmt.Fprintln(p.err, "nod:", problem)
	}
	return agents.ReadTaught(lessons, agent, s)
}

// screenToTeach is the screen of a pane or a file, with secrets masked, and the agent that drew it.
func (p *program) screenToTeach(ctx context.Context, args []string, file, agent string) (text, name string, err error) {
	if file != "" {
		b, err := os.ReadFile(file)
		if err != nil {
			return "", "", fmt.Errorf("read the screen: %w", err)
		}
		text = string(b)
	} else {
		server, pane, err := tmux.Find(ctx, p.localServers(), args[0])
		if err != nil {
			return "", "", err
		}
		look, err := server.Look(ctx, pane.ID)
		if err != nil {
			return "", "", err
		}
		if agent == "" {
			agent = detect.AgentIn(look.Pane)
		}
		text = look.Capture + "\n"
	}
	if agent == "" {
		return "", "", &failure{code: exitUsage, err: errors.New("no agent that nod knows draws it"), hint: "name it with --agent, by the name that nod watch gets"}
	}
	return redact.Coloured(text), agent, nil
}

// teaching is one conversation that teaches a dialog.
type teaching struct {
	in     *bufio.Reader
	out    io.Writer
	agent  string
	layout *screen.Layout
}

// run asks for what a dialog means, keeps it, and says what nod makes of the screen then.
func (t teaching) run(folder taught.Folder, name, text string) error {
	before := agents.Read(t.agent, screen.Parse(text))
	shown := t.show(before)
	lesson := agents.Taught{Agent: t.agent, On: time.Now()}
	var err error
	if lesson.Head, lesson.Labels, err = t.rows(shown, before.Prompt); err != nil {
		return err
	}
	if lesson.Once, err = t.meaning(lesson.Labels, "means yes, for this once", screen.Once); err != nil {
		return err
	}
	if lesson.No, err = t.meaning(lesson.Labels, "means no", screen.No); err != nil {
		return err
	}
	try := func() screen.Reading { return agents.ReadTaught([]agents.Taught{lesson}, t.agent, screen.Parse(text)) }
	lesson.Name = "untitled"
	if err := lesson.Check(); err != nil {
		return &failure{code: exitFailed, err: fmt.Errorf("nothing was kept: %w", err)}
	}
	if lesson.Keys, err = t.keys(lesson, try().Prompt); err != nil {
		return err
	}
	if name == "" {
		if name, err = t.ask("A name for this dialog: "); err != nil {
			return err
		}
	}
	lesson.Name = name
	after := try()
	if after.Prompt == nil || after.Prompt.Taught == "" {
		return &failure{code: exitFailed, err: errors.New("nothing was kept: nod does not find the dialog again by that head and these answers"),
			hint: "name the row right above what is asked about as its head, and all of its answers in order"}
	}
	path, err := folder.Write(lesson, text)
	if err != nil {
		return &failure{code: exitFailed, err: fmt.Errorf("nothing was kept: %w", err)}
	}
	fmt.Fprintf(t.out, "\nKept in %s. On this screen that makes\n  yes, for this once: %s\n  no:                 %s\n", path, t.does(after.Prompt.Approve), t.does(after.Prompt.Deny))
	for _, doubt := range after.Prompt.Doubts {
		fmt.Fprintf(t.out, "An approval asks for your consent: %s\n", doubt)
	}
	fmt.Fprintf(t.out, "A running bot reads it within a minute. To give it to everybody, in a clone of nod:\n  make taught NAME=%s && gh pr create --fill\n", name)
	return nil
}

// does says what keys do, or that there are none.
func (teaching) does(keys []string) string {
	if len(keys) == 0 {
		return "no key is proven: answer at the terminal"
	}
	return strings.Join(keys, " ")
}

// show prints the lowest rows with words, each with its number, and what nod makes of them. It returns their lines.
func (t teaching) show(r screen.Reading) []int {
	var lines []int
	for i := range t.layout.Lines {
		if t.layout.Lines[i].Kind == screen.Words {
			lines = append(lines, i)
		}
	}
	lines = lines[max(len(lines)-teachRows, 0):]
	fmt.Fprintf(t.out, "The screen of %s, which nod reads as: %s\n\n", oneLine(t.agent), r.State)
	for n, i := range lines {
		fmt.Fprintf(t.out, "%3d  %s%s\n", n+1, strings.Repeat(" ", min(t.layout.Lines[i].Col, 20)), oneLine(t.layout.Lines[i].Text))
	}
	fmt.Fprintln(t.out)
	return lines
}

// rows asks which row is the head of the dialog and which are its answers. Where nod has found answers, they need only be confirmed.
func (t teaching) rows(lines []int, found *screen.Prompt) (head string, labels []string, err error) {
	row, err := t.number("Which row does the dialog begin with? ", 1, len(lines))
	if err != nil {
		return "", nil, err
	}
	head = t.layout.Lines[lines[row-1]].Text
	if found != nil && len(found.Options) > 1 {
		for _, o := range found.Options {
			labels = append(labels, o.Label)
		}
		answer, err := t.ask(fmt.Sprintf("Are these all of its answers: %s? [Y/n] ", quoted(labels)))
		if err != nil {
			return "", nil, err
		}
		if low := strings.ToLower(answer); low == "" || low == "y" || low == "yes" {
			return head, labels, nil
		}
	}
	for {
		answer, err := t.ask("Which rows are its answers, as in 5-7 or 5,7? ")
		if err != nil {
			return "", nil, err
		}
		chosen, ok := rowsOf(answer, len(lines))
		if ok && len(chosen) > 1 {
			var at []int
			for _, n := range chosen {
				at = append(at, lines[n-1])
			}
			return head, t.layout.Labels(at), nil
		}
		fmt.Fprintf(t.out, "Two rows at least, from 1 to %d.\n", len(lines))
	}
}

// rowsOf reads "5-7" or "5,7" as numbers from 1 to most.
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

// meaning asks which label means that; empty: none does. One whose own words say another thing is refused, and why is said.
func (t teaching) meaning(labels []string, means string, scope screen.Scope) (string, error) {
	fmt.Fprintln(t.out)
	for n, label := range labels {
		fmt.Fprintf(t.out, "%3d  %s\n", n+1, oneLine(label))
	}
	for {
		n, err := t.number(fmt.Sprintf("Which answer %s? (0: none) ", means), 0, len(labels))
		if err != nil || n == 0 {
			return "", err
		}
		if err := screen.CanMean(labels[n-1], scope); err != nil {
			fmt.Fprintf(t.out, "%q can't mean that: %v.\n", oneLine(labels[n-1]), err)
			continue
		}
		return labels[n-1], nil
	}
}

// keys asks for the keys of answers that the screen shows no way to choose.
func (t teaching) keys(lesson agents.Taught, p *screen.Prompt) (map[string]string, error) {
	keys := map[string]string{}
	for _, scope := range []screen.Scope{screen.Once, screen.No} {
		label := map[screen.Scope]string{screen.Once: lesson.Once, screen.No: lesson.No}[scope]
		shown := p != nil && slices.ContainsFunc(p.Options, func(o screen.Option) bool { return o.Label == label && o.Scope == scope })
		if label == "" || shown && p.Choose(slices.IndexFunc(p.Options, func(o screen.Option) bool { return o.Label == label })) != nil {
			continue
		}
		for {
			key, err := t.ask(fmt.Sprintf("The screen does not show how %q is chosen. Its key, as in y (empty: none is known): ", oneLine(label)))
			if err != nil {
				return nil, err
			}
			if key == "" {
				break
			}
			if err := screen.CanBeKey(key, scope); err == nil {
				keys[label] = key
				break
			} else {
				fmt.Fprintf(t.out, "%q can't be its key: %v.\n", key, err)
			}
		}
	}
	return keys, nil
}

// number asks for a number from least to most.
func (t teaching) number(question string, least, most int) (int, error) {
	for {
		answer, err := t.ask(question)
		if err != nil {
			return 0, err
		}
		if n, err := strconv.Atoi(answer); err == nil && n >= least && n <= most {
			return n, nil
		}
		fmt.Fprintf(t.out, "A number from %d to %d.\n", least, most)
	}
}

// ask prints a question and reads a line.
func (t teaching) ask(question string) (string, error) {
	fmt.Fprint(t.out, question)
	line, err := t.in.ReadString('\n')
	if err != nil && line == "" {
		return "", &failure{code: exitFailed, err: errors.New("nothing was kept: the answers ended too soon")}
	}
	return strings.TrimSpace(line), nil
}

func quoted(labels []string) string {
	var all []string
	for _, label := range labels {
		all = append(all, strconv.Quote(oneLine(label)))
	}
	return strings.Join(all, ", ")
}

func (p *program) listTaught(folder taught.Folder) error {
	lessons, problems := folder.Read()
	for _, l := range lessons {
		fmt.Fprintf(p.out, "%-20s %-12s taught on %-7s yes: %q, no: %q\n", l.Name, oneLine(l.Agent), l.Day(), oneLine(l.Once), oneLine(l.No))
	}
	if len(lessons)+len(problems) == 0 {
		fmt.Fprintln(p.out, "nothing was taught")
	}
	return p.wrong(problems)
}

// checkTaught tries each dialog on the screen that it was taught on.
func (p *program) checkTaught(folder taught.Folder) error {
	lessons, problems := folder.Read()
	failed := false
	for _, l := range lessons {
		text := folder.Screen(l.Name)
		r := agents.ReadTaught([]agents.Taught{l}, l.Agent, screen.Parse(text))
		switch {
		case text == "":
			fmt.Fprintf(p.out, "%-20s good; the screen that it was taught on is gone\n", l.Name)
		case r.Prompt == nil || r.Prompt.Taught == "" && len(r.Prompt.Approve) == 0:
			failed = true
			fmt.Fprintf(p.out, "%-20s not found again on its own screen: teach it anew, or nod teach --forget %s\n", l.Name, l.Name)
		case r.Prompt.Taught == "":
			fmt.Fprintf(p.out, "%-20s not needed any more: nod reads it by itself; nod teach --forget %s\n", l.Name, l.Name)
		default:
			fmt.Fprintf(p.out, "%-20s good: yes %s, no %s\n", l.Name, orDash(strings.Join(r.Prompt.Approve, " ")), orDash(strings.Join(r.Prompt.Deny, " ")))
		}
	}
	if len(lessons)+len(problems) == 0 {
		fmt.Fprintln(p.out, "nothing was taught")
	}
	if err := p.wrong(problems); err != nil || !failed {
		return err
	}
	return &failure{code: exitFailed, err: errors.New("a taught dialog is of no use")}
}

// wrong fails where a file is.
func (p *program) wrong(problems []taught.Problem) error {
	for _, problem := range problems {
		fmt.Fprintln(p.err, "nod:", problem)
	}
	if len(problems) > 0 {
		return &failure{code: exitFailed, err: fmt.Errorf("%d of the files can't be used", len(problems))}
	}
	return nil
}

func (p *program) forgetTaught(folder taught.Folder, name string) error {
	was, err := folder.Forget(name)
	switch {
	case err != nil:
		return fmt.Errorf("forget %s: %w", name, err)
	case !was:
		return &failure{code: exitFailed, err: fmt.Errorf("nothing was taught under the name %q", name), hint: "nod teach --list lists the names"}
	}
	fmt.Fprintf(p.out, "forgot %s\n", name)
	return nil
}
