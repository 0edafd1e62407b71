package setup

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"nod/bot"
	"nod/cmd/internal/fleet/join"
	"nod/internal/settings"
)

// askTimes is how often a person may try to give a token.
const askTimes = 5

// callLimit is how long one call to Telegram may take.
const callLimit = 20 * time.Second

// atDesk continues without a token, and prints that.
func (s *setup) atDesk() {
	s.Desk = true
	s.Say("✓ only at this desk, without Telegram")
}

// askToken finds a token that Telegram accepts: the one of the flag, the one in the settings, or one that is
// typed.
func (s *setup) askToken(ctx context.Context) error {
	if s.Desk {
		s.atDesk()
		return nil
	}
	if s.TokenFile != "" {
		token, err := settings.ReadToken(s.TokenFile)
		if err != nil {
			return fmt.Errorf("read --token-file: %w", err)
		}
		return s.tryToken(ctx, token)
	}
	if s.now.TelegramToken != "" {
		err := s.tryToken(ctx, s.now.TelegramToken)
		if wrong := (*bot.TokenError)(nil); !errors.As(err, &wrong) || !s.Terminal() {
			return err
		}
		s.Say("✗ Telegram does not know the token that is set. Get the right one:")
	}
	s.Say("First the bot's token. In Telegram, write to @BotFather (https://t.me/BotFather): /newbot, choose a name, and copy the token from its answer. /mybots shows the token of a bot that you have.")
	s.Say("Without Telegram, write desk: then only this machine shows what waits.")
	s.Say("If nod runs on another machine already, `nod hub invite` there prints a code. Paste it here, and its bot reports this machine too.")
	for range askTimes {
		text, err := s.Secret(ctx, "Token (it is not shown): ")
		if err != nil {
			return err
		}
		if strings.EqualFold(strings.TrimSpace(text), "desk") {
			s.atDesk()
			return nil
		}
		if words := strings.Fields(text); len(words) > 0 {
			if _, err := join.ParseCode(words[len(words)-1]); err == nil {
				return &Joins{words[len(words)-1]}
			}
		}
		token, err := settings.ParseToken(text)
		if err != nil {
			s.Say("✗ %s", err)
			continue
		}
		err = s.tryToken(ctx, token)
		if wrong := (*bot.TokenError)(nil); !errors.As(err, &wrong) {
			return err
		}
		s.Say("✗ Telegram does not know this token. Copy it whole, from the digits to the last letter.")
	}
	return errors.New("no token was right: nothing was changed; start again with `nod setup`")
}

// tryToken asks Telegram whose token it is.
func (s *setup) tryToken(ctx context.Context, token settings.Secret) error {
	s.account = bot.NewAccount(token.Reveal(), string(s.now.TelegramAPI))
	limited, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	s.Progress("Asking Telegram…", 0)
	self, err := s.account.Self(limited)
	s.Wipe()
	if err != nil {
		return explained(err)
	}
	s.token, s.self = token, self
	s.Say("✓ the bot is %q, @%s", self.Name, self.Username)
	return nil
}

// explained wraps a failed call so that it has a next step.
func explained(err error) error { return &Failed{err} }

// Failed is a call to Telegram that failed. Advice returns the next step.
type Failed struct{ err error }

func (e *Failed) Error() string { return e.err.Error() }

// Unwrap returns the error of Telegram or the network.
func (e *Failed) Unwrap() error { return e.err }

// Advice returns the next step.
func (e *Failed) Advice() string {
	advice := bot.Advice(e.err)
	if !strings.Contains(advice, "`nod setup`") {
		advice += "; then run `nod setup` again"
	}
	return advice
}

// freePolling removes a webhook, if the person agrees: while it is set, Telegram refuses polls.
func (s *setup) freePolling(ctx context.Context) error {
	if s.Desk {
		return nil
	}
	address, err := s.account.Webhook(ctx)
	if err != nil {
		return explained(err)
	}
	if address == "" {
		return nil
	}
	s.Say("! A webhook is set: Telegram hands this bot's messages to %s.", address)
	s.Say("  While it does, nod hears nothing. If another program needs it, make a bot of its own for nod.")
	if !s.Terminal() {
		return explained(bot.ErrWebhook)
	}
	yes, err := s.Insist(ctx, "Take the webhook away?")
	if err != nil {
		return err
	}
	if !yes {
		return explained(bot.ErrWebhook)
	}
	if err := s.account.RemoveWebhook(ctx); err != nil {
		return explained(err)
	}
	s.Say("✓ taken away")
	return nil
}
