package calls

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"xbot/internal/chat"
	"xbot/internal/pg"
	"xbot/internal/turn/dbsqlc"
)

// maxEnvValue limits a variable of a command, in bytes.
const maxEnvValue = 1000

// CommandEnv returns the variables of a command about its conversation, NAME=value: its key, its place, the user and the
// message. It holds no secrets; users and platforms choose the values. inbox is 0 for a call of a turn.
func (s *Store) CommandEnv(ctx context.Context, key chat.SessionKey, turn chat.TurnID, inbox chat.InboxID) ([]string, error) {
	p := dbsqlc.CommandPlaceParams{SessionKey: key, TurnID: string(turn)}
	if inbox != 0 {
		p.InboxID = new(int64(inbox))
	}
	row, err := dbsqlc.Q.CommandPlace(ctx, s.db.Pool, p)
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("look up where a command of %s comes from: %w", key, err))
	}
	var home chat.Origin
	if err := json.Unmarshal(row.Origin, &home); err != nil {
		return nil, fmt.Errorf("decode the origin of %s: %w", key, err)
	}
	var at chat.Address
	if len(row.Place) > 0 {
		if err := json.Unmarshal(row.Place, &at); err != nil {
			return nil, fmt.Errorf("decode the place of a message in %s: %w", key, err)
		}
	}
	message := row.Message
	if at.ReplyTo != "" {
		message = at.ReplyTo // the platform's own id
	}
	var env []string
	for _, v := range [][2]string{
		{"XBOT_SESSION", string(row.Key)}, {"XBOT_CHANNEL", cmp.Or(row.SentOn, row.Channel)}, {"XBOT_ACCOUNT", cmp.Or(row.Account, home.Account)},
		{"XBOT_CHAT_TYPE", string(cmp.Or(row.ChatType, chat.ChatDirect))}, {"XBOT_CHAT", cmp.Or(at.Chat, home.To)},
		{"XBOT_THREAD", cmp.Or(at.Thread, home.Thread)}, {"XBOT_PERSON", cmp.Or(at.Peer, row.Sender)}, {"XBOT_MESSAGE", message},
	} {
		if value := strings.ToValidUTF8(strings.ReplaceAll(v[1], "\x00", ""), ""); value != "" && len(value) <= maxEnvValue {
			env = append(env, v[0]+"="+value)
		}
	}
	return env, nil
}
