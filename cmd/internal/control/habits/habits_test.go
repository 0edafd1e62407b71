package habits

import (
	"encoding/json"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"nod/deliver"
	"nod/detect"
	"nod/detect/screen"
	"nod/internal/reason"
	"nod/nudge"
)

var noon = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

// habitual returns a permission for a command, with a given ending.
func habitual(command string, end func(*nudge.Nudge)) nudge.Nudge {
	n := nudge.Nudge{Whereabouts: detect.Whereabouts{Agent: "claude", Project: "api"}, About: nudge.Permission{Prompt: &screen.Prompt{
		Content: screen.Content{Subject: command + "\nwhy it runs", Lead: 1 + strings.Count(command, "\n"), Options: []screen.Option{{Label: "Yes", Scope: screen.Once}, {Label: "No", Scope: screen.No}}},
	}}}
	n.Detected = noon
	end(&n)
	return n
}

func yes(n *nudge.Nudge) {
	n.State, n.Claim = nudge.Delivered, &nudge.Claim{Said: nudge.Said{Decision: screen.Approve}}
}

func no(n *nudge.Nudge) {
	n.State, n.Claim = nudge.Delivered, &nudge.Claim{Said: nudge.Said{Decision: screen.Deny}}
}

// TestHabitsAreWhatWasApprovedAndNeverDenied: one denial, of any kind and in any project, excludes a call and
// its form.
func TestHabitsAreWhatWasApprovedAndNeverDenied(t *testing.T) {
	denials := map[string]func(*nudge.Nudge){
		"denied":                  no,
		"no, and nothing came of": func(n *nudge.Nudge) { no(n); n.State = nudge.Refused },
		"denied at the terminal":  func(n *nudge.Nudge) { n.State, n.Proof = nudge.Recovered, "denied" },
		"its no was tapped": func(n *nudge.Nudge) {
			n.State, n.Claim = nudge.Delivered, &nudge.Claim{Said: nudge.Said{Choice: &deliver.Choice{Index: 1, Label: "No"}}}
		},
		"denied in another project": func(n *nudge.Nudge) { no(n); n.Project = "web" },
	}
	for name, denial := range denials {
		all := []nudge.Nudge{habitual("npm test unit", yes), habitual("npm test all", yes), habitual("npm test unit", yes), habitual("go vet ./...", yes)}
		if got := Of(all, nil, 1); len(got) != 4 || got[0].Text != "npm test …" || got[0].Calls != 2 || got[0].Times != 3 {
			t.Fatalf("without a denial the habits are %+v", got)
		}
		for _, h := range Of(append(all, habitual("npm test unit", denial)), nil, 1) {
			if h.Text == "npm test unit" || h.Calls > 0 {
				t.Errorf("%s: %q is a habit", name, h.Text)
			}
		}
	}
}

// TestWhatWasLeftDeniedIsNoHabit: a guard had denied it and a human left it so, once, in any project.
func TestWhatWasLeftDeniedIsNoHabit(t *testing.T) {
	all := []nudge.Nudge{habitual("npm test unit", yes), habitual("npm test all", yes), habitual("ls", yes)}
	guarded := func(left bool) []nudge.Denials {
		d := nudge.Denials{Addressee: nudge.Addressee{Whereabouts: detect.Whereabouts{Agent: "claude", Project: "web"}}}
		d.Calls = []nudge.Denial{{Tool: "Bash", Text: "npm test unit\ntimeout: 5", Lead: 1, Word: nudge.Word{Left: left}}}
		return []nudge.Denials{d}
	}
	if got := Of(all, guarded(false), 1); len(got) != 4 {
		t.Errorf("what nobody has decided about is no habit: %+v", got)
	}
	if got := Of(all, guarded(true), 1); len(got) != 2 || got[0].Text != "ls" || got[1].Text != "npm test all" {
		t.Errorf("the habits are %+v", got)
	}
}

