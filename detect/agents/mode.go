package agents

import (
	"encoding/json"
	"io"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"unicode"

	"github.com/BurntSushi/toml"

	"nod/detect/screen"
	"nod/internal/host/ordinary"
	"nod/internal/reason"
)

// mode is a way to run an agent in which its calls do not come as prompts.
type mode struct {
	does  reason.Kind
	name  string
	args  []string // each of these arguments starts the mode; one with a blank is two words
	event string   // the mode's name in hooks
	foot  []string // words in the rows below the input box, each of which shows this mode
}

// policy is how an agent shows which calls it asks about, and which of the others its own guard denied.
type policy struct {
	modes   []mode
	asks    []string // words in the rows below its input box if none of its modes is on
	own     []string // the user's own settings that may change the mode, in the folder of its hooks
	project []string // those of a project, below its working folder
	// managed is the folder of its administrator's settings below / on a system that Go calls so; nil: it was not proven to have one.
	managed func(system string) string
	read    func(files []SettingsFile) Settled
	// denied finds the calls that its own guard denied on its screen, given the first line of its input box; nil: they are not there.
	denied func(l *screen.Layout, box int) DeniedCalls
	grants *Grants // the list in which it keeps them; nil: it has none that was proven
}

// Settled is what an agent's settings say about the calls that it asks about.
type Settled struct {
	Found    []reason.Why // why calls do not come as prompts in any mode
	Starts   string       // the mode that a session starts in where its arguments name none, as its hooks call it; empty: they do not say
	StartsBy string       // the setting that says so, with its file where that is not the user's
	Barred   string       // the setting that forbids the modes in which it runs whatever it likes, as StartsBy; empty: none does
}

// footRows is the greatest number of rows below an input box.
const footRows = 5

// Mode is what the rows of an agent's screen say about its mode.
type Mode struct {
	on   *mode // nil: none of those in which calls do not come as prompts
	says bool  // a row says one
}

// ModeShown reads the mode off the last rows of an agent's screen. The lowest row that names one counts.
func ModeShown(name string, screen []string) Mode {
	policy := byName(name).policy
	for _, row := range slices.Backward(screen[max(len(screen)-footRows, 0):]) {
		if shown := policy.shown(row); shown.says {
			return shown
		}
	}
	return Mode{}
}

// Unasked says why calls of an agent do not come as prompts; zero: nothing says so. It goes by the mode that its screen shows,
// else by the mode in its last hook event, else by the arguments it was started with, else by its settings.
func Unasked(name string, args []string, event string, settled Settled, shown Mode) reason.Why {
	policy, on, by := byName(name).policy, shown.on, ""
	switch {
	case shown.says:
	case event != "":
		on = policy.modeOf(func(m mode) bool { return m.event == event })
	default:
		if on = policy.modeOf(func(m mode) bool { return m.startedBy(args) }); on == nil {
			on = policy.modeOf(func(m mode) bool { return m.event != "" && m.event == settled.Starts })
			by = " (" + settled.StartsBy + ")"
		}
		if on != nil && on.does == reason.RunsUnasked && settled.Barred != "" {
			return reason.Why{Kind: reason.ModeForbidden, What: on.name + " (" + settled.Barred + ")"}
		}
	}
	if on == nil || on.does == "" {
		return reason.Why{}
	}
	return reason.Why{Kind: on.does, What: on.name + by}
}

// shown is what a row says about the mode.
func (p policy) shown(row string) Mode {
	label := strings.TrimLeftFunc(row, func(r rune) bool { return !unicode.IsLetter(r) })
	on := p.modeOf(func(m mode) bool {
		return slices.ContainsFunc(m.foot, func(said string) bool { return strings.HasPrefix(label, said) })
	})
	return Mode{on, on != nil || screen.Holds(row, p.asks...)}
}

func (p policy) modeOf(fits func(mode) bool) *mode {
	if at := slices.IndexFunc(p.modes, fits); at >= 0 {
		return &p.modes[at]
	}
	return nil
}

// startedBy reports whether arguments start the mode: one that is alone, or a name with its value.
func (m mode) startedBy(args []string) bool {
	return slices.ContainsFunc(m.args, func(arg string) bool {
		name, value, two := strings.Cut(arg, " ")
		return two && slices.Contains(valuesAfter(args, name), value) || !two && slices.Contains(args, name)
	})
}

// valuesAfter are what an option of a command line is given, in the same word or in the next.
func valuesAfter(args []string, option string) (values []string) {
	for i, arg := range args {
		switch rest, is := strings.CutPrefix(arg, option); {
		case is && rest == "" && i+1 < len(args):
			values = append(values, args[i+1])
		case is && strings.HasPrefix(rest, "="):
			values = append(values, rest[1:])
		}
	}
	return values
}

