package proc

import (
	"fmt"
	"strconv"
	"strings"
)

// parseStat parses /proc/PID/stat (proc(5)). The program's name is in parentheses and may itself contain
// blanks, newlines and parentheses; the later fields may not.
func parseStat(stat string) (entry, error) {
	open, end := strings.Index(stat, " ("), strings.LastIndex(stat, ") ")
	if open < 1 || end < open+2 {
		return entry{}, fmt.Errorf("unreadable process status %.80q", stat)
	}
	fields := strings.SplitN(stat[end+2:], " ", 21) // of some fifty
	if len(fields) < 20 {
		return entry{}, fmt.Errorf("unreadable process status %.80q", stat)
	}
	e := entry{comm: stat[open+2 : end], zombie: fields[0] == "Z" || fields[0] == "X"}
	var err error
	device := 0
	for _, field := range []struct {
		text string
		to   *int
	}{{stat[:open], &e.PID}, {fields[1], &e.parent}, {fields[2], &e.group}, {fields[3], &e.session}, {fields[4], &device}, {fields[5], &e.foreground}} {
		if *field.to, err = strconv.Atoi(field.text); err != nil {
			return entry{}, fmt.Errorf("unreadable process status %.80q", stat)
		}
	}
	if e.Start, err = strconv.ParseUint(fields[19], 10, 64); err != nil || e.PID < 1 {
		return entry{}, fmt.Errorf("unreadable process status %.80q", stat)
	}
	e.terminal = terminalOf(uint32(device))
	return e, nil
}

// terminalOf names the terminal with a device number from proc(5): the minor number is in bits 31 to 20 and 7
// to 0, the major number in bits 15 to 8. Majors 136 to 143 are pseudo terminals (devices.txt of the kernel).
func terminalOf(device uint32) string {
	major, minor := device>>8&0xff, device>>12&0xfff00|device&0xff
	switch {
	case device == 0:
		return ""
	case major >= 136 && major <= 143:
		return "pts/" + strconv.Itoa(int((major-136)<<8+minor))
	}
	return fmt.Sprintf("device %d:%d", major, minor)
}