// TestACallWithoutRemarksIsWholeACall: what is made of a call's input says where the command ends only if more follows.
func TestACallWithoutRemarksIsWholeACall(t *testing.T) {
	made := func(command string, end func(*nudge.Nudge)) nudge.Nudge {
		verb, subject, lead := detect.Subject("Bash", []byte(`{"command":"`+command+`"}`))
		asked := nudge.ProgramQuestion{Call: &nudge.Call{Verb: verb, Subject: subject, Lead: lead}, Program: "claude", Project: "api", Door: true}
		n := nudge.OpenQuestion("k3f", asked, nudge.Rules{}, noon)
		end(n)
		return *n
	}
	outside := []nudge.Nudge{made("go vet", yes), made("ls -l", yes)}
	if got := Of(outside, nil, 1); len(got) != 2 || got[0].Text != "go vet" || !got[0].NoEntry.IsZero() {
		t.Errorf("approved outside tmux are %+v", got)
	}
	verb, text, lead := detect.Subject("Bash", []byte(`{"command":"go vet"}`))
	d := nudge.Denials{Addressee: nudge.Addressee{Whereabouts: detect.Whereabouts{Agent: "claude"}}, Calls: []nudge.Denial{{Verb: verb, Text: text, Lead: lead, Word: nudge.Word{Left: true}}}}
	for name, got := range map[string][]Habit{"left denied": Of(outside, []nudge.Denials{d}, 1), "denied": Of(append(outside, made("go vet", no)), nil, 1)} {
		if len(got) != 1 || got[0].Text != "ls -l" {
			t.Errorf("one is %s, and the habits are %+v", name, got)
		}
	}
}

// TestOnlyAYesThatArrivedMakesAHabit: a call that expired, was refused, or got a lasting answer was not
// approved each time.
func TestOnlyAYesThatArrivedMakesAHabit(t *testing.T) {
	ends := []func(*nudge.Nudge){
		func(n *nudge.Nudge) { n.State = nudge.Expired },
		func(n *nudge.Nudge) { n.State = nudge.Gone },
		func(n *nudge.Nudge) { n.State, n.Proof = nudge.Recovered, "answered" },
		func(n *nudge.Nudge) { yes(n); n.State = nudge.Refused },
		func(n *nudge.Nudge) { yes(n); n.State = nudge.Unknown },
		func(n *nudge.Nudge) { yes(n); n.About = nudge.Question{Prompt: n.Prompt()} },
	}
	for i, end := range ends {
		if got := Of([]nudge.Nudge{habitual("go test ./...", end)}, nil, 1); len(got) != 0 {
			t.Errorf("end %d made a habit of %q", i, got[0].Text)
		}
	}
	got := Of([]nudge.Nudge{habitual("ls", yes), habitual("ls", func(n *nudge.Nudge) { yes(n); n.Detected = noon.Add(-time.Hour) })}, nil, 2)
	if len(got) != 1 || got[0].Times != 2 || !got[0].First.Equal(noon.Add(-time.Hour)) || !got[0].Last.Equal(noon) || !got[0].NoEntry.IsZero() {
		t.Errorf("two approvals are %+v", got)
	}
}

