package settings

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/kelseyhightower/envconfig"

	"nod/internal/settings/quiet"
)

// Load reads the settings from env, and those that env lacks from the settings file. An empty value counts as
// unset. The error is an *Error that names every problem. Ready checks separately that a bot has all that it
// needs.
func Load(env Environment) (Settings, error) {
	fromFile, problems := loadFile(env)
	texts, sources := layer(env, fromFile)
	s, wrong := decode(texts, sources)
	problems = append(problems, wrong...)
	problems = append(problems, s.checkRanges()...)

	text, source, problem := token(env, fromFile, s.TelegramTokenFile)
	if problem != nil {
		problems = append(problems, *problem)
	}
	s.TelegramToken = text
	sources["NOD_TELEGRAM_TOKEN"] = source
	if problems != nil {
		return Settings{}, &Error{Problems: problems}
	}
	s.texts, s.sources = texts, sources
	if err := s.place(env); err != nil {
		return Settings{}, err
	}
	return s, nil
}

// place sets the paths that are not set.
func (s *Settings) place(env Environment) error {
	if s.StateDir == "" {
		s.StateDir = defaultStateDir(env)
	}
	if s.StateDir == "" { // a relative path would be another one in each folder
		return &Error{Problems: []Problem{{Variable: "NOD_STATE_DIR", Should: "is not set, and no home directory is known: set HOME"}}}
	}
	if s.Socket == "" {
		s.Socket = defaultSocket(env, s.StateDir)
	}
	return nil
}

// SocketOf returns where a running nod listens, even if other settings are wrong: nod goes on with those that it had, and
// the hooks of its agents must not stop meanwhile.
func SocketOf(env Environment) (Path, error) {
	fromFile, problems := loadFile(env)
	if fromFile == nil && problems != nil {
		return "", &Error{Problems: problems}
	}
	s, wrong := decode(layer(env, fromFile))
	for _, p := range append(problems, wrong...) {
		if p.Variable == "NOD_SOCKET" || p.Variable == "NOD_STATE_DIR" {
			return "", &Error{Problems: []Problem{p}}
		}
	}
	err := s.place(env)
	return s.Socket, err
}

// loadFile reads the settings file. A missing file is a problem only if NOD_CONFIG names it.
func loadFile(env Environment) (map[string]string, []Problem) {
	path := File(env)
	if path == "" {
		return nil, nil
	}
	text, err := readPrivate(path)
	if errors.Is(err, fs.ErrNotExist) && env["NOD_CONFIG"] == "" {
		return nil, nil
	}
	if err != nil {
		return nil, []Problem{{Should: "the settings file " + err.Error()}}
	}
	return parseFile(text, path)
}

// layer merges the file with the environment, which wins: the variables that TakeEnvironment took and those
// that are still in the process's own. It leaves out the token, which has further sources.
func layer(env Environment, file map[string]string) (map[string]string, map[string]Source) {
	texts, sources := map[string]string{}, map[string]Source{}
	for _, v := range Variables() {
		if v.Name == "NOD_TELEGRAM_TOKEN" {
			continue
		}
		texts[v.Name], sources[v.Name] = v.Default, FromDefault
		if text := strings.TrimSpace(file[v.Name]); text != "" {
			texts[v.Name], sources[v.Name] = text, FromFile
		}
		if text := strings.TrimSpace(cmp.Or(env[v.Name], os.Getenv(v.Name))); text != "" {
			texts[v.Name], sources[v.Name] = text, FromEnvironment
		}
	}
	return texts, sources
}

// token finds the token. The sources are tried in order, the environment before the file.
func token(env Environment, file map[string]string, tokenFile Path) (Secret, Source, *Problem) {
	complain := func(err error) *Problem {
		return &Problem{Variable: "NOD_TELEGRAM_TOKEN", Should: err.Error()}
	}
	text, source := strings.TrimSpace(env["NOD_TELEGRAM_TOKEN"]), FromEnvironment
	named := env["NOD_TELEGRAM_TOKEN_FILE"] != ""
	if text == "" && !named {
		text, source = strings.TrimSpace(file["NOD_TELEGRAM_TOKEN"]), FromFile
	}
	if text == "" && tokenFile != "" {
		content, err := readPrivate(string(tokenFile))
		if err != nil {
			return "", FromTokenFile, &Problem{Variable: "NOD_TELEGRAM_TOKEN_FILE", Should: "must name a file with the token: " + err.Error()}
		}
		text, source = strings.TrimSpace(content), FromTokenFile
	}
	if text == "" {
		return "", FromDefault, nil
	}
	parsed, err := parseToken(text)
	if err != nil {
		return "", source, complain(err)
	}
	return parsed, source, nil
}

