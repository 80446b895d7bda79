// Package spending reports to users how many tokens they have used.
package spending

import (
	"cmp"
	"context"
	"slices"

	"xbot/internal/chat"
	"xbot/internal/chat/ops"
	"xbot/internal/llm/usage"
	"xbot/internal/llm/usage/usagestore"
	"xbot/internal/media/mediastore"
)

// Usage reads the usage of users.
type Usage struct {
	Usage  *usagestore.Store
	Media  *mediastore.Store
	Prices usage.Pricer
}

// UsageReport is the usage of a user, by day and by session, each by model.
type UsageReport struct {
	Days     []ops.SpentDay     `json:"days" doc:"Newest first."`
	Sessions []ops.SpentSession `json:"sessions" doc:"Those with most tokens first."`
	Total    ops.Spent          `json:"total" doc:"Of all models; its cost is that of the models with a price."`
	Media    []ops.MediaDay     `json:"media" doc:"Pictures, sound and video, by day and model, newest first. Their cost is not in total."`
	Currency string             `json:"currency" example:"USD"`
}

// Of returns the usage of a user in the last days, today included.
func (u *Usage) Of(ctx context.Context, user chat.UserID, days int) (UsageReport, error) {
	out := UsageReport{Days: []ops.SpentDay{}, Sessions: []ops.SpentSession{}, Media: []ops.MediaDay{}, Currency: usage.Currency}
	byDay, err := u.Usage.UsageByDay(ctx, user, days)
	if err != nil {
		return out, err
	}
	bySession, err := u.Usage.UsageBySession(ctx, user, days)
	if err != nil {
		return out, err
	}
	prices, err := u.Prices.Prices(ctx, user)
	if err != nil {
		return out, err
	}
	made, err := u.Media.UsageByDay(ctx, user, days)
	if err != nil {
		return out, err
	}
	out.Media = append(out.Media, made...)
	out.Days, out.Sessions = append(out.Days, byDay...), append(out.Sessions, bySession...)
	for i := range out.Days {
		out.Days[i].Cost = prices.Cost(out.Days[i].Spent)
		out.Total = usage.Sum(out.Total, out.Days[i].Spent)
	}
	for i := range out.Sessions {
		out.Sessions[i].Cost = prices.Cost(out.Sessions[i].Spent)
	}
	slices.SortStableFunc(out.Sessions, func(a, b ops.SpentSession) int { return cmp.Compare(b.Tokens(), a.Tokens()) })
	return out, nil
}
