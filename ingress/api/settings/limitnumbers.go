package settings

import (
	"context"
	"encoding/json"

	"xbot/internal/fault"
	"xbot/internal/turn/policy"
)

// LimitNumbers are the limits of the policy, one by one.
type LimitNumbers struct {
	Turns               int `json:"turns" doc:"Maximum concurrent turns of the installation."`
	UserTurns           int `json:"user_turns" doc:"Maximum concurrent turns of one tenant; 0: no limit."`
	OwnKeyTurns         int `json:"own_key_turns" doc:"The same limit for a user with a model of their own."`
	Global              int `json:"llm_global" doc:"Maximum concurrent calls of one tenant to the installation's models."`
	Personal            int `json:"llm_personal" doc:"Maximum concurrent calls of one tenant to models of its own."`
	Subagent            int `json:"llm_subagent" doc:"Maximum concurrent calls of the subagents of one tenant."`
	ProviderWaitMinutes int `json:"provider_wait_minutes" doc:"Minutes for which a turn waits for a model provider that cannot be reached."`
	SubagentDepth       int `json:"subagent_depth" doc:"Maximum depth of subagents."`
	SubagentsPerTurn    int `json:"subagents_per_turn" doc:"Maximum subagent tasks of one turn."`
	SubagentsRunning    int `json:"subagents_running" doc:"Maximum concurrent subagents of one conversation."`
	SubagentTokens      int `json:"subagent_tokens" doc:"Maximum total tokens of all subagents of one turn."`
	PersonSessions      int `json:"person_sessions" doc:"Maximum conversations per user."`
	PersonRunners       int `json:"person_runners" doc:"Maximum runners per user."`
	PersonTokens        int `json:"person_tokens" doc:"Maximum access tokens per user."`
	PersonStorage       int `json:"person_storage" doc:"Maximum megabytes of files and pictures per user."`
	PersonVoice         int `json:"person_voice" doc:"Maximum minutes of voice mode per user in 24 hours."`
	MediaPictures       int `json:"media_pictures" doc:"Maximum generated pictures per day, per user or service key."`
	MediaCharacters     int `json:"media_characters" doc:"Maximum characters of generated speech per day, per user or service key."`
	MediaSeconds        int `json:"media_seconds" doc:"Maximum seconds of generated video per day, per user or service key."`
	MediaAtOnce         int `json:"media_at_once" doc:"Maximum concurrent generations per user."`
}

// NewLimits are limits to put in force.
type NewLimits struct {
	Version int64        `json:"version" minimum:"0" doc:"The version of the policy that they were made from."`
	Limits  LimitNumbers `json:"limits" doc:"All of them; 0: its default."`
}

func numbersOf(l policy.Limits) LimitNumbers {
	return LimitNumbers{
		Turns: l.Turns, UserTurns: l.UserTurns, OwnKeyTurns: l.OwnKeyTurns,
		Global: l.LLM.Global, Personal: l.LLM.Personal, Subagent: l.LLM.Subagent,
		ProviderWaitMinutes: l.ProviderWaitMinutes,
		SubagentDepth:       l.Subagents.Depth, SubagentsPerTurn: l.Subagents.PerTurn,
		SubagentsRunning: l.Subagents.Running, SubagentTokens: l.Subagents.Tokens,
		PersonSessions: l.Person.Sessions, PersonRunners: l.Person.Runners, PersonTokens: l.Person.Tokens, PersonStorage: l.Person.Storage, PersonVoice: l.Person.Voice,
		MediaPictures: l.Media.Pictures, MediaCharacters: l.Media.Characters, MediaSeconds: l.Media.Seconds, MediaAtOnce: l.Media.AtOnce,
	}
}

func (n LimitNumbers) limits() policy.Limits {
	return policy.Limits{
		Turns: n.Turns, UserTurns: n.UserTurns, OwnKeyTurns: n.OwnKeyTurns,
		LLM:                 policy.LLM{Global: n.Global, Personal: n.Personal, Subagent: n.Subagent},
		ProviderWaitMinutes: n.ProviderWaitMinutes,
		Subagents: policy.Subagents{
			Depth: n.SubagentDepth, PerTurn: n.SubagentsPerTurn, Running: n.SubagentsRunning, Tokens: n.SubagentTokens,
		},
		Person: policy.PersonLimits{Sessions: n.PersonSessions, Runners: n.PersonRunners, Tokens: n.PersonTokens, Storage: n.PersonStorage, Voice: n.PersonVoice},
		Media:  policy.MediaLimits{Pictures: n.MediaPictures, Characters: n.MediaCharacters, Seconds: n.MediaSeconds, AtOnce: n.MediaAtOnce},
	}
}

// setLimits puts a version of the policy in force that differs from the one in force by the limits alone.
func (a *Endpoints) setLimits(ctx context.Context, in NewLimits) error {
	if err := a.AdminOnly(ctx); err != nil {
		return err
	}
	version, p, err := a.policyInForce(ctx)
	if err != nil {
		return a.Problem(err)
	}
	if version != in.Version {
		return a.Problem(fault.Errorf(fault.Conflict, "the policy was changed meanwhile: look at version %d and change it again", version))
	}
	p.Limits = in.Limits.limits()
	_, err = a.setPolicy(ctx, NewPolicy{Text: string(p.JSON()), Version: version})
	return err
}

// policyInForce is the document with its version, also one that an older version of the program accepted and this one does not.
func (a *Endpoints) policyInForce(ctx context.Context) (int64, *policy.Policy, error) {
	version, body, err := a.Settings.PolicyAfter(ctx, 0)
	if err != nil {
		return 0, nil, err
	}
	p, _, err := policy.Parse(body)
	if err == nil {
		return version, p, nil
	}
	p = new(policy.Policy)
	if json.Unmarshal(body, p) != nil {
		return 0, nil, fault.Errorf(fault.Invalid, "the policy cannot be read: correct its text first")
	}
	return version, p, nil
}
