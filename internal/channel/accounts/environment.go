package accounts

import (
	"context"
	"log/slog"
	"maps"

	"xbot/internal/channel"
	"xbot/internal/fault"
)

// Environment returns the settings of a channel's unnamed account from the environment, and the variables they come from.
func (b *Store) Environment(d channel.Driver) (settings map[string]string, variables []string) {
	settings = map[string]string{}
	for _, o := range d.Options {
		if o.Env == "" {
			continue
		}
		if value := b.Env[o.Env]; value != "" {
			settings[o.Name] = value
			variables = append(variables, o.Env)
		}
	}
	return settings, variables
}

// TakeEnvironment stores the settings of the environment, so that every process follows them. Invalid settings of a channel
// are stored as well: the list of channels shows the fault, and the other channels work.
func (b *Store) TakeEnvironment(ctx context.Context, log *slog.Logger) error {
	known, err := b.ChannelAccounts(ctx)
	if err != nil {
		return err
	}
	for _, d := range b.Drivers {
		given, variables := b.Environment(d)
		if len(variables) == 0 || same(known, d.Name, given) {
			continue
		}
		for _, f := range d.Faults(given) {
			log.Error("the environment sets a channel wrongly", "channel", d.Name, "fault", f.Text)
		}
		a, err := b.row(d, "", true, given)
		if err != nil {
			return err
		}
		if err := b.Channels.SaveChannelAccount(ctx, a, 0); err != nil {
			return err
		}
	}
	return nil
}

func same(known []channel.Configured, name string, given map[string]string) bool {
	for _, c := range known {
		if c.Channel == name && c.Account == "" {
			return c.Enabled && c.Fault == nil && maps.Equal(c.Settings, given)
		}
	}
	return false
}

// free refuses a change of an account that the environment sets.
func (b *Store) free(d channel.Driver, account string) error {
	if _, variables := b.Environment(d); account == "" && len(variables) > 0 {
		return fault.Errorf(fault.Denied, "the environment sets this channel (%s): change it there, and start the server again", list(variables))
	}
	return nil
}
