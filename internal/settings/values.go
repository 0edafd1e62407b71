package settings

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/robfig/cron/v3"

	"nod/internal/text/lazy"
)

// The types below parse themselves for envconfig. Their errors say what the value should be, as the rest of a
// sentence that begins with the variable's name, and never contain the value.

// Secret is a text that is never printed, logged or encoded as JSON.
type Secret string

// Reveal returns the secret itself, for the one place that needs it.
func (s Secret) Reveal() string { return string(s) }

// String shows only that a secret is set.
func (s Secret) String() string {
	if s == "" {
		return ""
	}
	return "•••"
}

// GoString hides the secret from %#v.
func (s Secret) GoString() string { return strconv.Quote(s.String()) }

// LogValue hides the secret from slog.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

// MarshalText hides the secret from JSON.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// A token is the bot's numeric id, a colon, and 35 characters today: https://core.telegram.org/bots/api#authorizing-your-bot
var tokenShape = lazy.MustCompile(`^[0-9]{6,}:[A-Za-z0-9_-]{30,}$`)

func parseToken(text string) (Secret, error) {
	if !tokenShape().MatchString(text) {
		return "", errors.New("must be a bot's token as @BotFather gives it: digits, a colon, and at least 30 letters, digits, _ or -")
	}
	return Secret(text), nil
}

// Address is the base address of a Bot API server, without a slash at its end.
type Address string

// Decode parses an http or https address.
func (a *Address) Decode(text string) error {
	u, err := url.Parse(text)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" ||
		u.User != nil || u.RawQuery != "" || u.Fragment != "" || strings.Contains(u.Path, ":") { // a path with a token is shown and logged
		return errors.New("must be an address such as https://api.telegram.org, without the token, a user, a query or a fragment")
	}
	*a = Address(strings.TrimRight(text, "/"))
	return nil
}

// Loopback is an address of this machine that no other machine can reach; empty for none.
type Loopback string

// Decode parses an address and a port. It refuses names other than localhost, which may resolve to any
// address.
func (l *Loopback) Decode(text string) error {
	host, port, err := net.SplitHostPort(text)
	if host == "localhost" {
		host = "127.0.0.1"
	}
	ip, err2 := netip.ParseAddr(host)
	_, err3 := strconv.ParseUint(port, 10, 16)
	if errors.Join(err, err2, err3) != nil || !ip.IsLoopback() || ip.Zone() != "" {
		return errors.New("must be an address and a port of this machine's loopback, as in 127.0.0.1:7777: who reaches the page could answer")
	}
	*l = Loopback(net.JoinHostPort(ip.Unmap().String(), port))
	return nil
}

// Public is an https address without a path, like a browser's origin; empty for none.
type Public string

// Decode parses an https address without a path.
func (p *Public) Decode(text string) error {
	u, err := url.Parse(strings.TrimSuffix(text, "/"))
	if err != nil || u.Scheme != "https" || u.Hostname() == "" || *u != (url.URL{Scheme: u.Scheme, Host: u.Host}) {
		return errors.New("must be an https address without a path, as in https://nod.example.com")
	}
	*p = Public("https://" + strings.ToLower(strings.TrimSuffix(u.Host, ":443")))
	return nil
}

// People are Telegram user ids, each once, in the order in which they were named.
type People []int64

