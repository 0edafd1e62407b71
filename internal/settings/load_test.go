package settings

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"
	"time"

	"nod/internal/settings/quiet"
)

const (
	goodToken = "123456789:AAEhBOweik6ad9r_QXMENQjcrGbqCr4K-bc"
	leak      = "hunter2hunter2" // a value that no message may repeat
)

// environment is an environment whose file and directories are in the test's own directory.
func environment(t *testing.T, file string, values ...string) Environment {
	t.Helper()
	dir := t.TempDir()
	env := Environment{"HOME": dir, "XDG_RUNTIME_DIR": dir}
	for i := 0; i < len(values); i += 2 {
		env[values[i]] = values[i+1]
	}
	if file != "" {
		writeFile(t, File(env), file, 0o600)
	}
	return env
}

func writeFile(t *testing.T, path, text string, mode fs.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
}

func TestDefaults(t *testing.T) {
	env := environment(t, "")
	s, err := Load(env)
	if err != nil {
		t.Fatal(err)
	}
	dir := env["HOME"]
	want := Settings{
		Telegram: true, TelegramAPI: "https://api.telegram.org",
		PollInterval: 2 * time.Second, StablePolls: 2,
		Cadence: Cadence{0, 5 * time.Minute, 15 * time.Minute, 45 * time.Minute, 2 * time.Hour, 4 * time.Hour},
		Expiry:  8 * time.Hour, Presence: time.Minute, Grace: 20 * time.Second, GuardWait: 2 * time.Minute,
		Idle: IdleSilent, Redact: true, Preview: PreviewFull, Ring: RingAll, Doors: true, AgentsMayAnswer: AgentsNever, Edge: EdgeFull,
		StateDir: Path(dir + "/.local/state/nod"), Socket: Path(dir + "/nod.sock"),
		LogLevel: slog.LevelInfo, LogFormat: LogText,
	}
	s.texts, s.sources = nil, nil
	if !reflect.DeepEqual(s, want) {
		t.Errorf("got  %+v\nwant %+v", s, want)
	}
}

func TestEnvironmentWinsOverFile(t *testing.T) {
	env := environment(t, "NOD_EXPIRY=2h\nNOD_GRACE=7s\n", "NOD_EXPIRY", "3h", "NOD_PRESENCE", "")
	s, err := Load(env)
	if err != nil {
		t.Fatal(err)
	}
	if s.Expiry != 3*time.Hour || s.Grace != 7*time.Second || s.Presence != time.Minute {
		t.Errorf("expiry %v, grace %v, presence %v", s.Expiry, s.Grace, s.Presence)
	}
	want := map[string]Source{"NOD_EXPIRY": FromEnvironment, "NOD_GRACE": FromFile, "NOD_PRESENCE": FromDefault}
	for _, row := range s.Rows() {
		if source, ok := want[row.Variable]; ok && row.Source != source {
			t.Errorf("%s comes from %s, want %s", row.Variable, row.Source, source)
		}
	}
}

func TestEveryKindOfValue(t *testing.T) {
	env := environment(t, strings.Join([]string{
		"# a comment", "", "export NOD_SUPERVISORS = 42, 7,42", `NOD_QUIET="22:00-07:00 Europe/Berlin"`,
		"NOD_TELEGRAM_TOKEN='" + goodToken + "'", "NOD_TELEGRAM_API=http://127.0.0.1:8081/", "NOD_DIGEST=0 9 * * 1-5",
		"NOD_TMUX_SOCKET=work,/tmp/t/s", "NOD_REDACT=off", "NOD_PRESENCE=0", "NOD_LOG_LEVEL=debug", "NOD_HOST=größe", "NOD_LAUNCH=/src/a/,/b",
		"NOD_CADENCE=0s,1m",
	}, "\r\n"))
	s, err := Load(env)
	if err != nil {
		t.Fatal(err)
	}
	berlin, _ := time.LoadLocation("Europe/Berlin")
	for _, c := range []struct{ name, got, want any }{
		{"supervisors", s.Supervisors, People{42, 7}},
		{"quiet", s.Quiet, quiet.Hours{From: 22 * time.Hour, To: 7 * time.Hour, Zone: berlin}},
		{"token", s.TelegramToken.Reveal(), goodToken},
		{"api", s.TelegramAPI, Address("http://127.0.0.1:8081")},
		{"digest", s.Digest, Schedule("0 9 * * 1-5")},
		{"sockets", s.TmuxSocket, Sockets{"work", "/tmp/t/s"}},
		{"redact", s.Redact, OnOff(false)},
		{"presence", s.Presence, time.Duration(0)},
		{"level", s.LogLevel, slog.LevelDebug},
		{"host", s.Host, Name("größe")},
		{"launch", s.Launch, Folders{"/src/a", "/b"}},
		{"cadence", s.Cadence, Cadence{0, time.Minute}},
	} {
		if !reflect.DeepEqual(c.got, c.want) {
			t.Errorf("%s: got %v, want %v", c.name, c.got, c.want)
		}
	}
	if err := s.Ready(); err != nil {
		t.Errorf("Ready: %v", err)
	}
}

