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
	Telegram          OnOff         `default:"on" restart:"true" desc:"on, or off: without bot and chat this machine's owner sees and answers questions in nod inbox, on the page and by nod reply"`
	TelegramToken     Secret        `ignored:"true" restart:"true" desc:"the bot's token, from @BotFather"`
	TelegramTokenFile Path          `split_words:"true" restart:"true" desc:"a file that holds the token, instead of NOD_TELEGRAM_TOKEN"`
	TelegramAPI       Address       `split_words:"true" restart:"true" default:"https://api.telegram.org" desc:"base address of the Bot API"`
	Supervisors       People        `desc:"numeric Telegram user ids of the people who get messages and may answer, comma-separated"`
	Watchers          People        `desc:"numeric Telegram user ids of people who get messages and can't answer, comma-separated"`
	Topics            OnOff         `default:"off" desc:"each pane has a topic of its own: on or off; Threaded Mode must be on at @BotFather"`
	Chat              Group         `desc:"the id of a forum group for all messages, instead of each person's own chat; needs NOD_TOPICS=on; only supervisors' words and taps count there"`
	TmuxSocket        Sockets       `split_words:"true" desc:"tmux servers: names (tmux -L) or paths (tmux -S), comma-separated; empty: the default server"`
	PollInterval      time.Duration `split_words:"true" default:"2s" desc:"interval of the looks at every watched pane"`
	StablePolls       int           `split_words:"true" default:"2" desc:"how many equal looks in a row make a screen stable"`
	Cadence           Cadence       `default:"0s,5m,15m,45m,2h,4h" desc:"when reminders are sent, counted from first detection; a change applies to later nudges"`
	Expiry            time.Duration `default:"8h" desc:"how long until an unanswered nudge expires"`
	Presence          time.Duration `default:"60s" desc:"no message if somebody pressed a key in that pane within this time; 0 turns it off"`
	Grace             time.Duration `default:"20s" desc:"how long the first message waits while somebody is at another pane of that server; 0 turns it off"`
	Idle              IdleNotices   `default:"silent" desc:"notices of idle agents: off, silent or on"`
	Quiet             quiet.Hours   `desc:"quiet hours, as in 22:00-07:00 Europe/Berlin: messages come silently, none is held back"`
	Digest            Schedule      `restart:"true" desc:"a cron line for a digest, as in 0 9 * * 1-5"`
	Redact            OnOff         `default:"on" desc:"secrets in screens are masked before they leave the machine: on or off"`
	Preview           Preview       `default:"full" desc:"full, or minimal to keep commands off the lock screen"`
	Doors             OnOff         `default:"on" desc:"on: answer through an agent's own hook or server if it waits for that; off: answer only by keys"`
	GuardWait         time.Duration `split_words:"true" default:"2m" desc:"how long, in one turn, an agent may be held for answers about calls that its own guard denied and MCP servers' forms; 0: not held, a tap then counts for the call's next try"`
	AgentsMayAnswer   AgentsMay     `split_words:"true" default:"off" desc:"off, or others to let an agent answer for panes other than its own"`
	Launch            Folders       `desc:"folders in which /new in the chat may start an agent on this machine, comma-separated, as in ~/src; empty: none"`
	Ring              Ring          `default:"all" desc:"which messages about agents ring: all, or risky for only those about something dangerous or seen only in part"`
	Pin               OnOff         `default:"off" desc:"pin a waiting question until it is over: on or off; silent in a private chat, with a sound in the group of NOD_CHAT"`
	Transcribe        Command       `desc:"a local command that turns a voice file, its last argument, into words on standard output; empty: voice messages are refused"`
	Host              Name          `desc:"this machine's name in messages"`
	Machines          Machines      `restart:"true" desc:"other machines for this bot, reached by ssh, comma-separated, as in dev,gpu1=me@gpu1.example.com; web=docker:exec web is a container. Each needs nod installed"`
	Hub               Listening     `restart:"true" desc:"the address for machines that join this bot over the network, as in :7443 or 192.168.1.5:7443; empty: none. nod hub invite makes a code for a machine"`
	Nats              Servers       `restart:"true" desc:"existing NATS servers, as in tls://nats.example.org:4222, over which machines join instead of NOD_HUB"`
	NatsCreds         Path          `split_words:"true" restart:"true" desc:"the file of credentials for NOD_NATS, or for the servers that a joined machine's hub uses"`
	Edge              EdgeTakes     `default:"full" desc:"what this machine accepts from another one's bot: full, deny-only for only denials, or ask-here if somebody here must allow each approval first"`
	Web               Loopback      `restart:"true" desc:"the page's address on this machine's loopback, as in 127.0.0.1:7777; empty: no page. nod web prints a link to it"`
	WebURL            Public        `split_words:"true" restart:"true" desc:"the https address of your tunnel or reverse proxy to NOD_WEB: Telegram opens the page there, as a Mini App of the bot"`
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
