package proc

import (
	"fmt"
	"strconv"
	"strings"
)

// parseStat reads /proc/PID/stat (proc(5)). The name of the program stands in parentheses and may hold
// blanks, newlines and parentheses itself; no field after it can.
func parseStat(stat string) (entry, error) {
	open, end := strings.Index(stat, " ("), strings.LastIndex(stat, ") ")
	if open < 1 || end < open+2 {
		return entry{}, fmt.Errorf("unreadable process status %.80q", stat)
	}
	fields := strings.Fields(stat[end+2:])
	if len(fields) < 20 {
		return entry{}, fmt.Errorf("unreadable process status %.80q", stat)
	}
	e := entry{comm: stat[open+2 : end], zombie: fields[0] == "Z" || fields[0] == "X"}
	var err error
	for _, field := range []struct {
		text string
		to   *int
	}{{stat[:open], &e.PID}, {fields[1], &e.parent}, {fields[2], &e.group}, {fields[5], &e.foreground}} {
		if *field.to, err = strconv.Atoi(field.text); err != nil {
			return entry{}, fmt.Errorf("unreadable process status %.80q", stat)
		}
	}
	if e.Start, err = strconv.ParseUint(fields[19], 10, 64); err != nil || e.PID < 1 {
		return entry{}, fmt.Errorf("unreadable process status %.80q", stat)
	}
	return e, nil
}
