package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/caarlos0/env/v11"
	"github.com/joho/godotenv"

	"xbot/internal/fault"
)

// Load fills a settings struct from .env and config.json in XBOT_HOME, and the environment.
// Unknown keys and values of the wrong type are named in the error, which is a sentence for the operator.
func Load[T any](environ []string) (T, error) {
	var out T
	values := env.ToMap(environ)
	home, err := homeDir(values)
	if err != nil {
		return out, err
	}
	merged, named, err := merge(values, home)
	if err != nil {
		return out, err
	}
	merged["XBOT_HOME"], merged[EnvFileVariable] = home, named // no file sets where files are
	if err := env.ParseWithOptions(&out, env.Options{Environment: merged}); err != nil {
		return out, fault.Errorf(fault.Invalid, "%s", parseSentence(err))
	}
	return out, check(&out)
}

// merge puts .env, config.json and the environment over one another. named is the file in place of .env, if one is named.
func merge(environ map[string]string, home string) (merged map[string]string, named string, err error) {
	if merged, named, err = readEnvFile(environ, home); err != nil {
		return nil, "", err
	}
	fromFile, err := readFile(filepath.Join(home, "config.json"))
	if err != nil {
		return nil, "", err
	}
	maps.Copy(merged, fromFile)
	for k, v := range environ {
		if v != "" { // an empty variable does not hide the value of a file
			merged[k] = v
		}
	}
	return merged, named, readSecretFiles(merged)
}

func homeDir(values map[string]string) (string, error) {
	home := values["XBOT_HOME"]
	if home == "" {
		user, err := os.UserHomeDir()
		if err != nil {
			return "", fault.Errorf(fault.Invalid, "the home folder is unknown (%w): set XBOT_HOME", err)
		}
		home = filepath.Join(user, ".xbot")
	}
	home, err := filepath.Abs(home)
	if err != nil {
		return "", fault.Errorf(fault.Invalid, "XBOT_HOME: %w", err)
	}
	if err := os.MkdirAll(home, 0o700); err != nil {
		return "", fault.Errorf(fault.Invalid, "XBOT_HOME cannot be made: %w", err)
	}
	return home, makePrivate(home)
}

// makePrivate sets the mode of the data folder to 0700, unless another user owns it.
func makePrivate(home string) error {
	info, err := os.Stat(home)
	if err != nil {
		return fault.Errorf(fault.Invalid, "XBOT_HOME cannot be read: %w", err)
	}
	if info.Mode().Perm()&0o077 == 0 {
		return nil
	}
	if err := os.Chmod(home, 0o700); err != nil && !errors.Is(err, fs.ErrPermission) && !errors.Is(err, syscall.EROFS) { //nolint:gosec // a folder needs to be executed
		return fault.Errorf(fault.Invalid, "XBOT_HOME %s is open to other users of this machine, and its mode cannot be changed: %w", home, err)
	}
	return nil
}

// EnvFileVariable names a file that is read in place of .env in XBOT_HOME.
const EnvFileVariable = "XBOT_ENV_FILE"

// readEnvFile reads .env in XBOT_HOME, or the file that the environment names, which has to be there. Keys of other
// programs are left alone; those that look like ours must be ours.
func readEnvFile(environ map[string]string, home string) (values map[string]string, named string, err error) {
	path := filepath.Join(home, ".env")
	if named = environ[EnvFileVariable]; named != "" {
		if named, err = filepath.Abs(named); err != nil {
			return nil, "", fault.Errorf(fault.Invalid, "%s: %w", EnvFileVariable, err)
		}
		path = named
	}
	values, err = godotenv.Read(path)
	if errors.Is(err, fs.ErrNotExist) && named == "" {
		return map[string]string{}, "", nil
	}
	if _, ok := errors.AsType[*fs.PathError](err); ok {
		return nil, "", fault.Errorf(fault.Invalid, "%s cannot be read: %w", path, err)
	}
	if err != nil { // the parser's own words repeat the file, and with it secrets
		return nil, "", fault.Errorf(fault.Invalid, "%s is not a list of NAME=value lines", path)
	}
	for key := range values {
		if strings.HasPrefix(key, "XBOT_") && !accepted(key) {
			return nil, "", fault.Errorf(fault.Invalid, "%s sets %s, which is not a setting of xbot%s", path, key, nearest(key))
		}
	}
	return values, named, nil
}

