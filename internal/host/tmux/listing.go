package tmux

import (
	"crypto/rand"
	"fmt"
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
	ofClient  = "C"
	ofCapture = "X"
)

// records makes and reads the output of one script.
type records struct{ marker string }

func newRecords() records { return records{marker: rand.Text()} }

// listing is the script that lists the server.
func (m records) listing() []string {
	return []string{
		"display-message -p " + quote(m.marker+ofServer+"#{pid} #{start_time} v#{version} #{"+ownerOption+"}"),
		"list-panes -a -F " + quote(m.marker+ofPane+m.pane()),
		"list-clients -F " + quote(m.marker+ofClient+"#{client_control_mode} #{client_activity} #{window_id} #{pane_id} #{client_flags} #{client_pid} #{client_name}"),
	}
}

// pane is the format of one pane: what has no blanks first, then the texts, each behind a marker.
func (m records) pane() string {
	return "#{pane_id} #{pane_pid} " + takesKeys + "#{?alternate_on,1,0}#{?pane_active,1,0}#{?window_zoomed_flag,1,0}" +
		" #{pane_width} #{pane_height} #{window_id} #{window_index} #{pane_index} #{window_activity} #{pane_tty}" +
		m.text("#{session_name}") + m.text("#{window_name}") + m.text("#{pane_title}") + m.text("#{pane_current_path}") +
		m.text("#{"+AgentOption+"}") + m.text("#{"+NameOption+"}")
}

const paneTexts = 6

func (m records) text(format string) string { return m.marker + "T" + format }

// capture is the command line that captures a pane, with colours.
func (m records) capture(pane string) string {
	return "display-message -p " + m.marker + ofCapture + pane[1:] + " ; capture-pane -e -p -t " + pane
}

// listed is all that one script told.
type listed struct {
	Listing
	panes    []paneRecord // also those that several sessions share, once for each
	captures map[string]string
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
	l := listed{captures: map[string]string{}}
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
			// A capture has a line for each row, so one without any is none.
			if id, text, _ := strings.Cut(body, "\n"); text != "" {
				l.captures["%"+id] = chomp(text)
			}
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
	l.Life.Socket, l.Owner = socket, owner
	if version = strings.TrimPrefix(version, "v"); TooOld(version) {
		return &oldServer{version}
	}
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
			Name:      chomp(texts[5]),
		},
		windowID: fields[5], windowName: texts[1], active: flag(5), zoomed: flag(6),
	}
	l.panes = append(l.panes, p)
	// list-panes -a repeats the panes of grouped sessions and of linked windows.
	if !slices.ContainsFunc(l.Panes, func(other Pane) bool { return other.ID == p.ID }) {
		l.Panes = append(l.Panes, p.Pane)
	}
	return nil
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
	for _, p := range l.panes {
		if p.windowID == fields[2] && (p.active || !p.zoomed) && !slices.Contains(c.Shows, p.ID) {
			c.Shows = append(c.Shows, p.ID)
		}
	}
	l.Clients = append(l.Clients, c)
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
