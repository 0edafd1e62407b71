package doctor

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"nod/bot"
)

// telegram asks Telegram everything at once. It never confirms an update.
func (e *examination) telegram(ctx context.Context) []Finding {
	if e.wrong == nil && !e.settings.Telegram {
		return []Finding{ok("telegram", "it is off: questions are shown and answered only at this machine, in `nod inbox`, on the page and by `nod reply`; while none of them is open, nobody is reminded")}
	}
	if !e.ready() {
		return []Finding{{Check: "telegram", Level: Skipped, Says: "it can be asked once the settings are complete"}}
	}
	t := &telegramProbe{e: e, account: bot.NewAccount(e.settings.TelegramToken.Reveal(), string(e.settings.TelegramAPI))}
	began := time.Now()
	self, err := t.account.Self(ctx)
	took := time.Since(began)
	found := t.identity(self, err, took)
	if err == nil || errors.As(err, new(*bot.TokenError)) {
		found = append(found, t.clock()...)
	}
	if err != nil {
		return found
	}
	var webhook, poller, chats []Finding
	var all sync.WaitGroup
	all.Go(func() { chats = t.chats(ctx, self) })
	all.Go(func() {
		if webhook = t.webhook(ctx); webhook[0].Level == OK {
			poller = t.poller(ctx)
		}
	})
	all.Wait()
	return append(append(append(found, webhook...), poller...), chats...)
}

type telegramProbe struct {
	e       *examination
	account *bot.Account
}

func (t *telegramProbe) identity(self bot.Self, err error, took time.Duration) []Finding {
	const network, token = "network", "token"
	api := string(t.e.settings.TelegramAPI)
	answers := ok(network, "%s answers in %d ms", api, took.Milliseconds())
	switch {
	case err == nil:
		return []Finding{answers, ok(token, "it is @%s's", self.Username)}
	case errors.As(err, new(*bot.TokenError)):
		return []Finding{answers, {token, Broken, err.Error(), bot.Advice(err)}}
	}
	return []Finding{{network, Broken, failureAt(api, err), bot.Advice(err)}}
}

// failureAt says what went wrong at an address. It has its own words for a deadline.
func failureAt(api string, err error) string {
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Sprintf("%s did not answer within %s", api, probeLimit)
	}
	return err.Error()
}

// The clock difference from which a note is useful, and from which it is a fault: nod asks again about
// answers that seem older than five minutes, and times in messages are wrong.
const (
	noticeableSkew = 20 * time.Second
	wrongSkew      = 2 * time.Minute
)

func (t *telegramProbe) clock() []Finding {
	skew, known := t.account.Skew()
	if !known {
		return nil
	}
	return []Finding{judgeClock(skew)}
}

func judgeClock(skew time.Duration) Finding {
	const check = "clock"
	way := "ahead of"
	if skew < 0 {
		way, skew = "behind", -skew
	}
	f := Finding{Check: check, Says: fmt.Sprintf("this machine's clock is %s %s Telegram's", skew, way), Next: "let the clock be set: `timedatectl set-ntp true`"}
	switch {
	case skew >= wrongSkew:
		f.Level = Broken
	case skew >= noticeableSkew:
		f.Level = Note
	default:
		return ok(check, "it agrees with Telegram's")
	}
	return f
}

func (t *telegramProbe) webhook(ctx context.Context) []Finding {
	const check = "webhook"
	address, err := t.account.Webhook(ctx)
	switch {
	case err != nil:
		return []Finding{{check, Broken, failureAt(string(t.e.settings.TelegramAPI), err), bot.Advice(err)}}
	case address != "":
		return []Finding{{check, Broken, fmt.Sprintf("%s, so Telegram lets nobody poll: %s", bot.ErrWebhook, address), bot.Advice(bot.ErrWebhook)}}
	}
	return []Finding{ok(check, "none is set")}
}

// pollFor is how long to wait for a sign of another poller: one that polls without pauses is noticed at once.
const pollFor = time.Second

// poller reports whether another program polls. If a nod is running here, it knows that itself, and a trial
// would disturb its polls.
func (t *telegramProbe) poller(ctx context.Context) []Finding {
	const check = "poller"
	if t.e.anyNodHere() {
		return []Finding{ok(check, "a nod polls here, and says if another program does so too")}
	}
	_, _, err := t.account.Starts(ctx, pollFor)
	switch {
	case err == nil:
		return []Finding{ok(check, "no other program was seen to poll with this token")}
	case errors.Is(err, context.DeadlineExceeded):
		// Telegram delays the refusal of a poll by three seconds if it has just refused another one.
		return []Finding{{check, Note, "Telegram holds back its answer to a poll, as it does where another program polls with this token", bot.Advice(bot.ErrOtherPoll)}}
	}
	return []Finding{{check, Broken, err.Error(), bot.Advice(err)}}
}

// chats reports whether the bot may write to the supervisors or their group. One supervisor who can be
// reached is enough for nod to work.
func (t *telegramProbe) chats(ctx context.Context, self bot.Self) []Finding {
	used := t.e.settings
	if used.Chat != 0 {
		return t.group(ctx, int64(used.Chat), self)
	}
	supervisors := t.unheard(ctx, "supervisor", used.Supervisors)
	level := Note
	if len(supervisors) == len(used.Supervisors) {
		level = Broken
	}
	for i := range supervisors {
		supervisors[i].Level = level
	}
	found := append(supervisors, t.unheard(ctx, "watcher", used.Watchers)...)
	if found == nil {
		found = []Finding{ok(chatCheck, "the bot may write to all who are told (%d)", len(used.Supervisors)+len(used.Watchers))}
	}
	if bool(used.Topics) && !self.Topics {
		found = append(found, Finding{topicsCheck, Note, "NOD_TOPICS is on and this bot has none, so every message comes to the chat itself",
			"turn Threaded Mode on for the bot at @BotFather, or take NOD_TOPICS out"})
	}
	return found
}

const (
	chatCheck   = "chat"
	topicsCheck = "topics"
)

// unheard reports the people to whom the bot may not write.
func (t *telegramProbe) unheard(ctx context.Context, role string, people []int64) []Finding {
	errs := make([]error, len(people))
	var all sync.WaitGroup
	for i, id := range people {
		all.Go(func() { errs[i] = t.account.CanWrite(ctx, id) })
	}
	all.Wait()
	var found []Finding
	for i, err := range errs {
		if err != nil {
			found = append(found, Finding{chatCheck, Note, fmt.Sprintf("%s %d hears nothing: %s", role, people[i], failureAt(string(t.e.settings.TelegramAPI), err)), bot.Advice(err)})
		}
	}
	return found
}

// group reports whether the bot may write into the group of all messages, and make topics there.
func (t *telegramProbe) group(ctx context.Context, id int64, self bot.Self) []Finding {
	group, err := t.account.Group(ctx, id, self.ID)
	switch {
	case err != nil:
		return []Finding{{chatCheck, Broken, fmt.Sprintf("group %d hears nothing: %s", id, failureAt(string(t.e.settings.TelegramAPI), err)), bot.Advice(err)}}
	case !group.Forum:
		return []Finding{{topicsCheck, Note, fmt.Sprintf("group %d has none, so every message comes to the group itself", id), "turn Topics on in the settings of this group"}}
	case !group.MayManage:
		return []Finding{{topicsCheck, Note, fmt.Sprintf("the bot may make none in group %d, so every message comes to the group itself", id), "make the bot an administrator of this group who may manage topics"}}
	}
	return []Finding{ok(chatCheck, "the bot is in group %d, and may make topics there", id)}
}
