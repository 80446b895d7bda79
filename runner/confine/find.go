package confine

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"
)

// probeTime bounds one try of a method.
const probeTime = 10 * time.Second

// Find tries the methods, each in a separate process, and returns the first that hides folders indeed: a command must not be able to read witness, a
// file in one of them. Without any it returns the reason.
func Find(policy Policy, witness string) (Method, error) {
	encoded, err := json.Marshal(policy)
	if err != nil {
		return None, fmt.Errorf("encode the policy: %w", err)
	}
	var reasons []string
	for _, method := range methods() {
		cmd := exec.Command(self(), probeVerb, string(method), witness, string(encoded))
		cmd.Env, cmd.Dir = []string{}, "/"
		out, err := cmd.CombinedOutput()
		if err == nil {
			return method, nil
		}
		reasons = append(reasons, fmt.Sprintf("%s: %s", method, cmp.Or(strings.TrimSpace(string(out)), err.Error())))
	}
	if len(reasons) == 0 {
		return None, errors.New("this system has no way to hide folders from commands")
	}
	return None, errors.New(strings.Join(reasons, "; "))
}

// probe is Find's other process. Its arguments are a method, the witness and the policy.
func probe(args []string) int {
	var policy Policy
	if len(args) != 3 || json.Unmarshal([]byte(args[2]), &policy) != nil {
		fmt.Fprintf(os.Stderr, "usage: xbot-runner %s METHOD WITNESS WALLS\n", probeVerb)
		return failed
	}
	if err := try(Method(args[0]), policy, args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// try starts a command that reads the witness. It prints a word either way, so that silence means it did not run.
func try(method Method, policy Policy, witness string) error {
	null, err := os.Open(os.DevNull)
	if err != nil {
		return err
	}
	defer null.Close()
	out, end, err := os.Pipe()
	if err != nil {
		return err
	}
	defer out.Close()
	_, err = Start(method, Command{
		Text: `if (exec <"$XBOT_WITNESS") 2>/dev/null; then echo visible; else echo hidden; fi`,
		Dir:  "/", Env: []string{"XBOT_WITNESS=" + witness}, Input: null.Fd(), Output: end.Fd(), Errors: end.Fd(), Policy: policy,
	})
	if err = errors.Join(err, end.Close()); err != nil {
		return err
	}
	if err := out.SetReadDeadline(time.Now().Add(probeTime)); err != nil {
		return err
	}
	said, err := io.ReadAll(out)
	if err != nil {
		return err
	}
	switch text := strings.TrimSpace(string(said)); text {
	case "hidden":
		return nil
	case "visible":
		return errors.New("the folder stayed visible")
	default:
		return errors.New(cmp.Or(text, "the command did not run"))
	}
}
