package store_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
)

func TestModelWanted_WhatAConversationSetsGoingIsWhereItIs(t *testing.T) {
	b := setup(t)
	_, err := b.pool.Exec(t.Context(), `
		UPDATE sessions SET channel = 'qq', chat_type = 'group', scene = 'work', origin = '{"account_id": "ops"}' WHERE key = $1`, key)
	require.NoError(t, err)
	_, err = b.pool.Exec(t.Context(), `
		INSERT INTO sessions (key, user_id, channel, chat_type, root) SELECT 'below', user_id, 'subagent', 'subagent', key FROM sessions WHERE key = $1`, key)
	require.NoError(t, err)
	_, err = b.pool.Exec(t.Context(), `
		INSERT INTO sessions (key, user_id, channel, chat_type) SELECT v.key, user_id, 'qq', v.kind FROM sessions, (VALUES ('cron:job_00000001', 'cron'), ('hook:t1', 'hook')) AS v (key, kind) WHERE sessions.key = $1`, key)
	require.NoError(t, err)
	_, err = b.pool.Exec(t.Context(), `
		INSERT INTO sessions (key, user_id, channel, chat_type, root) SELECT 'under the job', user_id, 'subagent', 'subagent', 'cron:job_00000001' FROM sessions WHERE key = $1`, key)
	require.NoError(t, err)
	_, err = b.pool.Exec(t.Context(), `
		INSERT INTO cron_jobs (id, user_id, home, name, message, kind, every_s, zone, missed, max_age_s, state) VALUES ('job_00000001', $1, 'below', 'n', 'm', 'every', 60, 'UTC', 'skip', 60, 'paused')`, b.user.ID)
	require.NoError(t, err)
	_, err = b.pool.Exec(t.Context(), `
		INSERT INTO triggers (id, user_id, name, source, secret, session_key, answer_in, per_minute) VALUES ('t1', $1, 'n', 'generic', '', 'hook:t1', $2, 6)`, b.user.ID, key)
	require.NoError(t, err)
	want := chat.Location{Channel: "qq", Account: "ops", ChatType: chat.ChatGroup, Scene: chat.SceneWork}
	for _, k := range []chat.SessionKey{key, "below", "cron:job_00000001", "under the job", "hook:t1"} {
		w, err := b.Settings.ModelWanted(t.Context(), k)
		require.NoError(t, err)
		require.Equal(t, want, w.Above, k)
		permits, err := b.Permissions.UserPermissions(t.Context(), k)
		require.NoError(t, err)
		require.Equal(t, want, permits.At, k)
		require.Equal(t, map[chat.SessionKey]chat.ChatType{
			key: chat.ChatGroup, "below": chat.ChatGroup, "cron:job_00000001": chat.ChatCron, "under the job": chat.ChatCron, "hook:t1": chat.ChatHook,
		}[k], w.Root, "a job is not the conversation that it was made in: %s", k)
	}
	_, err = b.pool.Exec(t.Context(), `UPDATE cron_jobs SET permits = '{"tools": ["Read", "Web*"], "read_only": true}'`)
	require.NoError(t, err)
	want.Job = &chat.JobPermits{Tools: []string{"Read", "Web*"}, ReadOnly: true}
	for _, k := range []chat.SessionKey{"cron:job_00000001", "under the job"} {
		w, err := b.Settings.ModelWanted(t.Context(), k)
		require.NoError(t, err)
		require.Equal(t, want, w.Above, "what the job narrows is narrow below it")
	}
	w, err := b.Settings.ModelWanted(t.Context(), key)
	require.NoError(t, err)
	require.Nil(t, w.Above.Job)
}
