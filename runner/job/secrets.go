package job

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"xbot/runner/wire"
)

// handover is the pipe over which a shim gets the secrets of its command: they are in no file, no argument and no environment but that of the
// command.
type handover struct{ read, write *os.File }

func openHandover() (*handover, error) {
	read, write, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	return &handover{read: read, write: write}, nil
}

// giveWithin is more than a shim takes to read its secrets.
const giveWithin = 10 * time.Second

// give writes the secrets. A shim that does not get all of them starts nothing, and reports it.
func (h *handover) give(secrets []wire.Secret) {
	_ = h.read.Close()                                       // the shim has its own: if that ends early, writing fails
	_ = h.write.SetWriteDeadline(time.Now().Add(giveWithin)) // pipes have deadlines
	_ = json.NewEncoder(h.write).Encode(secrets)             // as above
}

func (h *handover) close() {
	_ = h.read.Close()  // it may be closed
	_ = h.write.Close() // the shim sees the end
}

// ReadSecrets returns the secrets that the shim of a job was given, all or none. Its errors hold no values.
func ReadSecrets(want int) ([]wire.Secret, error) {
	from := os.NewFile(SecretFD, "secrets")
	if from == nil {
		return nil, errors.New("the secrets of the command did not come")
	}
	defer from.Close()
	var secrets []wire.Secret
	if err := json.NewDecoder(from).Decode(&secrets); err != nil || len(secrets) != want {
		return nil, fmt.Errorf("the secrets of the command did not come: %d of %d", len(secrets), want)
	}
	return secrets, nil
}
