// Package settings reads nod's settings from the environment and from a file, names every wrong
// one, and reads them again while the bot runs.
//
// A value in the environment wins over the same one in the file. The file is
// $XDG_CONFIG_HOME/nod/nod.env, or the one that NOD_CONFIG names: KEY=value lines, readable by
// its owner alone.
package settings

import (
	"errors"
	"log/slog"
	"time"

	"nod/internal/settings/quiet"
)

// Settings has everything that a user can set, parsed and checked. Field names correspond to variables:
// StablePolls is NOD_STABLE_POLLS. The tag `desc` is the text in the documentation. `restart` marks settings
// that a running bot keeps until it is restarted.
type Settings struct {
	Telegram          OnOff         `default:"on" restart:"true" desc:"on, or off: no bot and no chat; what waits is told and answered in nod inbox, on the page and by nod reply, by this machine's owner"`
	TelegramToken     Secret        `ignored:"true" restart:"true" desc:"the bot's token, from @BotFather"`
	TelegramTokenFile Path          `split_words:"true" restart:"true" desc:"a file that holds the token, instead of NOD_TELEGRAM_TOKEN"`
	TelegramAPI       Address       `split_words:"true" restart:"true" default:"https://api.telegram.org" desc:"base address of the Bot API"`
	Supervisors       People        `desc:"numeric Telegram user ids of those who are told and may answer, comma-separated"`
	Watchers          People        `desc:"numeric Telegram user ids of those who are told and can't answer, comma-separated"`
	Topics            OnOff         `default:"off" desc:"each pane has a topic of its own: on or off; Threaded Mode must be on at @BotFather"`
	Chat              Group         `desc:"the id of a forum group in which all are told, in the place of each one's own chat; needs NOD_TOPICS=on, and there only supervisors' words and taps count"`
	TmuxSocket        Sockets       `split_words:"true" desc:"tmux servers: names (tmux -L) or paths (tmux -S), comma-separated; empty: the default server"`
	PollInterval      time.Duration `split_words:"true" default:"2s" desc:"how often every watched pane is looked at"`
	StablePolls       int           `split_words:"true" default:"2" desc:"how many equal looks in a row make a screen stable"`
	Cadence           Cadence       `default:"0s,5m,15m,45m,2h,4h" desc:"when reminders are sent, counted from first detection; a change holds for nudges from then on"`
	Expiry            time.Duration `default:"8h" desc:"when a nudge that nobody answers is given up"`
	Presence          time.Duration `default:"60s" desc:"no message while somebody had a key pressed in that very pane within this time; 0 turns it off"`
	Grace             time.Duration `default:"20s" desc:"how long the first message waits while somebody is at another pane of that server; 0 turns it off"`
	Idle              IdleNotices   `default:"silent" desc:"notices of idle agents: off, silent or on"`
	Quiet             quiet.Hours   `desc:"quiet hours, as in 22:00-07:00 Europe/Berlin: messages come silently, none is held back"`
	Digest            Schedule      `restart:"true" desc:"a cron line for a digest, as in 0 9 * * 1-5"`
	Redact            OnOff         `default:"on" desc:"secrets in screens are masked before they leave the machine: on or off"`
	Preview           Preview       `default:"full" desc:"full, or minimal to keep the command off the lock screen"`
	Doors             OnOff         `default:"on" desc:"answer through an agent's own hook or server where it has one that waits: on, or off to answer by keys alone"`
	GuardWait         time.Duration `split_words:"true" default:"2m" desc:"how long, in one turn, calls that an agent's own guard denied, and MCP servers' forms, may be held for answers; 0: not held, a tap under a call then counts for the next try"`
	AgentsMayAnswer   AgentsMay     `split_words:"true" default:"off" desc:"off, or others to let an agent answer for panes other than its own"`
	Launch            Folders       `desc:"folders in which /new in the chat may start an agent, comma-separated, as in ~/src; empty: none"`
	Ring              Ring          `default:"all" desc:"which messages about agents ring: all, or risky for those alone that ask for something dangerous or seen only in part; the rest comes silently"`
	Pin               OnOff         `default:"off" desc:"pins what waits for an answer until it is over: on or off; without a sound in a private chat, with one in the group of NOD_CHAT"`
	Transcribe        Command       `desc:"a local command that turns a voice file, its last argument, into words on standard output; empty: voice messages are refused"`
	Host              Name          `desc:"this machine's name in messages"`
	Machines          Machines      `restart:"true" desc:"other machines whose agents this bot tells of and answers, by ssh, comma-separated, as in dev,gpu1=me@gpu1.example.com; web=docker:exec web is a container. Each has nod installed"`
	Hub               Listening     `restart:"true" desc:"where machines that join this bot over the network reach it, as in :7443 or 192.168.1.5:7443; empty: nowhere. nod hub invite gives a code for one"`
	Nats              Servers       `restart:"true" desc:"NATS servers of somebody else's, as in tls://nats.example.org:4222, over which machines join in the place of NOD_HUB"`
	NatsCreds         Path          `split_words:"true" restart:"true" desc:"the file of credentials for NOD_NATS, or for the servers that a joined machine's hub uses"`
	Edge              EdgeTakes     `default:"full" desc:"what this machine takes from another one's bot: full, deny-only to take nothing but denials, or ask-here to have each approval allowed here first"`
	Web               Loopback      `restart:"true" desc:"where the page is served, on this machine's loopback alone, as in 127.0.0.1:7777; empty: nowhere. nod web gives a link to it"`
	WebURL            Public        `split_words:"true" restart:"true" desc:"the https address by which your tunnel or reverse proxy leads to NOD_WEB: the page opens there in Telegram, as a Mini App of the bot"`
	StateDir          Path          `split_words:"true" restart:"true" desc:"holds nod.db; empty: $XDG_STATE_HOME/nod"`
	Socket            Path          `restart:"true" desc:"where hooks and the command line reach the bot; empty: $XDG_RUNTIME_DIR/nod.sock; without that variable /run/user/UID/nod.sock, else in NOD_STATE_DIR"`
	LogLevel          slog.Level    `split_words:"true" default:"info" desc:"debug, info, warn or error"`
	LogFormat         LogFormat     `split_words:"true" restart:"true" default:"text" desc:"text or json, to standard error"`

	// texts has each variable as it was written, and sources its source.
	texts   map[string]string
	sources map[string]Source
}

// Source says where a value comes from.
type Source string

// The sources.
const (
	FromEnvironment Source = "environment"
	FromFile        Source = "file"
	FromTokenFile   Source = "token file"
	FromDefault     Source = "default"
)

// Source returns the source of a variable's value.
func (s Settings) Source(variable string) Source { return s.sources[variable] }

// ErrIncomplete is wrapped by the error of Ready: the settings are valid, but a bot needs more of them.
var ErrIncomplete = errors.New("the settings are not complete")

// Ready returns an error if a setting that a bot needs is not set. Commands that only speak to a running bot
// need none.
func (s Settings) Ready() error {
	if !s.Telegram {
		return nil
	}
	var problems []Problem
	if s.TelegramToken.Reveal() == "" {
		problems = append(problems, Problem{Variable: "NOD_TELEGRAM_TOKEN", Should: "is not set: get a token from @BotFather, or name a file with it in NOD_TELEGRAM_TOKEN_FILE"})
	}
	if len(s.Supervisors) == 0 {
		problems = append(problems, Problem{Variable: "NOD_SUPERVISORS", Should: "is not set: nobody would be told; it takes numeric Telegram user ids, comma-separated"})
	}
	if problems == nil {
		return nil
	}
	return &Error{Problems: problems, cause: ErrIncomplete}
}