// TestNothingDangerousIsEverProposed with random commands: a command of any other program, or with an option that may write, run a program
// or read one's settings, a name outside the project or of a hidden file, or a sign with a meaning for a shell, is never proposed.
func TestNothingDangerousIsEverProposed(t *testing.T) {
	good := map[string][]string{
		"go test":          {"./...", "-v", "-run=TestX", "-run name", "-count=1", "./cmd/nod", "main.go", "."},
		"git log":          {"--oneline", "main...feature", "--stat", "src/api"},
		"npm run lint":     nil,
		"python -m pytest": {"-q", "tests/unit", "-k name", "-m=slow"},
		"make test":        nil,
		"cargo test":       {"--workspace", "name"},
		"ls":               {"-la", "src/"},
	}
	programs := strings.Split("dd,mv,cp,eval,exec,tee,ln,sed,awk,perl,xargs,tar,unzip,install,truncate,find,crontab,at,nohup,env,time,command,busybox,python3,node,npx,sh,./run,"+
		"bin/ls,docker,kubectl,psql,sqlite3,redis-cli,aws,go,git,npm,make,cargo,nod,claude,codex,ssh,rsync,curl,wget,rm,sudo,kill,chmod,printenv,mount,source,alias,trap,mkfifo,open,vim,"+
		"go run,go generate,go install,go env,git push,git add,git commit,git checkout,git config,git branch -D,git branch feature,npm install,npm run deploy,npm exec,make deploy,make clean,cargo run,cargo publish", ",")
	added := []string{
		";", "&&", "|", ">", "<", "$(id)", "`id`", "$HOME", "*", "?", "[a]", "{a,b}", "~", "!!", "#", "\\", "\n", "\t", "\x1b[2K", "\u202e", "\u200b", "ä", "é", "(", ")", "'x y'", `"x"`,
		"-exec=/bin/sh", "-toolexec=x", "-vettool=x", "-o", "-o=main.go", "-coverprofile=main.go", "--output=main.go", "--outp=x", "-C", "-C=x", "-f", "-c", "-e", "--eval=x", "--fix", "-w", "--write",
		"--config=x", "--ext-diff", "-p", "-i", "--files0-from=x", "--rootdir=x", "-update", "-args", "--", "-", "--yolo", "--dangerously-skip-permissions", "@args", "A=b", "CC=x",
		"../x", "src/../../x", "/etc/passwd", "/proc/self/environ", "/tmp", ".env", "src/.env", ".git/config", "HEAD:.env", "x:", "c++", "https://x.y/z", "-run=/etc/x", "-run=../x", "token=ghp_0123456789abcdefghijABCDEFGHIJ012345",
	}
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 0))
	for range 1000 {
		command := slices.Sorted(maps.Keys(good))[r.IntN(len(good))]
		later := good[command]
		words := []string{command}
		for range r.IntN(4) {
			if len(later) > 0 {
				words = append(words, later[r.IntN(len(later))])
			}
		}
		plain := strings.Join(words, " ")
		if why := (Call{Agent: "claude", Text: plain}).noEntry(); !why.IsZero() {
			t.Fatalf("seed %d: %q is not proposed: %v", seed, plain, why)
		}
		var text string
		switch sign := added[r.IntN(len(added))]; r.IntN(3) {
		case 0:
			words[0] = programs[r.IntN(len(programs))]
			text = strings.Join(words, " ")
		case 1:
			text = programs[r.IntN(len(programs))] + " " + plain
		default:
			at := 1 + r.IntN(len(words))
			text = strings.Join(slices.Insert(words, at, sign), " ")
		}
		if strings.TrimSpace(text) != text {
			continue // a call has no blanks around it
		}
		if (Call{Agent: "claude", Text: text}).noEntry().IsZero() {
			t.Fatalf("seed %d: %q is proposed", seed, text)
		}
	}
}

// TestNoEntryForWhatWasNotSeenWhole: one doubt about the question, once, is enough.
func TestNoEntryForWhatWasNotSeenWhole(t *testing.T) {
	doubt := func(n *nudge.Nudge) { yes(n); n.Prompt().Partial = true }
	for _, all := range [][]nudge.Nudge{{habitual("ls", yes), habitual("ls", doubt)}, {habitual("ls", doubt), habitual("ls", yes)}} {
		got := Of(all, nil, 1)
		if len(got) != 1 || got[0].NoEntry.Kind != reason.CallNotWhole {
			t.Errorf("the habits are %+v", got)
		}
	}
	edit := habitual("main.go", func(n *nudge.Nudge) { yes(n); n.Prompt().Verb = "edit" })
	if got := Of([]nudge.Nudge{edit}, nil, 1); len(got) != 1 || got[0].NoEntry.Kind != reason.CallIsNoCommand {
		t.Errorf("an edit is %+v", got)
	}
}

// TestAnEntryAllowsThatCommandAlone: the entry is JSON with the whole command, as it was approved.
func TestAnEntryAllowsThatCommandAlone(t *testing.T) {
	const command = `npm test -- --grep "one two"`
	file, entry := Habit{Call: Call{Agent: "claude", Text: command}}.Entry()
	var claude struct {
		Permissions struct{ Allow []string }
	}
	if err := json.Unmarshal([]byte(entry), &claude); err != nil || len(claude.Permissions.Allow) != 1 || claude.Permissions.Allow[0] != "Bash("+command+")" {
		t.Errorf("for Claude Code it proposes %q in %s (%v)", entry, file, err)
	}
	file, entry = Habit{Call: Call{Agent: "opencode", Text: command}}.Entry()
	var opencode struct {
		Permission struct{ Bash map[string]string }
	}
	if err := json.Unmarshal([]byte(entry), &opencode); err != nil || len(opencode.Permission.Bash) != 1 || opencode.Permission.Bash[command] != "allow" {
		t.Errorf("for OpenCode it proposes %q in %s (%v)", entry, file, err)
	}
	for _, agent := range []string{"codex", "somebody's own"} {
		if why := (Call{Agent: agent, Text: "npm test"}).noEntry(); why.Kind != reason.NoExactRule {
			t.Errorf("for %s something is proposed: %v", agent, why)
		}
	}
}
