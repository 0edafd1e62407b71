#!/bin/sh
# install.sh: installs nod and nod-hub in ~/.local/bin, or uninstalls them. It needs no root and changes nothing
# else. In a checkout it builds nod, which needs Go; beside the programs of a release it copies the right one.
set -eu

usage() {
	cat <<'USAGE'
usage: install.sh [--to DIR] [--yes]
       install.sh --uninstall [--purge] [--to DIR] [--yes]

  --to DIR      where the program goes (~/.local/bin)
  --uninstall   takes away the service, the agents' hooks and the program
  --purge       and your settings and nod's records too
  --yes         does it without asking
USAGE
}

die() {
	echo "install.sh: $1" >&2
	exit "${2:-1}"
}

here=$(cd "$(dirname "$0")" && pwd)
[ -n "${HOME:-}" ] || die "HOME is not set: nod goes into your home directory"
to=$HOME/.local/bin
uninstall= purge= yes=
while [ $# -gt 0 ]; do
	case $1 in
	--to) [ $# -gt 1 ] || die "--to takes a folder" 2; to=$2; shift ;;
	--uninstall) uninstall=1 ;;
	--purge) purge=1 ;;
	--yes | -y) yes=1 ;;
	--help | -h) usage; exit 0 ;;
	*) usage >&2; die "there is no option $1" 2 ;;
	esac
	shift
done
[ -z "$purge" ] || [ -n "$uninstall" ] || die "--purge goes with --uninstall" 2
case $to in /*) ;; *) to=$PWD/$to ;; esac
nod=$to/nod

# agree asks for consent before any change.
agree() {
	[ -z "$yes" ] || return 0
	[ -t 0 ] || die "nothing was done: there is no terminal to ask at, so say --yes" 2
	printf 'Do this? [y/N] '
	read -r answer || answer=
	case $answer in y | Y | yes) ;; *) die "nothing was done" ;; esac
}

# The folders of settings and records, by nod's own rules: a relative path in an XDG variable counts as unset.
case ${XDG_CONFIG_HOME:-} in /*) config=$XDG_CONFIG_HOME/nod ;; *) config=$HOME/.config/nod ;; esac
case ${XDG_STATE_HOME:-} in /*) state=$XDG_STATE_HOME/nod ;; *) state=$HOME/.local/state/nod ;; esac

has_service() {
	[ -e "$HOME/.config/systemd/user/nod.service" ] || [ -e "$HOME/Library/LaunchAgents/nod.plist" ]
}

# running prints the pid of the running nod, as reported at its socket; nothing if none answers.
running() {
	"$nod" status --json 2>/dev/null | sed -n 's/^ *"pid": *\([0-9][0-9]*\).*/\1/p' | head -n 1
}

# ended waits until a process has ended.
ended() {
	for _ in 1 2 3 4 5 6 7 8; do
		kill -0 "$1" 2>/dev/null || return 0
		sleep 1
	done
	return 1
}

# elsewhere prints the folder of the records if NOD_STATE_DIR names another one. It may hold other things too, so it is never removed.
elsewhere() {
	folder=$("$nod" config --json 2>/dev/null | sed -n '/"variable": "NOD_STATE_DIR"/{n;s/^ *"value": "\(.*\)",$/\1/p;}')
	[ "$folder" = "$state" ] || echo "$folder"
}

