package main

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// startSSHD runs a real sshd on this machine's loopback, and makes `ssh gpu1` lead there. Programs started
// through it have the tmux server, the state and the socket of another machine.
func startSSHD(ts *testscript.TestScript, _ bool, args []string) {
	sshd, err := exec.LookPath("/usr/sbin/sshd")
	ts.Check(err)
	if os.Geteuid() == 0 {
		ts.Check(os.MkdirAll("/run/sshd", 0o755))
	}
	me, err := user.Current()
	ts.Check(err)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	port := listener.Addr().(*net.TCPAddr).Port
	ts.Check(listener.Close())
	work := ts.Getenv("WORK")
	there := filepath.Join(work, "there")
	ts.Check(os.MkdirAll(there, 0o700))
	for _, key := range []string{"host", "id"} {
		ts.Check(ts.Exec("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", filepath.Join(work, key)))
	}
	public, err := os.ReadFile(filepath.Join(work, "id.pub"))
	ts.Check(err)
	forced := ""
	if len(args) > 0 {
		forced = "command=\"" + strings.Join(args, " ") + "\" "
	}
	host, err := os.ReadFile(filepath.Join(work, "host.pub"))
	ts.Check(err)
	env := []string{"PATH=" + ts.Getenv("PATH"), "HOME=" + there, "GORACE=" + quickExit}
	for name, value := range map[string]string{"NOD_TMUX_SOCKET": "t", "NOD_SOCKET": "there/n", "NOD_STATE_DIR": "there"} {
		env = append(env, name+"="+filepath.Join(work, value))
	}
	env = append(env, "NOD_POLL_INTERVAL=100ms")
	for name, text := range map[string]string{
		"authorized": forced + string(public),
		"sshd_config": fmt.Sprintf("ListenAddress 127.0.0.1\nPort %d\nHostKey %s/host\nAuthorizedKeysFile %s/authorized\nStrictModes no\nUsePAM no\nPermitRootLogin yes\nPidFile none\nSetEnv %s\n",
			port, work, work, strings.Join(env, " ")),
		"known": fmt.Sprintf("[127.0.0.1]:%d %s", port, host),
		"ssh_config": fmt.Sprintf("Host gpu1\n HostName 127.0.0.1\n Port %d\n User %s\n IdentityFile %s/id\n IdentitiesOnly yes\n UserKnownHostsFile %s/known\nHost stranger\n HostName 127.0.0.1\n Port %d\n UserKnownHostsFile /dev/null\n",
			port, me.Username, work, work, port),
		"bin/ssh": "#!/bin/sh\nexec " + systemSSH(ts) + " -F " + work + "/ssh_config \"$@\"\n",
	} {
		ts.Check(os.MkdirAll(filepath.Dir(filepath.Join(work, name)), 0o700))
		ts.Check(os.WriteFile(filepath.Join(work, name), []byte(text), 0o700)) //nolint:gosec // one of them is a program
	}
	ts.Setenv("PATH", filepath.Join(work, "bin")+":"+ts.Getenv("PATH"))
	server := exec.Command(sshd, "-D", "-e", "-f", filepath.Join(work, "sshd_config"))
	log, err := os.Create(filepath.Join(work, "sshd.log"))
	ts.Check(err)
	server.Stderr = log
	ts.Check(server.Start())
	ts.Defer(func() {
		_ = server.Process.Kill()
		_ = server.Wait()
		_ = log.Close()
	})
	waitFor(ts, "sshd", func() bool {
		conn, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", port))
		if err == nil {
			_ = conn.Close()
		}
		return err == nil
	})
}

func systemSSH(ts *testscript.TestScript) string {
	path, err := exec.LookPath("ssh")
	ts.Check(err)
	return path
}