// decode parses texts. envconfig gives each field its default or the value in the process's environment, and
// stops at the first wrong value. decode then parses every text with the same methods, so that it can name
// all wrong ones.
func decode(texts map[string]string, sources map[string]Source) (Settings, []Problem) {
	var s Settings
	stopped := envconfig.Process(prefix, &s)
	var problems []Problem
	for _, v := range Variables() {
		if texts[v.Name] == "" || sources[v.Name] == FromDefault && stopped == nil {
			continue
		}
		field := reflect.ValueOf(&s).Elem().Field(v.field)
		value := reflect.New(field.Type())
		if err := parse(value.Interface(), texts[v.Name]); err != nil {
			problems = append(problems, Problem{Variable: v.Name, Should: err.Error()})
			value = reflect.New(field.Type())
			_ = parse(value.Interface(), v.Default) // so that the range check reports no second problem
		}
		field.Set(value.Elem())
	}
	return s, problems
}

// parse parses text into a field. The error says what a value should be, without the value.
func parse(field any, text string) (err error) {
	if strings.ContainsRune(text, 0) {
		return errors.New("must be text without a zero byte")
	}
	should := ""
	switch f := field.(type) {
	case envconfig.Decoder:
		return f.Decode(text)
	case *time.Duration:
		should = "must be a time such as 20s, 5m or 8h"
		*f, err = time.ParseDuration(text)
	case *int:
		should = "must be a whole number"
		*f, err = strconv.Atoi(text)
	case *slog.Level:
		should = "must be debug, info, warn or error"
		err = f.UnmarshalText([]byte(text))
	case *quiet.Hours:
		should = "must be two different times of day and a time zone that this machine knows, as in 22:00-07:00 Europe/Berlin"
		err = f.UnmarshalText([]byte(text))
	default:
		panic(fmt.Sprintf("nothing reads a setting of type %T", field))
	}
	if err != nil {
		return errors.New(should)
	}
	return nil
}

func (s Settings) checkRanges() []Problem {
	var problems []Problem
	span := func(variable string, value, low, high time.Duration, words string) {
		if value < low || value > high {
			problems = append(problems, Problem{Variable: variable, Should: "must be from " + words})
		}
	}
	span("NOD_POLL_INTERVAL", s.PollInterval, 100*time.Millisecond, time.Minute, "100ms to 1m")
	span("NOD_EXPIRY", s.Expiry, time.Second, 30*24*time.Hour, "1s to 720h")
	span("NOD_PRESENCE", s.Presence, 0, time.Hour, "0s, which turns it off, to 1h")
	span("NOD_GUARD_WAIT", s.GuardWait, 0, time.Hour, "0s, which holds nothing, to 1h")
	span("NOD_GRACE", s.Grace, 0, 5*time.Minute, "0s, which turns it off, to 5m")
	if s.Chat != 0 && !bool(s.Topics) {
		problems = append(problems, Problem{Variable: "NOD_CHAT", Should: "must be used with NOD_TOPICS=on"})
	}
	if s.WebURL != "" && s.Web == "" {
		problems = append(problems, Problem{Variable: "NOD_WEB_URL", Should: "must be used with NOD_WEB"})
	}
	if s.StablePolls < 1 || s.StablePolls > 20 {
		problems = append(problems, Problem{Variable: "NOD_STABLE_POLLS", Should: "must be a whole number from 1 to 20"})
	}
	return problems
}

// Row is one setting in the output of `nod config`.
type Row struct {
	Variable string `json:"variable"`
	Value    string `json:"value"` // a secret is masked
	Source   Source `json:"source"`
	Restart  bool   `json:"restart"` // a change takes effect only after a restart of the bot
}

// Rows lists every setting with its current value, in the order of the documentation.
func (s Settings) Rows() []Row {
	var rows []Row
	for _, v := range Variables() {
		row := Row{Variable: v.Name, Value: s.texts[v.Name], Source: s.sources[v.Name], Restart: v.Restart}
		switch v.Name {
		case "NOD_TELEGRAM_TOKEN":
			row.Value = s.TelegramToken.String()
		case "NOD_STATE_DIR", "NOD_SOCKET": // their defaults depend on the environment
			row.Value = reflect.ValueOf(s).Field(v.field).String()
		}
		rows = append(rows, row)
	}
	return rows
}
