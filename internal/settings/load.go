package settings

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"reflect"
	"strings"
	"sync"
	"time"

	"github.com/kelseyhightower/envconfig"
)

// Load reads the settings from env and, for what env lacks, from the settings file. An empty
// value counts as none. Where anything is wrong the error is an *Error that names all of it.
// Which settings a bot needs is for Ready to say.
func Load(env Environment) (Settings, error) {
	fromFile, problems := loadFile(env)
	texts, sources := layer(env, fromFile)
	s, wrong := decode(texts)
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
	if s.StateDir == "" {
		s.StateDir = defaultStateDir(env)
	}
	if s.Socket == "" {
		s.Socket = defaultSocket(env, s.StateDir)
	}
	return s, nil
}

// loadFile reads the settings file. That it does not exist is wrong only where NOD_CONFIG names it.
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

// layer puts the environment over the file. The token is left out: it never goes back into the
// process's environment, where decode puts the rest for a moment.
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
		if text := strings.TrimSpace(env[v.Name]); text != "" {
			texts[v.Name], sources[v.Name] = text, FromEnvironment
		}
	}
	return texts, sources
}

// token finds the token: each place before the next, the environment before the file.
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

// processEnvironment is held while decode changes the process's environment.
var processEnvironment sync.Mutex

// decode parses texts. envconfig reads the process's own environment, so the texts stand there
// while it does; it stops at the first value that is wrong, so that one is taken away and the
// rest read again.
func decode(texts map[string]string) (Settings, []Problem) {
	processEnvironment.Lock()
	defer processEnvironment.Unlock()
	var problems []Problem
	for name, text := range texts {
		os.Unsetenv(name)
		if text == "" {
			continue
		}
		if err := os.Setenv(name, text); err != nil {
			problems = append(problems, Problem{Variable: name, Should: "must be text without a zero byte"})
		}
	}
	defer func() {
		for name := range texts {
			os.Unsetenv(name)
		}
	}()
	for {
		var s Settings
		err := envconfig.Process(prefix, &s)
		if err == nil {
			return s, problems
		}
		wrong := (*envconfig.ParseError)(nil)
		if !errors.As(err, &wrong) || os.Getenv(wrong.KeyName) == "" {
			panic(fmt.Sprintf("the defaults of the settings do not parse: %v", err)) // no outside value is left to blame
		}
		problems = append(problems, Problem{Variable: wrong.KeyName, Should: should(wrong)})
		os.Unsetenv(wrong.KeyName)
	}
}

// should says what a value should be, without the value that envconfig would print.
func should(e *envconfig.ParseError) string {
	switch e.TypeName {
	case "time.Duration":
		return "must be a time such as 20s, 5m or 8h"
	case "int":
		return "must be a whole number"
	case "slog.Level":
		return "must be debug, info, warn or error"
	case "quiet.Hours":
		return "must be two different times of day and a time zone that this machine knows, as in 22:00-07:00 Europe/Berlin"
	}
	return e.Err.Error()
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
	span("NOD_GRACE", s.Grace, 0, 5*time.Minute, "0s, which turns it off, to 5m")
	if s.Chat != 0 && !bool(s.Topics) {
		problems = append(problems, Problem{Variable: "NOD_CHAT", Should: "must be used with NOD_TOPICS=on"})
	}
	if s.StablePolls < 1 || s.StablePolls > 20 {
		problems = append(problems, Problem{Variable: "NOD_STABLE_POLLS", Should: "must be a whole number from 1 to 20"})
	}
	return problems
}

// Row is one setting as `nod config` shows it.
type Row struct {
	Variable string `json:"variable"`
	Value    string `json:"value"` // a secret is masked
	Source   Source `json:"source"`
	Restart  bool   `json:"restart"` // a change needs a restart of the bot
}

// Rows lists every setting with its value in force, in the order of the documentation.
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
