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

// How long links and sessions last, and how many there are at most.
const (
	linkLasts     = time.Minute
	sessionLasts  = 12 * time.Hour // without use; a Mini App's: from its beginning
	maxSessions   = 64
	maxLinks      = 16
	maxStreams    = 200
	maxOwnStreams = 8 // of one session
)

// digest stands for a code or a key: they are nowhere kept.
type digest = [sha256.Size]byte

func digestOf(secret string) digest { return sha256.Sum256([]byte(secret)) }

// sessions are those who may look, and those who are about to. They live as long as the program: whoever takes its port afterwards
// learns no key that is worth something.
type sessions struct {
	mu      sync.Mutex
	links   map[digest]link
	open    map[digest]*session
	spent   map[digest]time.Time // proofs of Telegram that were used, and when they grow too old
	streams int
}

// link is a code that nobody has used yet.
type link struct {
	watch bool
	until time.Time
}

// session is what a key stands for. sessions guards what changes.
type session struct {
	watch   bool   // it can't answer
	user    int64  // the supervisor whose Mini App it is; 0: the machine's owner
	name    string // theirs
	until   time.Time
	streams map[*context.CancelFunc]bool // each ends one
}

func newSessions() *sessions {
	return &sessions{links: map[digest]link{}, open: map[digest]*session{}, spent: map[digest]time.Time{}}
}

// link makes a code.
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

// spend makes a session of a code, which is no good from then on.
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

// admit makes a session of a proof of Telegram, which is good once until it grows too old.
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

// begin makes a session. Where there are too many, the one ends that would first.
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

// clean forgets what is over.
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

// find is the session of a key; nil: it has none, or is over. used says that somebody uses it just now.
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

// revoke ends all, and all links.
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

// stream counts one more stream of a session, which stop ends. done takes it off the count.
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