// TestWrongValueIsNamedNeverShown puts a secret under every name: the error must name the variable and never
// the value.
func TestWrongValueIsNamedNeverShown(t *testing.T) {
	for _, v := range Variables() {
		if v.Name == "NOD_HOST" {
			continue // accepts any short text
		}
		value := leak
		switch v.Name {
		case "NOD_TMUX_SOCKET":
			value = "a/" + leak
		case "NOD_MACHINES":
			value = "-" + leak // any other value is a host
		}
		t.Run(v.Name, func(t *testing.T) {
			_, err := Load(environment(t, "", v.Name, value))
			if err == nil {
				t.Fatal("accepted")
			}
			if !strings.HasPrefix(err.Error(), v.Name+" must ") {
				t.Errorf("got %q", err)
			}
			if strings.Contains(err.Error(), leak) || strings.Contains(fmt.Sprintf("%+v %#v", err, err), leak) {
				t.Errorf("shows the value: %q", err)
			}
		})
	}
}

func TestWrongValues(t *testing.T) {
	for _, c := range []struct{ name, value string }{
		{"NOD_CADENCE", "5m,5m"}, {"NOD_CADENCE", "5m,1m"}, {"NOD_CADENCE", "-1s"}, {"NOD_CADENCE", ","},
		{"NOD_CADENCE", strings.Repeat("1s,", 30)},
		{"NOD_SUPERVISORS", "-100200300"}, {"NOD_SUPERVISORS", "@ann"}, {"NOD_SUPERVISORS", "0"},
		{"NOD_QUIET", "22:00"}, {"NOD_QUIET", "25:00-07:00"}, {"NOD_QUIET", "07:00-07:00"}, {"NOD_QUIET", "22:00-07:00 Mars/Base"},
		{"NOD_DIGEST", "every day"}, {"NOD_DIGEST", "61 * * * *"}, {"NOD_DIGEST", "TZ=Europe/Berlin"}, {"NOD_DIGEST", "CRON_TZ="}, {"NOD_DIGEST", "TZ=Europe/Berlin\t0\t9\t*\t*\t*"},
		{"NOD_TELEGRAM_API", "ftp://x"}, {"NOD_TELEGRAM_API", "https://u:p@x"}, {"NOD_TELEGRAM_API", "api.telegram.org"}, {"NOD_TELEGRAM_API", "https://api.telegram.org/bot" + goodToken},
		{"NOD_TELEGRAM_TOKEN", "123456789:short"}, {"NOD_TELEGRAM_TOKEN", "123456789 AAEhBOweik6ad9r_QXMENQjcrGbqCr4K-bc"},
		{"NOD_POLL_INTERVAL", "1ms"}, {"NOD_POLL_INTERVAL", "2"}, {"NOD_STABLE_POLLS", "0"}, {"NOD_EXPIRY", "0s"},
		{"NOD_GRACE", "-1s"}, {"NOD_REDACT", "true"}, {"NOD_IDLE", "ON"}, {"NOD_STATE_DIR", "state"},
		{"NOD_HOST", "a\nb"}, {"NOD_HOST", "a\x00b"}, {"NOD_LAUNCH", "src"}, {"NOD_LAUNCH", "~ann/src"},
	} {
		_, err := Load(environment(t, "", c.name, c.value))
		if err == nil || !strings.HasPrefix(err.Error(), c.name+" ") {
			t.Errorf("%s=%q: %v", c.name, c.value, err)
		}
	}
}