if [ -n "$uninstall" ]; then
	[ -x "$nod" ] || [ -n "$purge" ] || die "there is no $nod: name the folder with --to"
	pid=$([ ! -x "$nod" ] || running)
	others=$([ ! -x "$nod" ] || elsewhere)
	echo "This will be done:"
	if [ -x "$nod" ]; then
		! has_service || echo "  stop nod and take its service away"
		[ -z "$pid" ] || echo "  end the nod that runs (process $pid)"
		echo "  take nod's hooks out of the agents' settings"
		echo "  remove $nod"
		[ ! -e "$to/nod-hub" ] || echo "  remove $to/nod-hub"
	fi
	if [ -n "$purge" ]; then
		echo "  remove $config: your settings with the bot's token"
		echo "  remove $state: nod's records"
	else
		echo "Your settings ($config) and nod's records (${others:-$state}) stay."
	fi
	agree
	if [ -x "$nod" ]; then
		! has_service || "$nod" service uninstall --yes || die "the service could not be taken away, so the program stays"
		"$nod" hooks uninstall || die "the hooks could not all be taken out, so the program stays"
		# Otherwise it would go on typing without its program and records. A nod of the service has already ended.
		[ -z "$pid" ] || ! kill "$pid" 2>/dev/null || ended "$pid" || die "process $pid does not end, so nothing was removed: see what it does, end it, and try again"
		rm -f "$nod" "$to/nod-hub"
	fi
	[ -z "$purge" ] || rm -rf "$config" "$state"
	[ -z "$purge" ] || [ ! -d "$others" ] || echo "nod's records in $others (NOD_STATE_DIR) are still there: remove them yourself."
	[ -z "$purge" ] || [ ! -e "${NOD_CONFIG:-}" ] || echo "Your settings in $NOD_CONFIG (NOD_CONFIG) are still there: remove them yourself."
	echo "nod is gone."
	exit 0
fi

# system is this machine's part of the names of a release's programs.
case $(uname -s)/$(uname -m) in
Linux/x86_64) system=linux-amd64 ;;
Linux/aarch64 | Linux/arm64) system=linux-arm64 ;;
Darwin/arm64) system=darwin-arm64 ;;
*) system= ;;
esac
if [ -n "$system" ] && [ -f "$here/nod-$system" ]; then
	source=$here/nod-$system
	does="copy $source"
elif [ -f "$here/../go.mod" ]; then
	source=
	go=${GO:-go}
	command -v "$go" >/dev/null || die "nod takes Go 1.26 or newer (https://go.dev/dl); PATH has none"
	does="build nod from $(cd "$here/.." && pwd), which takes a minute the first time"
else
	die "there is no program for $(uname -s) $(uname -m) beside this script: take a checkout, where it builds one"
fi

echo "This will be done:"
echo "  $does"
if [ -e "$nod" ]; then
	echo "  put it in the place of $nod ($("$nod" version 2>/dev/null || echo "which does not run"))"
else
	echo "  put it at $nod"
fi
! has_service || echo "  restart nod's service"
agree

# nod-hub is for joining machines: it is optional for people who downloaded only nod.
[ -z "$source" ] || [ -f "$here/nod-hub-$system" ] || echo "There is no nod-hub-$system beside this script, so this nod joins no machines over the network."
mkdir -p "$to"
beside=$(mktemp -d "$to/.nod-XXXXXX")
trap 'rm -rf "$beside"' EXIT
new=$beside/nod
# take copies a program of the release if its checksum is right.
take() {
	if [ -f "$here/SHA256SUMS" ]; then
		(cd "$here" && grep " $1-$system\$" SHA256SUMS | { sha256sum -c - 2>/dev/null || shasum -a 256 -c -; }) >/dev/null 2>&1 ||
			die "$here/$1-$system does not match SHA256SUMS: download it again"
	fi
	cp "$here/$1-$system" "$beside/$1"
	chmod 755 "$beside/$1"
}
if [ -n "$source" ]; then
	take nod
	[ ! -f "$here/nod-hub-$system" ] || take nod-hub
else
	GO=$go "$here/build" "$new"
fi
"$new" version >/dev/null || die "the new program does not run here, so nothing was changed"
old=$([ ! -x "$nod" ] || running)
[ ! -f "$beside/nod-hub" ] || mv -f "$beside/nod-hub" "$to/nod-hub"
mv -f "$new" "$nod"
echo "$("$nod" version) is at $nod"
! has_service || "$nod" service install --yes
if [ -n "$old" ] && [ "$(running)" = "$old" ]; then
	echo "Process $old still runs the old one: end it (kill $old), and start \`nod run\` again."
fi
case :$PATH: in
*:"$to":*) run=nod ;;
*)
	run=$nod
	profile='~/.profile' line="PATH=\"$to:\$PATH\""
	case ${SHELL:-} in
	*/zsh) profile='~/.zprofile' ;;
	*/fish) profile='~/.config/fish/config.fish' line="fish_add_path \"$to\"" ;;
	esac
	echo "$to is not in your PATH. This line in $profile puts it there from the next login on:"
	echo "  $line"
	;;
esac
[ -e "$config/nod.env" ] || echo "Next: $run setup"
