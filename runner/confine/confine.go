// Package confine keeps folders out of a command's sight: those that hold the product's keys, certificates and
// sockets. Everything else stays as it is.
//
// On Linux the command runs in a mount namespace of its own, in which an empty file system covers each folder. Root
// gets that directly; another user through a user namespace, in which set-user-id programs such as sudo do not work.
// A Landlock domain that forbids nothing else keeps the command from taking the cover away and from looking through
// /proc into processes outside. This is a wall against curiosity and against instructions planted in what the model
// reads. It is not a jail: root can still reach a disk by its device, and on new kernels read the environment of other
// processes, which therefore is no place for secrets where commands run as root.
//
// The program executes itself between the shim and the shell (Main), since covering has to happen in the new
// namespace and before the command.
package confine

import (
	"fmt"
	"os/exec"
	"strings"
	"time"
)

// Method is how folders are hidden. The empty one hides nothing.
type Method string

// The methods.
const (
	None  Method = ""
	Mount Method = "mount namespace"
	User  Method = "user and mount namespace"
)

// Verb is the first argument of the program when it is to cover folders and execute a shell.
const Verb = "confine"

// failed is the exit code when a folder cannot be covered: then the command is not executed.
const failed = 126

// probeTime bounds one try of a method.
const probeTime = 10 * time.Second

// arguments are those of Main: the folders, a separator, and the command for the shell.
func arguments(hide []string, command string) []string {
	args := append([]string{"xbot-runner", Verb}, hide...)
	return append(args, "--", command)
}

// parse is the opposite of arguments, without the program's name and the verb.
func parse(args []string) (hide []string, command string, err error) {
	if len(args) < 2 || args[len(args)-2] != "--" {
		return nil, "", fmt.Errorf("usage: xbot-runner %s FOLDER... -- COMMAND", Verb)
	}
	return args[:len(args)-2], args[len(args)-1], nil
}

// Find tries the methods and returns the first that hides the folders indeed: witness, a file in one of them, must not
// be there for a command. Without any it says why.
func Find(hide []string, witness string) (Method, error) {
	var reasons []string
	for _, method := range methods() {
		if err := try(method, hide, witness); err != nil {
			reasons = append(reasons, fmt.Sprintf("%s: %v", method, err))
			continue
		}
		return method, nil
	}
	if len(reasons) == 0 {
		return None, fmt.Errorf("this system has no way to hide folders from commands")
	}
	return None, fmt.Errorf("%s", strings.Join(reasons, "; "))
}

func try(method Method, hide []string, witness string) error {
	path, argv, attr := Wrap(method, hide, `test -e "$XBOT_WITNESS" || echo hidden`)
	cmd := exec.Cmd{Path: path, Args: argv, Env: []string{"XBOT_WITNESS=" + witness}, SysProcAttr: attr, Dir: "/"}
	timer := time.AfterFunc(probeTime, func() {
		if cmd.Process != nil {
			_ = cmd.Process.Kill() // it may have just ended
		}
	})
	defer timer.Stop()
	out, err := cmd.CombinedOutput()
	said := strings.TrimSpace(string(out))
	switch {
	case err != nil && said != "":
		return fmt.Errorf("%w: %s", err, said)
	case err != nil:
		return err
	case said != "hidden":
		return fmt.Errorf("the folder stayed visible")
	}
	return nil
}
