package pluginstore

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"xbot/internal/chat"
	"xbot/internal/extension/dbsqlc"
	"xbot/internal/fault"
	"xbot/internal/pg"
)

// Limits of the values of a plugin.
const (
	MaxKey    = 256      // bytes of a key
	MaxValue  = 64 << 10 // bytes of a value
	MaxKeys   = 10_000   // of one plugin
	MaxKept   = 16 << 20 // bytes of all keys and values of one plugin
	MaxListed = 1000     // keys of one list
)

// PluginValue reads the value of a plugin under a key, for a user or, where user is 0, for the plugin; ok is false if there is none.
func (s *Store) PluginValue(ctx context.Context, plugin string, user chat.UserID, key string) (value string, ok bool, err error) {
	value, err = dbsqlc.Q.PluginValue(ctx, s.db.Pool, dbsqlc.PluginValueParams{PluginID: plugin, Owner: pg.Nullable(user), Key: key})
	if errors.Is(err, pgx.ErrNoRows) {
		return "", false, nil
	}
	return value, err == nil, pg.Classify(err)
}

// PluginKeys lists the keys that begin with a prefix and come after another one, in order: at most MaxListed.
func (s *Store) PluginKeys(ctx context.Context, plugin string, user chat.UserID, prefix, after string) ([]string, error) {
	keys, err := dbsqlc.Q.PluginValueKeys(ctx, s.db.Pool, dbsqlc.PluginValueKeysParams{PluginID: plugin, Owner: pg.Nullable(user), Prefix: prefix, After: after, Most: MaxListed})
	return pg.List(keys), pg.Classify(err)
}

// SetPluginValue stores a value. TooLarge, Invalid: the plugin has too much, or the key is none.
func (s *Store) SetPluginValue(ctx context.Context, plugin string, user chat.UserID, key, value string) error {
	if err := checkValue(key, value); err != nil {
		return err
	}
	return s.db.InTx(ctx, func(tx *pg.Tx) error {
		there, err := dbsqlc.Q.PluginRowLock(ctx, tx, plugin)
		switch {
		case errors.Is(err, pgx.ErrNoRows):
			return missing(plugin)
		case err != nil:
			return fmt.Errorf("lock plugin %s: %w", plugin, err)
		}
		old, err := dbsqlc.Q.PluginValueSize(ctx, tx, dbsqlc.PluginValueSizeParams{PluginID: plugin, Key: key, Owner: pg.Nullable(user)})
		if err != nil {
			return fmt.Errorf("measure what plugin %s keeps: %w", plugin, err)
		}
		keys, bytes := there.KeptKeys-int64(len(old)), there.KeptBytes
		for _, n := range old {
			bytes -= int64(n)
		}
		if keys >= MaxKeys || bytes+int64(len(key)+len(value)) > MaxKept {
			return fault.Errorf(fault.TooLarge, "a plugin keeps at most %d values of %d MB together: delete some", MaxKeys, MaxKept>>20)
		}
		err = dbsqlc.Q.PluginValueSet(ctx, tx, dbsqlc.PluginValueSetParams{PluginID: plugin, Owner: pg.Nullable(user), Key: key, Value: value})
		if broken, ok := errors.AsType[*pgconn.PgError](err); ok && broken.ConstraintName == "plugin_values_user_id_fkey" {
			return fault.Errorf(fault.Invalid, "there is no such person")
		}
		return err
	})
}

func checkValue(key, value string) error {
	switch {
	case key == "" || len(key) > MaxKey || chat.Clean(key) != key:
		return fault.Errorf(fault.Invalid, "a key is text of 1 to %d bytes, without NUL", MaxKey)
	case len(value) > MaxValue || chat.Clean(value) != value:
		return fault.Errorf(fault.Invalid, "a value is text of at most %d bytes, without NUL", MaxValue)
	}
	return nil
}

// DeletePluginValue deletes a value. If there is none nothing changes.
func (s *Store) DeletePluginValue(ctx context.Context, plugin string, user chat.UserID, key string) error {
	return s.db.InTx(ctx, func(tx *pg.Tx) error {
		if _, err := dbsqlc.Q.PluginRowLock(ctx, tx, plugin); err != nil && !errors.Is(err, pgx.ErrNoRows) { // as in writes: the plugin's row comes first
			return fmt.Errorf("lock plugin %s: %w", plugin, err)
		}
		return dbsqlc.Q.PluginValueDelete(ctx, tx, dbsqlc.PluginValueDeleteParams{PluginID: plugin, Owner: pg.Nullable(user), Key: key})
	})
}
