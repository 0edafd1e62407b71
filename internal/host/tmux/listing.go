package tmux

import (
	"crypto/rand"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Records are what the scripts of this package print: each begins with a marker and one letter, and
// goes on until the next marker. So no text of a pane can end or forge one.
const (
	ofServer  = "S"
	ofPane    = "P"
	ofGate    = "G"
	ofBrief   = "B" // a gate that says of windows alone when they drew
	ofClient  = "C"
	ofCapture = "X"
	ofScreens = "Y"
	ofEnd     = "E" // of a look of a Watch
)

// records makes and reads the output of one script.
type records struct{ marker string }

func newRecords() records { return records{marker: rand.Text()} }

// listing is the script that lists the server.
func (m records) listing() []string {
	return []string{line(m.who("")), "list-panes -a -F " + quote(m.marker+ofPane+m.pane()), line(m.clients())}
}

// next are the command lines of the poll after a listing.
func (m records) next(last Listing, busy []string) (lines []string) {
	if last.listsAll() {
		return m.listing()
	}
	for _, command := range m.gate(last.briefly(busy)) {
		lines = append(lines, line(command))
	}
	return lines
}

// gate are the commands that print in one row when each window drew last, and what of its panes may have changed without output. They
// cost the server a fourth of a listing, in which each pane's row is a message. A brief one leaves the panes out, and costs a third of that.
func (m records) gate(brief bool) [][]string {
	row := ofGate + "#{S:#{W:#{window_activity}#{P:" + stillFormat + "}}}"
	if brief {
		row = ofBrief + "#{S:#{W:#{window_activity}#{window_id};}}"
	}
	return [][]string{m.who(m.marker + row), m.clients()}
}

// panePID is the pid of a pane's process; 0 if it is dead: tmux 3.8 has none then.
const panePID = "#{?pane_pid,#{pane_pid},0}"

// stillFormat is what can change in a pane without output: the process by respawn-pane, death, a mode, the size, the option. A gate has to
// repeat what the listing before said, whatever that means: conditions would cost a sixth of it.
const stillFormat = "#{pane_id} #{pane_pid} #{pane_dead} #{pane_in_mode} #{pane_width} #{pane_height} #{" + AgentOption + "};"

// who is the command by which the server says who it is, and more.
func (m records) who(more string) []string {
	return []string{"display-message", "-p", m.marker + ofServer + "#{pid} #{start_time} v#{version} #{" + ownerOption + "}" + more}
}

// clients is the command that lists the clients.
func (m records) clients() []string {
	return []string{"list-clients", "-F", m.marker + ofClient + "#{client_control_mode} #{client_activity} #{window_id} #{pane_id} #{client_flags} #{client_pid} #{client_name}"}
}

// line is a command as a line of a script.
func line(command []string) string {
	words := make([]string, len(command))
	for i, word := range command {
		words[i] = quote(word)
	}
	return strings.Join(words, " ")
}

// pane is the format of one pane: what has no blanks first, then the texts, each behind a marker.
func (m records) pane() string {
	return "#{pane_id} " + panePID + " " + takesKeys + "#{?alternate_on,1,0}#{?pane_active,1,0}#{?window_zoomed_flag,1,0}" +
		" #{pane_width} #{pane_height} #{window_id} #{window_index} #{pane_index} #{window_activity} #{pane_tty}" +
		m.text("#{session_name}") + m.text("#{window_name}") + m.text("#{pane_title}") + m.text("#{pane_current_path}") +
		m.text("#{"+AgentOption+"}") + m.text("#{"+NameOption+"}") + m.text(stillFormat)
}

const paneTexts = 7

func (m records) text(format string) string { return m.marker + "T" + format }

// capture is the command line that captures a pane, with colours, and says of which process and size it is.
func (m records) capture(pane string) string {
	return "display-message -p -t " + pane + " " + quote(m.marker+ofCapture+captureHead) + " ; capture-pane -e -p -t " + pane
}

// captureAll are the command lines that capture panes.
func (m records) captureAll(panes []string) (lines []string) {
	for _, id := range panes {
		lines = append(lines, m.capture(id))
	}
	return lines
}

// screens are the command lines that capture panes in the step of the server that lists them. The listed number of rows separates one
// screen from the next: a record for each would cost the server a third more.
func (m records) screens(panes []string) (lines []string) {
	for i, id := range panes {
		if i == 0 {
			lines = append(lines, "display-message -p "+quote(m.marker+ofScreens))
		}
		lines = append(lines, "capture-pane -e -p -t "+id)
	}
	return lines
}

// captureHead is blanks and a 0 if there is no such pane.
const captureHead = "#{pane_id} " + panePID + " #{pane_width} #{pane_height}"

// listed is the output of one script.
type listed struct {
	Listing
	panes    []paneRecord // also those that several sessions share, once for each
	lead     string       // the first pane of the window of the last of them
	gate     string       // the gate's row
	brief    bool         // it reports windows alone
	spares   bool         // the screens of spared panes did not come with it
	screens  string       // the panes' screens, one after another
	captures map[string]captured
}

// captured is a pane's screen, and the pane's process and size when it was captured.
type captured struct {
	pid, width, height int
	text               string
}

// of reports whether it is of the pane as listed: between the two the pane may have got another size or program.
func (c captured) of(p *Pane) bool {
	return c.pid == p.PID && c.width == p.Width && c.height == p.Height
}

// paneRecord is a pane with what only this package needs.
type paneRecord struct {
	Pane
	windowID   string
	windowName string
	active     bool // in its window
	zoomed     bool // its window shows the active pane alone
}

// read reads the output of a script that began with listing.
func (m records) read(socket, out string) (listed, error) {
	l := listed{captures: map[string]captured{}}
	parts := strings.Split(out, m.marker)
	if parts[0] != "" {
		return listed{}, fmt.Errorf("%w (unexpected output)", ErrProtocol)
	}
	var clients []string
	for i := 1; i < len(parts); i++ {
		kind, body := cut1(parts[i])
		switch kind {
		case ofServer:
			if err := l.readServer(socket, chomp(body)); err != nil {
				return listed{}, err
			}
		case ofPane:
			if i+paneTexts >= len(parts) {
				return listed{}, fmt.Errorf("%w (a pane's record is cut short)", ErrProtocol)
			}
			if err := l.readPane(body, parts[i+1:i+1+paneTexts]); err != nil {
				return listed{}, err
			}
			i += paneTexts
		case ofClient:
			clients = append(clients, chomp(body))
		case ofCapture:
			l.readCapture(body)
		case ofScreens:
			_, l.screens, _ = strings.Cut(body, "\n")
		case ofGate, ofBrief:
			l.gate, l.brief = chomp(body), kind == ofBrief
		default:
			return listed{}, fmt.Errorf("%w (unknown record)", ErrProtocol)
		}
	}
	if l.Life.PID == 0 {
		return listed{}, fmt.Errorf("%w (the server did not say who it is)", ErrProtocol)
	}
	for _, client := range clients {
		l.readClient(client)
	}
	return l, nil
}

func (l *listed) readServer(socket, line string) error {
	pid, rest, _ := strings.Cut(line, " ")
	start, rest, _ := strings.Cut(rest, " ")
	version, owner, _ := strings.Cut(rest, " ")
	apart(&owner)
	l.Life.Socket, l.Owner = socket, owner
	if version = strings.TrimPrefix(version, "v"); TooOld(version) {
		return &oldServer{version}
	}
	l.hoards, l.tellsDrawing = olderThan(version, "3.3"), !olderThan(version, tellsDrawing)
	var err error
	if l.Life.PID, err = strconv.Atoi(pid); err == nil {
		l.Life.Start, err = strconv.ParseInt(start, 10, 64)
	}
	if err != nil {
		return fmt.Errorf("%w (server %q)", ErrProtocol, line)
	}
	return nil
}

func (l *listed) readPane(line string, texts []string) error {
	fields := strings.Fields(line)
	// A pane without a terminal has an empty last field.
	if len(fields) == 9 {
		fields = append(fields, "")
	}
	if len(fields) != 10 || len(fields[2]) != 7 || !validPane(fields[0]) {
		return fmt.Errorf("%w (pane %q)", ErrProtocol, line)
	}
	var numbers [6]int
	for i, at := range []int{1, 3, 4, 6, 7, 8} {
		n, err := strconv.Atoi(fields[at])
		if err != nil {
			return fmt.Errorf("%w (pane %q)", ErrProtocol, line)
		}
		numbers[i] = n
	}
	for i, text := range texts {
		_, texts[i] = cut1(text)
	}
	flag := func(i int) bool { return fields[2][i] == '1' }
	p := paneRecord{
		Pane: Pane{
			ID:        fields[0],
			PID:       numbers[0],
			Input:     Input{Dead: flag(0), InMode: flag(1), InputOff: flag(2), Synchronized: flag(3)},
			Alternate: flag(4),
			Width:     numbers[1],
			Height:    numbers[2],
			TTY:       fields[9],
			Position:  Position{Window: numbers[3], Index: numbers[4], Session: texts[0]},
			Activity:  time.Unix(int64(numbers[5]), 0),
			Title:     texts[2],
			Path:      texts[3],
			Agent:     texts[4],
			Name:      texts[5],
			still:     chomp(texts[6]),
		},
		windowID: fields[5], windowName: texts[1], active: flag(5), zoomed: flag(6),
	}
	apart(&p.ID, &p.TTY, &p.Session, &p.Title, &p.Path, &p.Agent, &p.Name, &p.still, &p.windowID, &p.windowName)
	// list-panes -a repeats the panes of grouped sessions and of linked windows.
	at := slices.IndexFunc(l.Panes, func(other Pane) bool { return other.ID == p.ID })
	if at < 0 {
		at = len(l.Panes)
		l.Panes = append(l.Panes, p.Pane)
	}
	l.noteWindow(p, at)
	l.panes = append(l.panes, p)
	return nil
}

// noteWindow records the window of the pane at that place among the panes. The panes before it were noted before.
func (l *listed) noteWindow(p paneRecord, at int) {
	var before []int
	if n := len(l.panes); n > 0 && l.panes[n-1].Session == p.Session && l.panes[n-1].Window == p.Window {
		before = l.windows[l.lead]
	} else {
		l.lead = p.ID
	}
	if l.windows == nil {
		l.windows = map[string][]int{}
	}
	l.windows[l.lead] = append(before, at)
	l.windows[p.windowID] = l.windows[l.lead]
}

// readCapture reads one capture. A capture has a line for each row, so text without a line is no capture.
func (l *listed) readCapture(body string) {
	head, text, _ := strings.Cut(body, "\n")
	var id string
	var c captured
	if n, _ := fmt.Sscan(head, &id, &c.pid, &c.width, &c.height); n == 4 && text != "" {
		c.text = chomp(text)
		l.captures[id] = c
	}
}

// readScreens reads the screens of panes that were asked for with the listing. It reads none if they don't have as many rows as the listed
// panes, as when a hook of the user prints something. Missing screens are captured each by itself.
func (l *listed) readScreens(asked []string) {
	rest := l.screens
	if len(asked) == 0 {
		return
	}
	captures := make(map[string]captured, len(asked))
	now := make(map[string]*Pane, len(asked))
	for _, id := range asked {
		now[id] = nil
	}
	for i := range l.Panes {
		p := &l.Panes[i]
		if _, is := now[p.ID]; is {
			now[p.ID] = p
		}
	}
	for _, id := range asked {
		p := now[id]
		if p == nil {
			continue
		}
		end := 0
		for range p.Height {
			row := strings.IndexByte(rest[end:], '\n') + 1
			if row == 0 {
				return
			}
			end += row
		}
		captures[p.ID] = captured{pid: p.PID, width: p.Width, height: p.Height, text: chomp(rest[:end])}
		rest = rest[end:]
	}
	if rest == "" {
		maps.Copy(l.captures, captures)
	}
}

func (l *listed) readClient(line string) {
	fields := strings.SplitN(line, " ", 7)
	if len(fields) != 7 || fields[0] == "1" || slices.Contains(strings.Split(fields[4], ","), "suspended") {
		return
	}
	activity, err := strconv.ParseInt(fields[1], 10, 64)
	if err != nil {
		return
	}
	pid, _ := strconv.Atoi(fields[5])
	c := Client{Name: fields[6], PID: pid, Pane: fields[3], Activity: time.Unix(activity, 0)}
	apart(&c.Name, &c.Pane)
	for _, p := range l.panes {
		if p.windowID == fields[2] && (p.active || !p.zoomed) && !slices.Contains(c.Shows, p.ID) {
			c.Shows = append(c.Shows, p.ID)
		}
	}
	l.Clients = append(l.Clients, c)
}

// apart moves parts of an output into memory of their own: each would keep all of the output, with its screens, as long as it is kept.
func apart(parts ...*string) {
	length := 0
	for _, part := range parts {
		length += len(*part)
	}
	var together strings.Builder
	together.Grow(length)
	for _, part := range parts {
		together.WriteString(*part)
	}
	rest := together.String()
	for _, part := range parts {
		*part, rest = rest[:len(*part)], rest[len(*part):]
	}
}

// cut1 cuts the first byte off.
func cut1(text string) (first, rest string) {
	if text == "" {
		return "", ""
	}
	return text[:1], text[1:]
}

// chomp cuts the newline off that ends a line of output.
func chomp(text string) string { return strings.TrimSuffix(text, "\n") }
