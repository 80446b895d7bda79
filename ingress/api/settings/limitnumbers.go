package settings

import (
	"context"
	"encoding/json"

	"xbot/internal/fault"
	"xbot/internal/turn/policy"
)

// LimitNumbers are the limits of the policy, one by one.
type LimitNumbers struct {
	Turns               int `json:"turns" doc:"Turns at once in the installation."`
	UserTurns           int `json:"user_turns" doc:"Turns at once of one tenant; 0: no limit of its own."`
	OwnKeyTurns         int `json:"own_key_turns" doc:"The same for a user who is answered by a model of their own."`
	Global              int `json:"llm_global" doc:"Calls at once of one tenant to the installation's models."`
	Personal            int `json:"llm_personal" doc:"Calls at once of one tenant to a model of their own."`
	Subagent            int `json:"llm_subagent" doc:"Calls at once of one tenant's subagents."`
	ProviderWaitMinutes int `json:"provider_wait_minutes" doc:"Minutes for which a turn waits for a model provider that cannot be reached."`
	SubagentDepth       int `json:"subagent_depth" doc:"How often work may be handed on."`
	SubagentsPerTurn    int `json:"subagents_per_turn" doc:"Tasks that one turn may hand out."`
	SubagentsRunning    int `json:"subagents_running" doc:"Subagents of one conversation that work at once."`
	SubagentTokens      int `json:"subagent_tokens" doc:"Tokens that all subagents of one turn may take together."`
	PersonSessions      int `json:"person_sessions" doc:"Conversations that one person may begin."`
	PersonRunners       int `json:"person_runners" doc:"Runners of one person."`
	PersonTokens        int `json:"person_tokens" doc:"Access tokens of one person."`
	PersonStorage       int `json:"person_storage" doc:"Megabytes of files and pictures of one person."`
	PersonVoice         int `json:"person_voice" doc:"Minutes of voice mode of one person within 24 hours."`
	MediaPictures       int `json:"media_pictures" doc:"Pictures that are generated for one user in a day, or for one key of a service."`
	MediaCharacters     int `json:"media_characters" doc:"Characters of speech, in the same way."`
	MediaSeconds        int `json:"media_seconds" doc:"Seconds of video, in the same way."`
	MediaAtOnce         int `json:"media_at_once" doc:"Pictures, recordings and videos that are generated for one user at once."`
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