func TestAllProblemsAreNamedAtOnce(t *testing.T) {
	env := environment(t, "NOD_CADANCE=1m\nNOD_GRACE=soon\nnonsense\nNOD_IDLE=on\nNOD_IDLE=off\n",
		"NOD_PREVIEW", "tiny", "NOD_TELEGRAM_TOKEN", leak)
	_, err := Load(env)
	var all *Error
	if !errors.As(err, &all) {
		t.Fatalf("got %v", err)
	}
	for _, want := range []string{
		"NOD_CADANCE is no setting of nod: did you mean NOD_CADENCE? (" + File(env) + ", line 1)",
		"NOD_GRACE must be a time such as 20s, 5m or 8h",
		"a line of the settings file must be KEY=value (" + File(env) + ", line 3)",
		"NOD_IDLE is set twice in the file: keep one of the two lines (" + File(env) + ", line 5)",
		"NOD_PREVIEW must be full or minimal",
		"NOD_TELEGRAM_TOKEN must be a bot's token",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("lacks %q:\n%v", want, err)
		}
	}
	if len(all.Problems) != 6 {
		t.Errorf("%d problems:\n%v", len(all.Problems), err)
	}
}

func TestFileThatOthersCanReadIsRefused(t *testing.T) {
	for _, mode := range []fs.FileMode{0o640, 0o604, 0o620, 0o666} {
		env := environment(t, "")
		writeFile(t, File(env), "NOD_IDLE=on\n", mode)
		_, err := Load(env)
		if err == nil || !strings.Contains(err.Error(), "chmod 600 "+File(env)) {
			t.Errorf("mode %o: %v", mode, err)
		}
	}
	env := environment(t, "")
	writeFile(t, File(env), "NOD_IDLE=on\n", 0o400)
	if s, err := Load(env); err != nil || s.Idle != IdleOn {
		t.Errorf("mode 0400: %v %v", s.Idle, err)
	}
}

func TestNamedFileMustExist(t *testing.T) {
	env := environment(t, "", "NOD_CONFIG", filepath.Join(t.TempDir(), "none.env"))
	if _, err := Load(env); err == nil || !strings.Contains(err.Error(), "none.env can't be read") {
		t.Errorf("got %v", err)
	}
	env["NOD_CONFIG"] = t.TempDir()
	if _, err := Load(env); err == nil || !strings.Contains(err.Error(), "no ordinary file") {
		t.Errorf("a directory: %v", err)
	}
}

// TestAPipeIsNoSettingsFile: nod would wait for a writer that may never come.
func TestAPipeIsNoSettingsFile(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, variable := range []string{"NOD_CONFIG", "NOD_TELEGRAM_TOKEN_FILE"} {
		loaded := make(chan error, 1)
		go func() {
			_, err := Load(environment(t, "", variable, pipe))
			loaded <- err
		}()
		select {
		case err := <-loaded:
			if err == nil || !strings.Contains(err.Error(), "no ordinary file") {
				t.Errorf("%s: %v", variable, err)
			}
		case <-time.After(10 * time.Second):
			t.Fatalf("%s: it hangs", variable)
		}
	}
}

func TestTokenFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "token")
	writeFile(t, path, goodToken+"\n", 0o600)
	s, err := Load(environment(t, "NOD_TELEGRAM_TOKEN=1111111:"+strings.Repeat("x", 35), "NOD_TELEGRAM_TOKEN_FILE", path))
	if err != nil || s.TelegramToken.Reveal() != goodToken {
		t.Fatalf("got %q, %v", s.TelegramToken.Reveal(), err)
	}
	writeFile(t, path, goodToken, 0o644)
	if _, err = Load(environment(t, "", "NOD_TELEGRAM_TOKEN_FILE", path)); err == nil || !strings.Contains(err.Error(), "chmod 600") {
		t.Errorf("a readable token file: %v", err)
	}
	writeFile(t, path, "garbage", 0o600)
	if _, err = Load(environment(t, "", "NOD_TELEGRAM_TOKEN_FILE", path)); err == nil || strings.Contains(err.Error(), "garbage") {
		t.Errorf("a wrong token file: %v", err)
	}
}

