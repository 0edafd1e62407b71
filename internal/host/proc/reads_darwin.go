package proc

import (
	"errors"
	"time"
)

// LastRead is not supported on macOS.
func LastRead(string) (time.Time, error) { return time.Time{}, errors.ErrUnsupported }

// Started returns the start time of a process.
func Started(id ID) time.Time { return time.Unix(int64(id.Start), 0) }

// NewReads is not supported on macOS.
func NewReads() (*Reads, error) { return nil, errors.ErrUnsupported }

func (r *Reads) watch(string) (int32, error) { return 0, errors.ErrUnsupported }

// Run returns at once.
func (r *Reads) Run() {}

// Note does nothing.
func (r *Reads) Note() {}