// PolicyFiles are the files that may say which calls an agent asks about, given the home folder and the one that it works in; one that is
// empty has none.
func PolicyFiles(name, home, folder string) []string {
	var files []string
	if home != "" {
		files = UserFiles(name, filepath.Join(home, HooksOf(name).Settings.Folder))
	}
	if folder != "" {
		files = append(files, joined(folder, byName(name).policy.project)...)
	}
	return files
}

// UserFiles are those of them that are the user's own, given the folder in which they are.
func UserFiles(name, folder string) []string { return joined(folder, byName(name).policy.own) }

func joined(folder string, files []string) (paths []string) {
	for _, file := range files {
		paths = append(paths, filepath.Join(folder, file))
	}
	return paths
}

// SettledBy says what files of an agent's settings mean for the calls that it asks about; a later file overrides an earlier one.
func SettledBy(name string, files ...SettingsFile) (s Settled) {
	if read := byName(name).policy.read; read != nil {
		for i := range files {
			files[i].parse()
		}
		s = read(files)
	}
	return s
}

// UnaskedBy says what files of an agent's settings alone mean for the calls that it asks about, in the mode that they start it in too.
func UnaskedBy(name string, files ...SettingsFile) []reason.Why {
	s := SettledBy(name, files...)
	found := s.Found
	if start := Unasked(name, nil, "", s, Mode{}); !start.IsZero() {
		found = append(found, start)
	}
	return found
}

// yolo is the mode of those agents that call it so, with what a row says then.
func yolo(says ...string) mode {
	return mode{does: reason.RunsUnasked, name: "YOLO", args: []string{"--yolo", "-y", "--approval-mode yolo"}, event: "yolo", foot: says}
}

// SettingsFile is a file of an agent's settings.
type SettingsFile struct {
	Path    string
	Text    []byte
	Managed bool // the administrator's, for every user of the machine

	all map[string]any // that is in Text, in JSON or TOML
}

// parse takes in what is in Text; nothing, where it is neither JSON nor TOML.
func (f *SettingsFile) parse() {
	if json.Unmarshal(f.Text, &f.all) != nil && toml.Unmarshal(f.Text, &f.all) != nil {
		f.all = nil
	}
}

// says is what a file says of a setting, whose name is the way to it: "tools.approvalMode"; nil: nothing.
func (f SettingsFile) says(name string) (value any) {
	value = f.all
	for part := range strings.SplitSeq(name, ".") {
		table, _ := value.(map[string]any)
		value = table[part]
	}
	return value
}

// latest is what the last file says of a setting that counts, where not all do, and the setting's name, with that file where it is the
// administrator's.
func latest[T any](files []SettingsFile, name string, counts func(file SettingsFile, value T) bool) (value T, by string, managed bool) {
	for _, file := range slices.Backward(files) {
		value, said := file.says(name).(T)
		switch {
		case !said || counts != nil && !counts(file, value):
			continue
		case file.Managed:
			name += " in " + file.Path
		}
		return value, name, file.Managed
	}
	return value, "", false
}

// Administrator keeps settings for every user of a machine. The zero value keeps none.
type Administrator struct {
	Root string // the folder that paths begin at
	UID  int    // whose files they have to be
}

// Root is the administrator of this machine.
var Root = Administrator{Root: "/"}

// managedLimit is the greatest length, in bytes, of an administrator's file. A longer one is ignored.
const managedLimit = 1 << 20

// Files are the administrator's settings for an agent; a later one overrides those before it.
func (a Administrator) Files(agent string) (files []SettingsFile) {
	folder := byName(agent).policy.managed
	if a.Root == "" || folder == nil {
		return nil
	}
	base := filepath.Join(a.Root, folder(runtime.GOOS))
	further, _ := filepath.Glob(filepath.Join(base, "managed-settings.d", "[^.]*.json")) // sorted; its one error is of the pattern
	for _, path := range slices.Concat([]string{filepath.Join(base, "managed-settings.json")}, further) {
		if text := a.read(path); text != nil {
			files = append(files, SettingsFile{Path: path, Text: text, Managed: true})
		}
	}
	return files
}

// read is the text of a file that only the administrator can write; nil: none.
func (a Administrator) read(path string) []byte {
	f, info, err := ordinary.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	if info.Mode().Perm()&0o022 != 0 || !ordinary.OwnedBy(info, a.UID) {
		return nil
	}
	text, err := io.ReadAll(io.LimitReader(f, managedLimit))
	if err != nil {
		return nil
	}
	return text
}
