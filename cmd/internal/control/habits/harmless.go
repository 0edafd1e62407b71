package habits

import (
	"slices"
	"strings"

	"nod/internal/text/lazy"
)

// harmless are the commands that look at a project, build it or test it, and what may follow each: options, which take a value where they
// end in "=", and NAME for any number of plain names inside the project. An option that is not here may write elsewhere, run a program or
// read other settings. What a project's own files say that a command does is not known here.
var harmless = commands(
	"ls", "-l -a -la -al -lh -lah -1 -R NAME",
	"pwd", "",
	"wc", "-l -c -w NAME",
	"git status", "-s -b -sb --short --porcelain NAME",
	"git diff|log|show", "--cached --staged --stat --name-only --name-status --oneline --graph --all -1 -3 -5 -10 -20 NAME",
	"git blame|ls-files|rev-parse|shortlog", "--short --abbrev-ref --show-toplevel -sn NAME",
	"git branch", "--show-current",
	"go build|vet|list", "-v -race -tags= NAME",
	"go test", "-v -race -short -failfast -cover -count= -run= -skip= -bench= -tags= -timeout= NAME",
	"go version", "",
	"gofmt -l|-d", "NAME",
	"staticcheck", "NAME",
	"golangci-lint run", "NAME",
	"make|just|task test|tests|check|build|lint|vet", "",
	"npm|pnpm|yarn|bun test", "",
	"npm|pnpm|yarn|bun run test|tests|check|build|lint|typecheck", "",
	"yarn build|lint|typecheck", "",
	"tsc --noEmit", "",
	"deno check|test|lint", "NAME",
	"pytest", "-v -vv -q -x -s -k= -m= --lf --ff NAME",
	"python|python3 -m pytest", "-v -vv -q -x -s -k= -m= --lf --ff NAME",
	"mypy", "NAME",
	"ruff check", "NAME",
	"ruff format --check", "NAME",
	"cargo build|check|test|clippy", "-v -q --workspace --all --lib --all-targets --all-features --release --locked --offline NAME",
	"mvn compile|test", "-q -o",
	"gradle|./gradlew build|test|check", "-q --offline",
	"dotnet build|test", "NAME",
	"mix compile|test", "NAME",
	"rspec", "NAME",
	"bundle exec rspec", "NAME",
	"swift build|test", "",
	"zig build test", "",
	"ctest", "",
	"shellcheck", "NAME",
)

// commands reads pairs of a command, whose words may each be one of several, and what may follow it.
func commands(pairs ...string) map[string][]string {
	all := map[string][]string{}
	for pair := range slices.Chunk(pairs, 2) {
		begun := []string{""}
		for _, word := range strings.Fields(pair[0]) {
			var longer []string
			for _, before := range begun {
				for one := range strings.SplitSeq(word, "|") {
					longer = append(longer, strings.TrimSpace(before+" "+one))
				}
			}
			begun = longer
		}
		for _, command := range begun {
			all[command] = strings.Fields(pair[1])
		}
	}
	return all
}

// name matches a name inside the project: not absolute, without a way up, and of nothing hidden. It has no sign that an option, a setting or
// a shell begins with.
var name = lazy.MustCompile(`^(?:\./)?(?:\w[\w.,-]*|\.\.\.)(?:/(?:\w[\w.,-]*|\.\.\.))*/?$|^\.$`)

// isHarmless reports whether all words of a command are known to look, build or test, inside the project.
func isHarmless(command string) bool {
	words := strings.Fields(command)
	for later := range words {
		n := len(words) - later
		if may, known := harmless[strings.Join(words[:n], " ")]; known {
			return mayFollow(words[n:], may)
		}
	}
	return false
}

func mayFollow(words, may []string) bool {
	for ; len(words) > 0; words = words[1:] {
		option, value, together := strings.Cut(words[0], "=")
		switch {
		case slices.Contains(may, words[0]):
		case slices.Contains(may, option+"=") && name().MatchString(value):
		case slices.Contains(may, option+"=") && !together && len(words) > 1 && name().MatchString(words[1]):
			words = words[1:]
		case !slices.Contains(may, "NAME") || !name().MatchString(words[0]):
			return false
		}
	}
	return true
}
