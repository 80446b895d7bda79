package config

import (
	"os"
	"slices"
	"strings"

	"xbot/internal/fault"
)

// fileSuffix ends the names of variables that name a file with a secret: LLM_API_KEY_FILE has LLM_API_KEY.
const fileSuffix = "_FILE"

// maxSecretFile is the size of such a file at most, in bytes.
const maxSecretFile = 64 << 10

// channelSecrets are the secrets among ChannelVariables.
var channelSecrets = []string{"FEISHU_APP_SECRET", "FEISHU_VERIFICATION_TOKEN", "FEISHU_ENCRYPT_KEY", "NAPCAT_TOKEN", "QQ_APP_SECRET"}

// SecretNames returns the settings that are secrets, each of which may be given as a file.
func SecretNames() []string {
	names := slices.Clone(channelSecrets)
	for _, s := range Settings[Serve]() {
		if s.Secret {
			names = append(names, s.Name)
		}
	}
	return names
}

// secretOfFile returns the secret that a variable gives as a file.
func secretOfFile(name string) (secret string, ok bool) {
	secret, ok = strings.CutSuffix(name, fileSuffix)
	return secret, ok && slices.Contains(SecretNames(), secret)
}

// lineEndings may end a secret's file, or a variable that is set from one. They are not part of the secret.
const lineEndings = "\r\n"

// readSecretFiles sets the secrets that values give as files, and removes lineEndings from all.
func readSecretFiles(values map[string]string) error {
	for _, name := range SecretNames() {
		if secret, ok := values[name]; ok {
			values[name] = strings.TrimRight(secret, lineEndings)
		}
		path := values[name+fileSuffix]
		if path == "" {
			continue
		}
		if values[name] != "" {
			return fault.Errorf(fault.Invalid, "both %s and %s%s are set; set one of them", name, name, fileSuffix)
		}
		info, err := os.Stat(path)
		if err == nil && (!info.Mode().IsRegular() || info.Size() > maxSecretFile) {
			return fault.Errorf(fault.Invalid, "%s%s: %s is not a file of a secret", name, fileSuffix, path)
		}
		text, readErr := os.ReadFile(path)
		if err != nil || readErr != nil {
			return fault.Errorf(fault.Invalid, "%s%s: %w", name, fileSuffix, readErr)
		}
		if values[name] = strings.TrimRight(string(text), lineEndings); values[name] == "" {
			return fault.Errorf(fault.Invalid, "%s%s: %s is empty", name, fileSuffix, path)
		}
	}
	return nil
}
