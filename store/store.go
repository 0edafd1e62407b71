// Package store keeps everything that must outlive nod in one bbolt file. It knows no rules: the keeper decides
// what is written, and when.
//
// The file:
//
//	meta
//	  schema                -> number of migrations done, 8 bytes
//	  secret                -> 32 random bytes
//	nudges
//	  ID                    -> nudge.Nudge as JSON
//	panes                      the nudges of a pane, newest last
//	  PANE 0 NUMBER         -> ID
//	live                       the live nudges: something may still have to be said or done
//	  ID                    -> ID
//	due                        when time alone changes a nudge; it is the timer
//	  TIME ID               -> ID
//	messages                   the nudge that a message shows
//	  PLACE 0 MESSAGE       -> ID
//	handled                    updates and messages that must not act twice
//	  u UPDATE              -> TIME
//	  m PLACE 0 MESSAGE     -> TIME
//	handled_at                 the same, by age
//	  TIME KEY              -> KEY
//	audit
//	  SEQ                   -> nudge.Event as JSON
//	state
//	  offset                -> of the next getUpdates, 8 bytes
//	  bot                   -> user id of the bot that the chats are with, 8 bytes
//	  preferences           -> nudge.Preferences as JSON
//	  holds                 -> []nudge.Holds as JSON
//	  other_messages        -> []nudge.OtherMessage as JSON
//	  chat/NAME             -> small values of the bot's Memory and of the sessions that nod started
//	instructions               the live ones
//	  PANE 0 NUMBER ID      -> nudge.Instruction as JSON
//	instructions_over          the others, until they are dropped
//	  ID                    -> nudge.Instruction as JSON
//	wishes                     the live ones
//	  ID                    -> nudge.Wish as JSON
//	wishes_over                the others, until they are dropped
//	  ID                    -> nudge.Wish as JSON
//	denials                    the live ones
//	  ID                    -> nudge.Denials as JSON, with the grants
//	denials_over               the others, until they are dropped
//	  ID                    -> nudge.Denials as JSON
//	monitors                   commands to run and read, with their environment
//	  NAME                  -> a small value of the monitors
//	monitor_news               the news of a monitor that a place still needs
//	  NAME 0 PLACE          -> nudge.MonitorNews as JSON
//	set_aside                  unreadable records, unchanged
//	  TIME BUCKET / KEY     -> its value
//
// Numbers and times (nanoseconds since 1970, UTC) are 8 bytes, big-endian. If they may be negative the sign bit
// is flipped, so that keys sort by value. panes, live, due and messages can be rebuilt from the records.
package store

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	bolt "go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"
)

// Store is the open database. Its methods may be called from any goroutine; each is one transaction.
type Store struct {
	values
	db     *bolt.DB
	path   string
	secret []byte
	copied string // the path of the copy made before the migration
	before uint64 // the last event before the file was opened

	decoded decoded

	mu      sync.Mutex
	damaged map[string]bool // unreadable records, by bucket and key, until they are set aside
}

// lockWait is how long Open waits for another nod that is just ending.
const lockWait = time.Second

// Open opens the database at path, or makes it, with its directory. It never deletes or replaces a file: a
// damaged, newer or used one is left as it is, and the error is a sentence that says what to do.
//
// A file of an older schema is migrated. Before that a copy of it is made: see Copied.
func Open(path string) (*Store, error) { return open(path, migrations) }

func open(path string, steps []func(*bolt.Tx) error) (*Store, error) {
	if err := makeDirectory(filepath.Dir(path)); err != nil {
		return nil, err
	}
	unwritten := isNew(path)
	db, err := openFile(path, bolt.Options{Timeout: lockWait, FreelistType: bolt.FreelistMapType})
	if err != nil {
		if unwritten && isFull(err) {
			_ = emptyUnfinished(path) // the full disk is what to tell
		}
		return nil, openError(path, err)
	}
	s := &Store{db: db, path: path, damaged: map[string]bool{}}
	s.values = values{s.view, s.update}
	if err := s.prepare(steps); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return s, nil
}

// makeDirectory makes the state directory if needed. It refuses one in which anybody could replace the database:
// that says what was answered.
func makeDirectory(dir string) error {
	err := os.MkdirAll(dir, 0o700)
	if err != nil {
		return fmt.Errorf("make the state directory: %w: set NOD_STATE_DIR to one that can be made", err)
	}
	info, err := os.Stat(dir)
	if err != nil {
		return fmt.Errorf("look at the state directory: %w", err)
	}
	if info.Mode().Perm()&0o002 != 0 && info.Mode()&fs.ModeSticky == 0 {
		return fmt.Errorf("anybody can write to the state directory %s: run `chmod go-w %s`, or set NOD_STATE_DIR to another", dir, dir)
	}
	return nil
}