// Decode parses ids that are separated by commas.
func (p *People) Decode(text string) error {
	var ids People
	for _, word := range words(text) {
		id, err := strconv.ParseInt(word, 10, 64)
		if err != nil || id <= 0 {
			return errors.New("must be numeric Telegram user ids, comma-separated, as in 123456789,987654321; a name, or a group's negative id, is none")
		}
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	*p = ids
	return nil
}

// String formats the ids as Decode parses them.
func (p People) String() string {
	var words []string
	for _, id := range p {
		words = append(words, strconv.FormatInt(id, 10))
	}
	return strings.Join(words, ",")
}

// Group is the id of a Telegram supergroup; 0 for none.
type Group int64

// Decode parses an id.
func (g *Group) Decode(text string) error {
	const first = -1_000_000_000_001 // the first id of a supergroup; further ones are lower
	id, err := strconv.ParseInt(text, 10, 64)
	if err != nil || id > first {
		return errors.New("must be the id of a group that has topics, as in -1001234567890")
	}
	*g = Group(id)
	return nil
}

// Sockets are tmux servers, each a name for `tmux -L` or an absolute path for `tmux -S`. Empty means the
// default server.
type Sockets []string

// Decode parses names and paths separated by commas.
func (s *Sockets) Decode(text string) error {
	*s = words(text)
	for _, name := range *s {
		if strings.ContainsRune(name, '/') && !filepath.IsAbs(name) {
			return errors.New("must be names as for tmux -L, or absolute paths as for tmux -S, comma-separated")
		}
	}
	return nil
}

// Cadence has the times of reminders, counted from the first detection, in rising order.
type Cadence []time.Duration

// maxReminders limits a Cadence, so that a typing error can't flood a chat.
const maxReminders = 24

// Decode parses durations separated by commas.
func (c *Cadence) Decode(text string) error {
	wrong := fmt.Errorf("must be 1 to %d rising times, the first at least 0s, as in 0s,5m,15m,45m,2h,4h", maxReminders)
	var steps Cadence
	last := time.Duration(-1)
	for _, word := range words(text) {
		step, err := time.ParseDuration(word)
		if err != nil || step <= last {
			return wrong
		}
		steps, last = append(steps, step), step
	}
	if len(steps) == 0 || len(steps) > maxReminders {
		return wrong
	}
	*c = steps
	return nil
}

// Schedule is a cron line of five fields, or a word such as @daily; empty for never.
type Schedule string

// Decode checks the line with the parser that runs it later.
func (s *Schedule) Decode(text string) error {
	wrong := errors.New("must be a cron line of five fields, as in 0 9 * * 1-5 for nine o'clock on weekdays")
	if strings.Contains(text, "TZ=") && !strings.Contains(text, " ") {
		return wrong // the parser panics at a time zone alone
	}
	if _, err := cron.ParseStandard(text); err != nil {
		return wrong
	}
	*s = Schedule(text)
	return nil
}

// Path is an absolute path; empty for the default.
type Path string

// Decode refuses a path that depends on the current directory.
func (p *Path) Decode(text string) error {
	if !filepath.IsAbs(text) {
		return errors.New("must be an absolute path, one that begins with /")
	}
	*p = Path(filepath.Clean(text))
	return nil
}

// Folders are absolute paths; the user may write ~ for the home directory.
type Folders []string

// Decode parses paths separated by commas.
func (f *Folders) Decode(text string) error {
	*f = nil
	for _, path := range words(text) {
		if rest, ok := strings.CutPrefix(path, "~/"); ok || path == "~" {
			home, err := os.UserHomeDir()
			if err != nil {
				return errors.New("begins at ~, and there is no HOME: write absolute paths")
			}
			path = filepath.Join(home, strings.TrimPrefix(rest, "~"))
		}
		if !filepath.IsAbs(path) {
			return errors.New("must be absolute paths, or paths from ~ on, comma-separated, as in ~/src")
		}
		*f = append(*f, filepath.Clean(path))
	}
	return nil
}

// Command is a program and its arguments, split at blanks. It is not passed to a shell.
type Command []string

// Decode splits a command, which must begin with an absolute path.
func (c *Command) Decode(text string) error {
	if *c = strings.Fields(text); len(*c) == 0 || !filepath.IsAbs((*c)[0]) {
		return errors.New("must begin with the absolute path of a program, as in /usr/local/bin/transcribe")
	}
	return nil
}

// Name is a short text for people, on one line.
type Name string

// Decode refuses a name that would break the first lines of a message.
func (n *Name) Decode(text string) error {
	if len([]rune(text)) > 40 || strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return errors.New("must be a name of at most 40 characters on one line")
	}
	*n = Name(text)
	return nil
}

// words splits text at commas, trims blanks, and drops empty words.
func words(text string) []string {
	var list []string
	for word := range strings.SplitSeq(text, ",") {
		if word = strings.TrimSpace(word); word != "" {
			list = append(list, word)
		}
	}
	return list
}
