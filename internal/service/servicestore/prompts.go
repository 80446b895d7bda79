package servicestore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/pg"
	"xbot/internal/service"
	"xbot/internal/service/dbsqlc"
)

// Members of a definition that name a version of what its administrator wrote.
const (
	UsesPrompt  = "system_prompt_version_id"
	UsesProfile = "user_profile_version_id"
)

// NotUsed is a Conflict where a service of an administrator works with a version of their system prompt, or of their profile: its consumers
// would be answered by another one without anybody's word.
func NotUsed(ctx context.Context, tx *pg.Tx, admin chat.UserID, member string, version int) error {
	names, err := dbsqlc.Q.ServicesUsing(ctx, tx, dbsqlc.ServicesUsingParams{AdminID: admin, Member: member, Version: int32(version)})
	if err != nil {
		return fmt.Errorf("look which services of user %d work with version %d: %w", admin, version, err)
	}
	if len(names) == 0 {
		return nil
	}
	return fault.Errorf(fault.Conflict, "version %d is what %s answers with: choose another version for it first, or the one in force", version, strings.Join(names, ", "))
}

// ServicePrompt returns what the prompt of a consumer's conversation is made of. It returns Denied if the user is no consumer, or the service is being
// deleted.
func (s *Store) ServicePrompt(ctx context.Context, user chat.UserID) (service.Prompt, error) {
	row, err := dbsqlc.Q.ServicePromptGet(ctx, s.db.Pool, user)
	if errors.Is(err, pgx.ErrNoRows) {
		return service.Prompt{}, fault.Errorf(fault.Denied, "the service of this conversation is not there any more")
	}
	if err != nil {
		return service.Prompt{}, pg.Classify(fmt.Errorf("read the prompt of the service of user %d: %w", user, err))
	}
	out := service.Prompt{System: row.System, Beside: row.Beside, Profile: row.Profile, Timezone: row.Timezone}
	out.Definition.Name = row.Name
	if err := errors.Join(json.Unmarshal(row.Definition, &out.Definition), json.Unmarshal(row.Sections, &out.Sections)); err != nil {
		return service.Prompt{}, fmt.Errorf("decode the prompt of service %s: %w", row.ID, err)
	}
	return out, nil
}