// IgnoredEnvFile returns the .env of the working folder, which was read once and is not any more: an agent that works there
// could write it. It is empty if there is none, or if it is the one that is read for another reason.
func IgnoredEnvFile(environ []string) string {
	values := env.ToMap(environ)
	here, err := filepath.Abs(".env")
	if err != nil {
		return ""
	}
	stray, err := os.Stat(here)
	if err != nil || stray.IsDir() {
		return ""
	}
	read := values[EnvFileVariable]
	if home, err := homeDir(values); read == "" && err == nil {
		read = filepath.Join(home, ".env")
	}
	if used, err := os.Stat(read); err == nil && os.SameFile(stray, used) {
		return ""
	}
	return here
}

// readFile reads config.json into environment names: nested keys are joined by underscores and tried as they are and
// with the prefix XBOT_.
func readFile(path string) (map[string]string, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return map[string]string{}, nil
	}
	if err != nil {
		return nil, fault.Errorf(fault.Invalid, "config.json cannot be read: %w", err)
	}
	var tree map[string]any
	if err := json.Unmarshal(data, &tree); err != nil {
		return nil, fault.Errorf(fault.Invalid, "%s is not valid JSON: %w", path, err)
	}
	out := map[string]string{}
	if err := flatten(tree, "", out); err != nil {
		return nil, fault.Errorf(fault.Invalid, "%s: %w", path, err)
	}
	return out, nil
}

func flatten(tree map[string]any, prefix string, out map[string]string) error {
	for _, key := range slices.Sorted(maps.Keys(tree)) {
		path := key
		if prefix != "" {
			path = prefix + "." + key
		}
		if branch, ok := tree[key].(map[string]any); ok {
			if err := flatten(branch, path, out); err != nil {
				return err
			}
			continue
		}
		name, ok := nameOf(path)
		if !ok {
			return fmt.Errorf("%q is not a setting of xbot%s", path, nearest(envStyle(path)))
		}
		text, err := scalar(tree[key])
		if err != nil {
			return fmt.Errorf("%q: %w", path, err)
		}
		out[name] = text
	}
	return nil
}

func nameOf(path string) (string, bool) {
	name := envStyle(path)
	for _, candidate := range []string{name, "XBOT_" + name} {
		if accepted(candidate) {
			return candidate, true
		}
	}
	return "", false
}

func envStyle(path string) string {
	return strings.ToUpper(strings.NewReplacer(".", "_", "-", "_").Replace(path))
}

func scalar(v any) (string, error) {
	switch v := v.(type) {
	case string:
		return v, nil
	case bool:
		return strconv.FormatBool(v), nil
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64), nil // not 1e+06
	case []any:
		parts := make([]string, len(v))
		for i, item := range v {
			text, err := scalar(item)
			if err != nil {
				return "", err
			}
			parts[i] = text
		}
		return strings.Join(parts, ","), nil
	case nil:
		return "", nil
	}
	return "", fmt.Errorf("%T is not a value that a setting can have", v)
}

func parseSentence(err error) string {
	var all env.AggregateError
	if !errors.As(err, &all) {
		return err.Error()
	}
	var parts []string
	for _, e := range all.Errors {
		if p, ok := errors.AsType[env.ParseError](e); ok {
			name := p.Name
			for _, s := range Settings[Serve]() {
				if s.Field == p.Name {
					name = s.Name
				}
			}
			parts = append(parts, fmt.Sprintf("%s must be a %s", name, typeName(p.Type)))
			continue
		}
		parts = append(parts, e.Error())
	}
	return strings.Join(parts, "; ")
}

func typeName(t reflect.Type) string {
	switch t.String() {
	case "time.Duration":
		return "duration such as 30s or 2m"
	case "float64":
		return "number"
	case "int":
		return "whole number"
	}
	return t.String()
}

// Variables returns those that are no settings of this package, read as Load reads settings: from the environment, and before it
// from config.json and .env.
func Variables(environ []string) (map[string]string, error) {
	given := env.ToMap(environ)
	home, err := homeDir(given)
	if err != nil {
		return nil, err
	}
	values, _, err := merge(given, home)
	return values, err
}
