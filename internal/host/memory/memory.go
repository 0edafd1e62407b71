// Package memory gives memory that nod holds and does not need back to the system.
package memory

import (
	"bytes"
	"fmt"
	"iter"
	"strconv"
	"strings"
)

// mapping is a part of a process's memory.
type mapping struct {
	from, to uintptr
	file     string
	writes   bool // the process may write there
	changed  bool // it holds pages that differ from the file's
}

// mappings reads /proc/PID/smaps (proc_pid_smaps(5)): a line with the addresses, permissions and file of each
// mapping, and below it a line for each of its values.
func mappings(smaps []byte) iter.Seq2[mapping, error] {
	return func(yield func(mapping, error) bool) {
		var m *mapping
		for line := range bytes.Lines(smaps) {
			fields := strings.Fields(string(line))
			if len(fields) < 2 {
				continue
			}
			if name, is := strings.CutSuffix(fields[0], ":"); is {
				if name == "Anonymous" && m != nil {
					m.changed = fields[1] != "0"
				}
				continue
			}
			if m != nil && !yield(*m, nil) {
				return
			}
			next, err := begins(fields)
			if err != nil {
				yield(mapping{}, fmt.Errorf("read %q: %w", bytes.TrimSpace(line), err))
				return
			}
			m = &next
		}
		if m != nil {
			yield(*m, nil)
		}
	}
}

// begins reads the first line of a mapping: from-to permissions offset device inode file.
func begins(fields []string) (m mapping, err error) {
	from, to, _ := strings.Cut(fields[0], "-")
	for _, end := range []struct {
		text string
		into *uintptr
	}{{from, &m.from}, {to, &m.to}} {
		address, err := strconv.ParseUint(end.text, 16, strconv.IntSize)
		if err != nil {
			return m, err
		}
		*end.into = uintptr(address)
	}
	m.writes = strings.Contains(fields[1], "w")
	m.changed = true // until the line that says otherwise
	m.file = strings.Join(fields[min(5, len(fields)):], " ")
	return m, nil
}
