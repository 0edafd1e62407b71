package web

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"maps"
	"sync"
	"time"
)

// How long links and sessions last, and how many of them there may be.
const (
	linkLasts     = time.Minute
	sessionLasts  = 12 * time.Hour // without use; for a Mini App: after its start
	maxSessions   = 64
	maxLinks      = 16
	maxStreams    = 200
	maxOwnStreams = 8 // per session
)

// digest is the hash of a code or a key. The codes and keys themselves are not kept.
type digest = [sha256.Size]byte

func digestOf(secret string) digest { return sha256.Sum256([]byte(secret)) }

// sessions holds the sessions and the unused links. They end with the program, so whoever takes its port
// afterwards receives no key that still works.
type sessions struct {
	mu      sync.Mutex
	links   map[digest]link
	open    map[digest]*session
	spent   map[digest]time.Time // proofs of Telegram that were used, and when each becomes too old
	streams int
}

// link is a code that nobody has used yet.
type link struct {
	watch bool
	until time.Time
}

// session is what a key gives access to. The mutex of sessions guards the fields that change.
type session struct {
	watch   bool   // it can only watch
	user    int64  // the supervisor who opened the Mini App; 0: the machine's owner
	name    string // the user's
	until   time.Time
	streams map[*context.CancelFunc]bool // each func ends a stream
}

func newSessions() *sessions {
	return &sessions{links: map[digest]link{}, open: map[digest]*session{}, spent: map[digest]time.Time{}}
}

// link returns a new code.
func (s *sessions) link(watch bool, now time.Time) (code string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clean(now)
	if len(s.links) >= maxLinks {
		clear(s.links)
	}
	code = rand.Text()
	s.links[digestOf(code)] = link{watch: watch, until: now.Add(linkLasts)}
	return code
}

// spend makes a session for a code. The code then no longer works.
func (s *sessions) spend(code string, now time.Time) (key string, watch, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clean(now)
	l, ok := s.links[digestOf(code)]
	if !ok {
		return "", false, false
	}
	delete(s.links, digestOf(code))
	return s.begin(&session{watch: l.watch}, now), l.watch, true
}

// admit makes a session for a proof of Telegram. A proof works once.
func (s *sessions) admit(user int64, name, proof string, old, now time.Time) (key string, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clean(now)
	if _, used := s.spent[digestOf(proof)]; used {
		return "", false
	}
	s.spent[digestOf(proof)] = old
	return s.begin(&session{user: user, name: name}, now), true
}

// begin makes a session. If there are too many, the one that would end first ends now.
func (s *sessions) begin(of *session, now time.Time) (key string) {
	if len(s.open) >= maxSessions {
		var first digest
		for key, other := range s.open {
			if known, ok := s.open[first]; !ok || other.until.Before(known.until) {
				first = key
			}
		}
		s.end(first)
	}
	key = rand.Text()
	of.until, of.streams = now.Add(sessionLasts), map[*context.CancelFunc]bool{}
	s.open[digestOf(key)] = of
	return key
}

// clean removes what has expired.
func (s *sessions) clean(now time.Time) {
	maps.DeleteFunc(s.links, func(_ digest, l link) bool { return !now.Before(l.until) })
	maps.DeleteFunc(s.spent, func(_ digest, old time.Time) bool { return now.After(old) })
	for key, of := range s.open {
		if !now.Before(of.until) {
			s.end(key)
		}
	}
}

func (s *sessions) end(key digest) {
	for stop := range s.open[key].streams {
		(*stop)()
	}
	delete(s.open, key)
}

// find returns the session of a key; nil: there is none, or it has ended. used says that a person is using it
// just now.
func (s *sessions) find(key string, used bool, now time.Time) *session {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clean(now)
	of := s.open[digestOf(key)]
	if of != nil && used && of.user == 0 {
		of.until = now.Add(sessionLasts)
	}
	return of
}

// drop ends the session of a key.
func (s *sessions) drop(key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open[digestOf(key)] != nil {
		s.end(digestOf(key))
	}
}

// revoke ends all sessions and links.
func (s *sessions) revoke() (ended int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ended = len(s.open)
	for key := range s.open {
		s.end(key)
	}
	clear(s.links)
	return ended
}

var errStreams = errors.New("too many pages are open at once: close some")

// stream registers one more stream of a session, which stop ends. done removes it.
func (s *sessions) stream(of *session, stop context.CancelFunc) (done func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.streams >= maxStreams || len(of.streams) >= maxOwnStreams {
		return nil, errStreams
	}
	s.streams++
	of.streams[&stop] = true
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.streams--
		delete(of.streams, &stop)
	}, nil
}
