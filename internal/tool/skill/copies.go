package skill

import (
	"context"
	"errors"
	"os"
	"time"

	"xbot/internal/fault"
	"xbot/internal/sandbox"
)

// copyTime bounds how long a model waits for the copies of the server's skills.
const copyTime = time.Minute

// Copies brings the skills of a folder of the server to runners.
type Copies struct {
	Dir string // need not exist
}

var _ Copier = Copies{}

// Copy makes the copies on a runner the same as the server's, undoing changes by commands, and returns their folder. Where nothing changed it
// costs one request.
func (c Copies) Copy(ctx context.Context, box sandbox.Sandbox) (dir string, err error) {
	runner, ok := sandbox.Wide(box).(*sandbox.Runner) // the copies are the server's, and no work of the model
	if !ok {
		return "", errors.New("no machine is there")
	}
	root, err := os.OpenRoot(c.Dir)
	if err != nil {
		return "", fault.Errorf(fault.NotFound, "the server's skills are gone")
	}
	defer root.Close()
	ctx, cancel := context.WithTimeout(ctx, copyTime)
	defer cancel()
	return sandbox.CopyFolder(ctx, runner, "skills", root.FS())
}
