package wire

import "strings"

// PluginStart starts a process of a plugin, which is used like one of StdioStart and lives as long. Its confinement is narrower than that of
// commands: it changes nothing but its own data, and does not see homes, workspaces, /srv, /mnt and /media unless Files. A runner that was not
// started for plugins refuses it, and so does one that cannot confine it so.
type PluginStart struct {
	StdioStart

	Plugin  string `json:"plugin"`            // its id, which names its folders
	Digest  string `json:"digest"`            // of its files: 64 hexadecimal digits
	Data    int64  `json:"data"`              // positive, names the folder of its data
	Network bool   `json:"network,omitempty"` // it may open sockets
	Files   bool   `json:"files,omitempty"`   // it may read what commands may read
}

// Validate checks what does not depend on the machine.
func (r PluginStart) Validate() error {
	if r.Dir != "" {
		return Errorf(Invalid, "the working folder of a plugin is its own")
	}
	if !IsPluginID(r.Plugin) {
		return Errorf(Invalid, "the id of a plugin has 1 to 24 small letters and digits")
	}
	if len(r.Digest) != 64 || strings.Trim(r.Digest, "0123456789abcdef") != "" {
		return Errorf(Invalid, "the digest of a plugin has 64 hexadecimal digits")
	}
	if r.Data <= 0 {
		return Errorf(Invalid, "the folder of the data of a plugin has a positive number")
	}
	return r.StdioStart.Validate()
}

// MaxPluginID is how long the id of a plugin may be, in bytes, as in its manifest.
const MaxPluginID = 24

// IsPluginID reports whether a text can be the id of a plugin: small letters and digits, a letter first.
func IsPluginID(s string) bool {
	return s != "" && len(s) <= MaxPluginID && s[0] >= 'a' && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789") == ""
}