// prepare migrates a locked database and writes our process id.
func (s *Store) prepare(steps []func(*bolt.Tx) error) error {
	if err := os.Chmod(s.path, 0o600); err != nil {
		return fmt.Errorf("protect %s: %w", s.path, err)
	}
	if err := writePID(s.path); err != nil {
		return saveError(s.path, err)
	}
	if err := checkPages(s.db); err != nil {
		return damaged(s.path, err)
	}
	if err := s.keepOld(len(steps)); err != nil {
		return saveError(s.path, fmt.Errorf("keep a copy before it is brought up to date: %w", err))
	}
	err := s.db.Update(func(tx *bolt.Tx) error {
		if err := missing(tx, [][]byte{metaBucket}); err != nil {
			return err
		}
		if err := migrate(tx, steps); err != nil {
			return err
		}
		if err := missing(tx, ownBuckets); err != nil {
			return err
		}
		// These buckets were added without a change to the others, so an older nod may use the file too.
		for _, name := range [][]byte{instructionsBucket, instructionsOverBucket, wishesBucket, wishesOverBucket, denialsBucket, denialsOverBucket, monitorsBucket, monitorNewsBucket} {
			if _, err := tx.CreateBucketIfNotExists(name); err != nil {
				return fmt.Errorf("create bucket %s: %w", name, err)
			}
		}
		s.secret = bytes.Clone(tx.Bucket(metaBucket).Get(secretKey))
		s.before = tx.Bucket(auditBucket).Sequence()
		return nil
	})
	if _, ok := errors.AsType[errMissing](err); ok {
		return damaged(s.path, err)
	}
	if schema, ok := errors.AsType[NewerError](err); ok {
		return newer(s.path, schema)
	}
	if err != nil {
		return saveError(s.path, err)
	}
	return nil
}

// Close closes the database. It waits for running transactions.
func (s *Store) Close() error { return s.db.Close() }

func (s *Store) view(f func(*bolt.Tx) error) error { return s.db.View(f) }

func (s *Store) update(f func(*bolt.Tx) error) error {
	var inside error
	err := s.db.Update(func(tx *bolt.Tx) error {
		inside = f(tx)
		return inside
	})
	if err == nil || err == inside {
		return err
	}
	return saveError(s.path, err)
}

// saveError says what to do if the file can't be written. The last complete transaction stays.
func saveError(path string, err error) error {
	switch {
	case isFull(err):
		return fmt.Errorf("the disk under %s is full, so nod can't note what it does and types nothing: free some space: %w", filepath.Dir(path), err)
	case isAny(err, syscall.EROFS):
		return fmt.Errorf("%s lies on a disk that is mounted read-only: set NOD_STATE_DIR to a directory that can be written: %w", path, err)
	}
	return fmt.Errorf("write %s: %w", path, err)
}

func isFull(err error) bool { return isAny(err, syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG) }

// isAny reports whether err is one of kinds. bbolt 1.5 passes some errors on as text only ("file resize
// error: …"), so the text counts too.
func isAny(err error, kinds ...syscall.Errno) bool {
	return slices.ContainsFunc(kinds, func(e syscall.Errno) bool {
		return errors.Is(err, e) || strings.HasSuffix(err.Error(), e.Error())
	})
}

// isOpenError reports whether an error of opening a file says nothing about its content.
func isOpenError(err error) bool {
	return errors.Is(err, berrors.ErrTimeout) || errors.Is(err, os.ErrPermission) || isFull(err) || isAny(err, syscall.EROFS)
}

func openError(path string, err error) error {
	switch {
	case errors.Is(err, berrors.ErrTimeout):
		return fmt.Errorf("another nod runs on this state (%s, %s): stop it first, or set NOD_STATE_DIR for this one", pidOf(path), path)
	case errors.Is(err, os.ErrPermission):
		return fmt.Errorf("%s can't be opened (%w): it must belong to you, with mode 0600", path, err)
	case isFull(err) || isAny(err, syscall.EROFS):
		return saveError(path, err)
	}
	return damaged(path, err)
}

// newer says what to do with a file of a newer nod.
func newer(path string, schema NewerError) error {
	return fmt.Errorf("%s was written by a newer nod (%w): install that one again, %sor set NOD_STATE_DIR to a new directory",
		path, schema, wayBack(path, schema.known))
}

// damaged says what to do with a file that is not a database any more.
func damaged(path string, err error) error {
	return fmt.Errorf("%s is damaged (%w) and was left as it is: restore a copy made by `nod backup`, or move it away and start again with nothing pending", path, err)
}

// pidPath is the file in which the nod that holds the lock writes its process id: bbolt's lock does not say
// who has it.
func pidPath(path string) string { return path + ".pid" }

func writePID(path string) error {
	return os.WriteFile(pidPath(path), fmt.Appendf(nil, "%d\n", os.Getpid()), 0o600)
}

func pidOf(path string) string {
	data, err := os.ReadFile(pidPath(path))
	if err != nil {
		return "pid unknown"
	}
	return "pid " + strings.TrimSpace(string(data))
}
