package chat

import (
	"crypto/sha256"
	"encoding/hex"
	"time"
)

// Limits of the soul files that an agent has about one person or group.
const (
	MaxSoulFiles = 50
	MaxSoulFile  = 20_000 // bytes of one
)

// SoulFile is a note about the character of an agent toward one person or group.
type SoulFile struct {
	Name      string
	Content   string
	UpdatedAt time.Time
}

// SoulChange sets a soul file, or deletes it where the content is empty. Conflict where the file is not of that version.
type SoulChange struct {
	Name, Content string
	Version       string // SoulVersion of what is overwritten
}

// soulVersionSize is how many bytes of a hash a version has: enough to tell the texts of one file from each other.
const soulVersionSize = 4

// SoulVersion names what a soul file says; empty where there is none.
func SoulVersion(content string) string {
	if content == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(content))
	return hex.EncodeToString(sum[:soulVersionSize])
}
