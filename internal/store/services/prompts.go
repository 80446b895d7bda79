package services

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/service"
	"xbot/internal/store/pg"
)

// ServicePrompt returns what the prompt of a consumer's conversation is made of. Denied: the user is no consumer, or the service is being
// deleted.
func (s *Store) ServicePrompt(ctx context.Context, user chat.UserID) (service.Prompt, error) {
	row, err := s.db.Q.ServicePromptGet(ctx, s.db.Pool, user)
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