// TestNoChildInheritsTheToken: neither after it was taken nor while settings are read.
func TestNoChildInheritsTheToken(t *testing.T) {
	t.Setenv("NOD_TELEGRAM_TOKEN", goodToken)
	t.Setenv("NOD_EXPIRY", "1h")
	env := TakeEnvironment()
	if env["NOD_TELEGRAM_TOKEN"] != goodToken || env["NOD_EXPIRY"] != "1h" {
		t.Fatalf("got %v", env)
	}
	env["HOME"], env["XDG_CONFIG_HOME"] = t.TempDir(), ""
	stop, seen := make(chan struct{}), make(chan bool)
	go func() {
		for {
			select {
			case <-stop:
				seen <- false
				return
			default:
			}
			if strings.Contains(strings.Join(os.Environ(), "\n"), goodToken) {
				seen <- true
				return
			}
		}
	}()
	for range 200 {
		if s, err := Load(env); err != nil || s.TelegramToken.Reveal() != goodToken || s.Expiry != time.Hour {
			t.Fatalf("got %v, %v", s, err)
		}
	}
	close(stop)
	if <-seen {
		t.Error("the token stood in the process's environment")
	}
	for _, entry := range os.Environ() {
		if strings.HasPrefix(entry, "NOD_") {
			t.Errorf("left behind: %s", strings.SplitN(entry, "=", 2)[0])
		}
	}
}

func TestSecretIsNeverPrinted(t *testing.T) {
	s, err := Load(environment(t, "", "NOD_TELEGRAM_TOKEN", goodToken))
	if err != nil {
		t.Fatal(err)
	}
	var log strings.Builder
	slog.New(slog.NewTextHandler(&log, nil)).Info("x", "token", s.TelegramToken, "settings", s)
	slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "token", s.TelegramToken, "settings", s)
	text := log.String() + fmt.Sprintf("%v %+v %#v %s %q", s, s, s, s.TelegramToken, s.TelegramToken) + fmt.Sprint(s.Rows())
	if strings.Contains(text, goodToken[10:]) {
		t.Errorf("shown: %s", text)
	}
}

func TestReady(t *testing.T) {
	s, err := Load(environment(t, ""))
	if err != nil {
		t.Fatal(err)
	}
	err = s.Ready()
	if !errors.Is(err, ErrIncomplete) || !strings.Contains(err.Error(), "NOD_TELEGRAM_TOKEN is not set") ||
		!strings.Contains(err.Error(), "NOD_SUPERVISORS is not set") {
		t.Errorf("got %v", err)
	}
}

