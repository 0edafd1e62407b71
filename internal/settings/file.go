package settings

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"nod/internal/host/ordinary"
	"nod/internal/text/lazy"
)

// maxFile is the size limit of the settings file: a device or a log named by mistake is not read forever.
const maxFile = 1 << 20

var keyShape = lazy.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// parseFile parses KEY=value lines. It skips blank lines and lines that begin with #, and removes blanks
// around key and value and one pair of quotes around the value. Nothing is expanded. A problem contains the
// line's number and never its text, which may be the token. (godotenv expands $ in values and quotes the line
// in its errors.)
func parseFile(text, path string) (map[string]string, []Problem) {
	values := map[string]string{}
	var problems []Problem
	complain := func(line int, variable, should string) {
		problems = append(problems, Problem{Variable: variable, Should: should, Where: fmt.Sprintf("%s, line %d", path, line)})
	}
	number := 0
	for line := range strings.Lines(strings.TrimPrefix(text, "\ufeff")) {
		number++
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		key, value, found := strings.Cut(strings.TrimPrefix(line, "export "), "=")
		key = strings.TrimSpace(key)
		switch _, again := values[key]; {
		case !found || !keyShape().MatchString(key):
			complain(number, "", "a line of the settings file must be KEY=value")
		case again:
			complain(number, key, "is set twice in the file: keep one of the two lines")
		case !isVariable(key):
			complain(number, key, unknownKey(key))
		default:
			values[key] = unquote(strings.TrimSpace(value))
		}
	}
	return values, problems
}

func isVariable(key string) bool {
	return slices.ContainsFunc(Variables(), func(v Variable) bool { return v.Name == key })
}

func unknownKey(key string) string {
	if meant := nearest(strings.ToUpper(key)); meant != "" {
		return "is no setting of nod: did you mean " + meant + "?"
	}
	return "is no setting of nod: see `nod config` for the names"
}

func unquote(value string) string {
	if len(value) >= 2 && (value[0] == '"' || value[0] == '\'') && value[len(value)-1] == value[0] {
		return value[1 : len(value)-1]
	}
	return value
}

// readPrivate reads a file that may contain the token. It refuses a file that others can read: whoever has
// the token controls the bot.
func readPrivate(path string) (string, error) {
	f, info, err := ordinary.Open(path)
	if errors.Is(err, ordinary.ErrOther) {
		return "", fmt.Errorf("%s is no ordinary file", path)
	}
	if err != nil {
		return "", openProblem(path, err)
	}
	defer f.Close()
	if info.Mode().Perm()&0o077 != 0 {
		return "", fmt.Errorf("%s can be read by others (mode %04o): run `chmod 600 %s`", path, info.Mode().Perm(), path)
	}
	if info.Size() > maxFile {
		return "", fmt.Errorf("%s is too large to be a settings file", path)
	}
	text, err := io.ReadAll(io.LimitReader(f, maxFile))
	if err != nil {
		return "", openProblem(path, err)
	}
	return string(text), nil
}

func openProblem(path string, err error) error {
	if pathError := (*fs.PathError)(nil); errors.As(err, &pathError) {
		err = pathError.Err
	}
	return fmt.Errorf("%s can't be read: %w", path, err)
}
