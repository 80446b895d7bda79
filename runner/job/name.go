package job

import (
	"crypto/sha256"
	"encoding/hex"
)

// maxPlainName keeps folder names short enough for every file system, in bytes.
const maxPlainName = 120

// folderName turns a command's id into a name that is safe in a path on any file system: plain ids stay readable,
// all others become "~" and a hash. Two ids never share a name.
func folderName(id string) string {
	if isPlain(id) {
		return id
	}
	sum := sha256.Sum256([]byte(id))
	return "~" + hex.EncodeToString(sum[:])
}

// isPlain admits lower-case letters only, since some file systems ignore case.
func isPlain(id string) bool {
	if id == "" || len(id) > maxPlainName || id[0] == '.' || id[0] == '-' {
		return false
	}
	for i := range len(id) {
		switch c := id[i]; {
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9', c == '.', c == '-', c == '_':
		default:
			return false
		}
	}
	return true
}

// HashOf identifies a command: its text and the folder as requested.
func HashOf(command, dir string) string {
	h := sha256.New()
	h.Write([]byte(dir))
	h.Write([]byte{0})
	h.Write([]byte(command))
	return hex.EncodeToString(h.Sum(nil))
}