// TestNamesAreEnvconfigs proves that the documented names are those that envconfig reads.
func TestNamesAreEnvconfigs(t *testing.T) {
	want := strings.Fields(`NOD_TELEGRAM NOD_TELEGRAM_TOKEN NOD_TELEGRAM_TOKEN_FILE NOD_TELEGRAM_API NOD_SUPERVISORS NOD_WATCHERS NOD_TOPICS NOD_CHAT NOD_TMUX_SOCKET
		NOD_POLL_INTERVAL NOD_STABLE_POLLS NOD_CADENCE NOD_EXPIRY NOD_PRESENCE NOD_GRACE NOD_IDLE NOD_QUIET NOD_DIGEST
		NOD_REDACT NOD_PREVIEW NOD_DOORS NOD_GUARD_WAIT NOD_AGENTS_MAY_ANSWER NOD_LAUNCH NOD_RING NOD_PIN NOD_TRANSCRIBE NOD_HOST NOD_MACHINES NOD_HUB NOD_NATS NOD_NATS_CREDS NOD_EDGE NOD_WEB NOD_WEB_URL NOD_STATE_DIR NOD_SOCKET NOD_LOG_LEVEL NOD_LOG_FORMAT`)
	var got []string
	for _, v := range Variables() {
		got = append(got, v.Name)
		if v.Meaning == "" {
			t.Errorf("%s is not described", v.Name)
		}
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
}

func FuzzFile(f *testing.F) {
	f.Add("NOD_IDLE=on\n# x\nNOD_GRACE=1s")
	f.Add("\ufeffexport A='b'\r\n=\n\x00")
	f.Fuzz(func(t *testing.T, text string) {
		values, problems := parseFile(text, "f")
		for key := range values {
			if !isVariable(key) {
				t.Errorf("took %q", key)
			}
		}
		for _, p := range problems {
			// A problem repeats only the key of the file's line.
			if p.Variable != "" && !keyShape().MatchString(p.Variable) {
				t.Errorf("shows %q", p.Variable)
			}
		}
	})
}

func TestAGroupIsTakenOnlyWithTopics(t *testing.T) {
	for _, c := range []struct {
		chat, topics string
		good         bool
	}{
		{"-1001234567890", "on", true},
		{"-1001234567890", "off", false},
		{"-1001234567890", "", false},
		{"4242", "on", false},
		{"-4242", "on", false},
		{"work", "on", false},
		{"", "on", true},
	} {
		_, err := Load(Environment{"HOME": "/nonexistent", "NOD_CHAT": c.chat, "NOD_TOPICS": c.topics})
		if (err == nil) != c.good {
			t.Errorf("NOD_CHAT=%s NOD_TOPICS=%s gives %v", c.chat, c.topics, err)
		}
		if !c.good && !strings.Contains(fmt.Sprint(err), "NOD_CHAT") {
			t.Errorf("%v does not name NOD_CHAT", err)
		}
	}
}

// TestThePageIsOnLoopbackAlone: an address that other machines can reach is invalid, and so is a name that
// may resolve to one.
func TestThePageIsOnLoopbackAlone(t *testing.T) {
	for _, c := range []struct{ web, url, wrong string }{
		{"127.0.0.1:7777", "", ""},
		{"127.9.9.9:7777", "", ""},
		{"[::1]:7777", "", ""},
		{"localhost:7777", "", ""},
		{"[::ffff:127.0.0.1]:7777", "", ""},
		{"127.0.0.1:0", "https://nod.example.com/", ""},
		{"127.0.0.1:7777", "https://Nod.example.com:8443", ""},
		{"0.0.0.0:7777", "", "NOD_WEB"},
		{":7777", "", "NOD_WEB"},
		{"[::]:7777", "", "NOD_WEB"},
		{"192.168.0.2:7777", "", "NOD_WEB"},
		{"[::1%lo]:7777", "", "NOD_WEB"},
		{"[::ffff:10.0.0.1]:7777", "", "NOD_WEB"},
		{"127.0.0.1", "", "NOD_WEB"},
		{"127.0.0.1:http", "", "NOD_WEB"},
		{"127.0.0.1:77777", "", "NOD_WEB"},
		{"localhost.evil.example:7777", "", "NOD_WEB"},
		{"", "https://nod.example.com", "NOD_WEB_URL"},
		{"127.0.0.1:7777", "http://nod.example.com", "NOD_WEB_URL"},
		{"127.0.0.1:7777", "https://nod.example.com/page", "NOD_WEB_URL"},
		{"127.0.0.1:7777", "https://me@nod.example.com", "NOD_WEB_URL"},
		{"127.0.0.1:7777", "https://nod.example.com?x", "NOD_WEB_URL"},
	} {
		s, err := Load(Environment{"HOME": "/nonexistent", "NOD_WEB": c.web, "NOD_WEB_URL": c.url})
		if (err == nil) != (c.wrong == "") || err != nil && !strings.HasPrefix(err.Error(), c.wrong+" must") {
			t.Errorf("NOD_WEB=%s NOD_WEB_URL=%s gives %v", c.web, c.url, err)
		}
		if host, _, _ := net.SplitHostPort(string(s.Web)); err == nil && !net.ParseIP(host).IsLoopback() {
			t.Errorf("NOD_WEB=%s is %s", c.web, s.Web)
		}
	}
}
