package proc

import (
	"encoding/binary"
	"strconv"
	"strings"
	"time"
)

// psTable and psArgs are the columns requested from ps(1). Only the last column may contain blanks, so
// command names and arguments need a run each.
const (
	psTable = "pid=,ppid=,pgid=,tpgid=,tty=,stat=,lstart=,comm="
	psArgs  = "pid=,args="
)

// parsePS parses the output of `LC_ALL=C ps -o` psTable. It skips invalid lines. On macOS comm is the path of
// the program.
func parsePS(output string) map[int]entry {
	table := map[int]entry{}
	for line := range strings.Lines(output) {
		// lstart is five words: Sat Nov 21 02:11:36 2026.
		words, comm := cutWords(line, 11)
		if comm == "" {
			continue
		}
		var numbers [4]int
		ok := true
		for i := range numbers {
			n, err := strconv.Atoi(words[i])
			numbers[i], ok = n, ok && err == nil
		}
		started, err := time.ParseInLocation("Mon Jan 2 15:04:05 2006", strings.Join(words[6:11], " "), time.Local)
		if !ok || err != nil || numbers[0] < 1 || started.Unix() < 0 {
			continue
		}
		table[numbers[0]] = entry{
			ID:     ID{PID: numbers[0], Start: uint64(started.Unix())},
			parent: numbers[1], group: numbers[2], foreground: numbers[3],
			terminal: strings.Trim(words[4], "?-"), zombie: strings.HasPrefix(words[5], "Z"), comm: comm,
		}
	}
	return table
}

// parseArgs parses the output of `ps -o` psArgs into command lines by pid. ps does not mark the end of an
// argument, so an argument with blanks becomes several.
func parseArgs(output string) map[int][]string {
	args := map[int][]string{}
	for line := range strings.Lines(output) {
		words := strings.Fields(line)
		if len(words) < 2 {
			continue
		}
		if pid, err := strconv.Atoi(words[0]); err == nil && pid > 0 {
			args[pid] = words[1:]
		}
	}
	return args
}

// parseProcArgs parses the result of macOS's sysctl kern.procargs2: the number of arguments, the path of the
// program, zero bytes, the arguments, and the environment up to an empty string.
func parseProcArgs(data []byte) (environment []string) {
	if len(data) < 4 {
		return nil
	}
	skip := int(binary.LittleEndian.Uint32(data))
	_, rest, _ := strings.Cut(string(data[4:]), "\x00")
	words := strings.Split(strings.TrimLeft(rest, "\x00"), "\x00")
	for at, word := range words {
		if at < skip {
			continue
		}
		if word == "" {
			break
		}
		environment = append(environment, word)
	}
	return environment
}

// cutWords cuts n words off the line and returns the rest, trimmed.
func cutWords(line string, n int) (words []string, rest string) {
	rest = strings.TrimSpace(line)
	for range n {
		end := strings.IndexAny(rest, " \t")
		if end < 0 {
			return words, ""
		}
		words = append(words, rest[:end])
		rest = strings.TrimLeft(rest[end:], " \t")
	}
	return words, rest
}

// parseFiles parses the output of `lsof -Ffn`: the names of a process's open files by descriptor. It skips
// entries without a descriptor, such as "fcwd".
func parseFiles(output string) map[int]string {
	files := map[int]string{}
	number := -1
	for line := range strings.Lines(output) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case strings.HasPrefix(line, "f"):
			n, err := strconv.Atoi(line[1:])
			if number = n; err != nil {
				number = -1
			}
		case strings.HasPrefix(line, "n") && number >= 0:
			files[number] = line[1:]
		}
	}
	return files
}
