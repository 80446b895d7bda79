package main

import (
	"bufio"
	"context"
	"io"
	"maps"
	"os"
	"strings"

	"xbot/internal/chat"
	"xbot/internal/client/apiclient"
	"xbot/internal/fault"
	"xbot/internal/host/config"
	"xbot/server"
)

type channelsOptionsCmd struct {
	connection

	Name string `arg:"" help:"Platform: feishu, qq or napcat."`
}

// Run lists the options of a platform.
func (c channelsOptionsCmd) Run(ctx context.Context) error {
	return c.ask(func(client *apiclient.Client) error {
		list, err := client.ListChannels(ctx)
		if err != nil {
			return err
		}
		kind, err := kindOfChannel(list.Kinds, c.Name)
		if err != nil {
			return err
		}
		return table(os.Stdout, "OPTION\tVARIABLE\tVALUES\tMEANING", kind.Options, func(o chat.ChannelOption) []any {
			return []any{o.Name, o.Env, valuesOf(o), o.Label + ". " + o.Help}
		})
	})
}

func valuesOf(o chat.ChannelOption) string {
	var words []string
	switch {
	case o.Secret && o.Required:
		words = append(words, "secret, required")
	case o.Secret:
		words = append(words, "secret")
	case o.Required:
		words = append(words, "required")
	}
	if len(o.Choices) > 0 {
		words = append(words, strings.Join(o.Choices, " | "))
	}
	if o.Default != "" {
		words = append(words, "default "+o.Default)
	}
	return strings.Join(words, ", ")
}

func kindOfChannel(kinds []chat.ChannelKind, name string) (chat.ChannelKind, error) {
	for _, k := range kinds {
		if k.Name == name {
			return k, nil
		}
	}
	return chat.ChannelKind{}, fault.Errorf(fault.NotFound, "there is no platform %q; there are %s", name, kindNames(kinds))
}

type channelsSetCmd struct {
	bot

	Values  []string `arg:"" optional:"" placeholder:"OPTION=VALUE" help:"OPTION=VALUE; an empty value removes the option. Secrets are refused here, because others could read them in the process list."`
	Stdin   bool     `help:"Read more OPTION=VALUE lines, also secrets, from standard input."`
	FromEnv bool     `help:"Read options from the variables of this command's environment, such as FEISHU_APP_SECRET."`
	Off     bool     `help:"Create a new bot switched off."`
}

// Run makes or changes an account. Options that are not named stay as they are.
func (c channelsSetCmd) Run(ctx context.Context) error {
	return c.ask(func(client *apiclient.Client) error {
		list, err := client.ListChannels(ctx)
		if err != nil {
			return err
		}
		name, account := c.parts()
		kind, err := kindOfChannel(list.Kinds, name)
		if err != nil {
			return err
		}
		given, err := c.given(kind, os.Getenv, os.Stdin)
		if err != nil {
			return err
		}
		now := chat.ChannelAccount{Enabled: !c.Off}
		for _, a := range list.Accounts {
			if a.Channel == name && a.Account == account {
				now = a
			}
		}
		made, err := client.SetChannel(ctx, name, apiclient.SetChannelParams{Account: account}, changeOf(kind, now, given))
		if err != nil {
			return err
		}
		say(os.Stdout, "%s is set. To try it: xbot channels test %s", c.Name, c.Name)
		if made.Address != "" {
			say(os.Stdout, "The platform connects to %s", made.Address)
		}
		return nil
	})
}

// given returns the options to set: the variables first, then standard input, then the arguments.
func (c channelsSetCmd) given(kind chat.ChannelKind, env func(string) string, in io.Reader) (map[string]string, error) {
	out := map[string]string{}
	if c.FromEnv {
		for _, o := range kind.Options {
			if value := env(o.Env); o.Env != "" && value != "" {
				out[o.Name] = value
			}
		}
	}
	if c.Stdin {
		lines, err := readSettings(in)
		if err != nil {
			return nil, err
		}
		maps.Copy(out, lines)
	}
	for _, text := range c.Values {
		name, value, ok := strings.Cut(text, "=")
		if !ok {
			return nil, fault.Errorf(fault.Invalid, "%q is not OPTION=VALUE; xbot channels options %s lists the options", text, kind.Name)
		}
		for _, o := range kind.Options {
			if o.Name == name && o.Secret && value != "" {
				otherwise := ""
				if o.Env != "" { // options of plugins have none
					otherwise = ", or as " + o.Env + " with --from-env"
				}
				return nil, fault.Errorf(fault.Invalid, "%s is a secret, which others could read in the process list: give it by --stdin%s", name, otherwise)
			}
		}
		out[name] = value
	}
	return out, nil
}

// maxSettings bounds the input that is read, in bytes.
const maxSettings = 64 << 10

// readSettings reads OPTION=VALUE lines. Empty ones, and those that begin with #, are passed over. No error repeats a value.
func readSettings(in io.Reader) (map[string]string, error) {
	out := map[string]string{}
	lines := bufio.NewScanner(io.LimitReader(in, maxSettings))
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		name, value, ok := strings.Cut(line, "=")
		if !ok {
			return nil, fault.Errorf(fault.Invalid, "line %d of standard input is not OPTION=VALUE", n)
		}
		out[strings.TrimSpace(name)] = strings.TrimSpace(value)
	}
	if err := lines.Err(); err != nil {
		return nil, fault.Errorf(fault.Invalid, "standard input cannot be read: %w", err)
	}
	return out, nil
}

// changeOf returns the present configuration with the given options. An empty value takes a setting, or a secret, away.
func changeOf(kind chat.ChannelKind, now chat.ChannelAccount, given map[string]string) apiclient.ChannelChange {
	out := apiclient.ChannelChange{Settings: map[string]string{}, Revision: now.Revision, Enabled: now.Enabled}
	maps.Copy(out.Settings, now.Settings)
	maps.Copy(out.Settings, given)
	for _, o := range kind.Options {
		if value, ok := given[o.Name]; ok && o.Secret && value == "" {
			out.Forget = append(out.Forget, o.Name)
		}
	}
	return out
}

// channelSettings returns the variables that set channels, and whether they are set, never their values.
func channelSettings(env map[string]string) []config.Setting {
	var out []config.Setting
	for _, d := range server.Drivers() {
		for _, o := range d.Options {
			if o.Env == "" {
				continue
			}
			s := config.Setting{Name: o.Env, Help: d.Name + ": " + o.Label, Secret: o.Secret}
			if env[o.Env] != "" {
				s.Value = "set"
			}
			out = append(out, s)
		}
	}
	return out
}
