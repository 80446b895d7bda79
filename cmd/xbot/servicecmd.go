package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"xbot/internal/client/apiclient"
	"xbot/internal/fault"
)

type serviceCmd struct {
	List          serviceListCmd          `cmd:"" help:"List the agents that are published to programs and people outside."`
	Create        serviceCreateCmd        `cmd:"" help:"Publish an agent, and print its id."`
	Show          serviceShowCmd          `cmd:"" help:"Show what a service is and has."`
	Set           serviceSetCmd           `cmd:"" help:"Change a service; what is not named stays."`
	Publish       servicePublishCmd       `cmd:"" help:"Let consumers use a service."`
	Withdraw      serviceWithdrawCmd      `cmd:"" help:"Let nobody use a service. Its keys and conversations stay."`
	Delete        serviceDeleteCmd        `cmd:"" help:"Delete a service with its keys and conversations. It cannot be taken back."`
	Key           serviceKeyCmd           `cmd:"" help:"Make, list, revoke and rotate the keys of a service."`
	Conversations serviceConversationsCmd `cmd:"" help:"List the conversations of the consumers of a service, read one, or delete one."`
	Usage         serviceUsageCmd         `cmd:"" help:"Show what the consumers of a service used, by day or by key."`
}

// ofService names a service to a running server.
type ofService struct {
	connection

	Service string `arg:"" help:"Id of the service, or its name where no other has it."`
}

// on does something with the service that is meant.
func (o ofService) on(ctx context.Context, do func(*apiclient.Client, apiclient.ServiceView) error) error {
	return o.ask(func(client *apiclient.Client) error {
		all, err := client.ListServices(ctx)
		if err != nil {
			return err
		}
		one, err := serviceNamed(all, o.Service)
		if err != nil {
			return err
		}
		return do(client, one)
	})
}

// serviceNamed finds a service by its id, else by its name.
func serviceNamed(all []apiclient.ServiceView, word string) (found apiclient.ServiceView, err error) {
	n := 0
	for _, s := range all {
		if s.ID == word {
			return s, nil
		}
		if strings.EqualFold(s.Name, word) {
			found = s
			n++
		}
	}
	switch n {
	case 0:
		return found, fault.Errorf(fault.NotFound, "there is no service %q; xbot service list lists them", word)
	case 1:
		return found, nil
	}
	return found, fault.Errorf(fault.Invalid, "%d services are called %q; give the id of one, which xbot service list prints", n, word)
}

type serviceListCmd struct {
	connection

	JSON bool `name:"json" help:"Print JSON."`
}

// Run lists services.
func (c serviceListCmd) Run(ctx context.Context) error {
	return c.ask(func(client *apiclient.Client) error {
		all, err := client.ListServices(ctx)
		if err != nil || c.JSON {
			return printJSON(err, all)
		}
		if len(all) == 0 {
			say(os.Stdout, "No agent is published. xbot service create NAME publishes one.")
			return nil
		}
		return serviceTable(os.Stdout, all)
	})
}

func serviceTable(out io.Writer, all []apiclient.ServiceView) error {
	return table(out, "ID\tSTATE\tOF\tMODEL\tKEYS\tCONVERSATIONS\tUSED\tNAME", all, func(s apiclient.ServiceView) []any {
		return []any{s.ID, serviceState(s), s.AdminName, cmp.Or(s.Model, "-"), s.Keys, s.Conversations, usedAgo(s.LastUsedAt), printable(s.Name)}
	})
}

func serviceState(s apiclient.ServiceView) string {
	switch {
	case s.Closed:
		return "closed"
	case s.Published:
		return "published"
	}
	return "withdrawn"
}

// usedAgo is when something was used.
func usedAgo(at *time.Time) string {
	if at == nil {
		return "never"
	}
	return short(time.Since(*at)) + " ago"
}

// serviceFlags are what can be chosen of a service.
type serviceFlags struct {
	Description       *string  `placeholder:"TEXT" help:"What it is for."`
	Model             *string  `placeholder:"MODEL" help:"provider/model, or another name of one that its administrator may choose; empty: as in their own conversations."`
	Prompt            *int     `placeholder:"VERSION" help:"Version of its administrator's system prompt; 0: the one in force."`
	Profile           *int     `placeholder:"VERSION" help:"Version of its administrator's profile; 0: the one in force."`
	Docs              []string `placeholder:"PATTERN" help:"Documents below docs/ that it reads, such as faq/*.md; none: nothing."`
	Scripts           []string `placeholder:"PATTERN" help:"Scripts below scripts/ whose names it sees; none: nothing. They are kept with the service: this version of xbot has no tool that runs them."`
	Can               []string `placeholder:"CAPABILITY" help:"What it can do beside talking: web, scheduler, humanchat (passes questions on to a person of the house), image, speech, video; none: nothing. The last three generate files, where its administrator has a key for them."`
	Welcome           *string  `placeholder:"TEXT" help:"Markdown that its page shows before the first message."`
	Question          []string `sep:"none" placeholder:"TEXT" help:"A question that its page offers; may be given again. none: no question."`
	Origin            []string `placeholder:"URL" help:"Sites that may show its page in a frame; none: no site."`
	MaxConversations  *int     `placeholder:"N" help:"How many conversations it has at once."`
	RequestsPerMinute *int     `placeholder:"N" help:"Requests of one key in a minute."`
	Concurrent        *int     `placeholder:"N" help:"Messages of one key that wait or are answered at once."`
	TokensPerDay      *int64   `placeholder:"N" help:"Tokens of all consumers in a day of UTC; 0: as many as they want."`
	PicturesPerDay    *int64   `placeholder:"N" help:"Pictures generated for all consumers in a day of UTC; 0: as many as the policy allows for each key."`
	SpeechPerDay      *int64   `placeholder:"N" help:"Characters of speech, in the same way."`
	VideoPerDay       *int64   `placeholder:"N" help:"Seconds of video, in the same way."`
}

// change returns the change that the flags describe.
func (f serviceFlags) change() apiclient.ServiceChange {
	out := apiclient.ServiceChange{
		Description: f.Description, Model: f.Model, SystemPromptVersionID: f.Prompt, UserProfileVersionID: f.Profile,
		AllowedDocs: someOrNone(f.Docs), AllowedScripts: someOrNone(f.Scripts), Capabilities: someOrNone(f.Can),
		WelcomeMessage: f.Welcome, QuickQuestions: someOrNone(f.Question), Origins: someOrNone(f.Origin), MaxConversations: f.MaxConversations,
	}
	limits := apiclient.ServiceLimitsPatch{
		RequestsPerMinute: f.RequestsPerMinute, Concurrent: f.Concurrent, TokensPerDay: f.TokensPerDay,
		PicturesPerDay: f.PicturesPerDay, SpeechCharactersPerDay: f.SpeechPerDay, VideoSecondsPerDay: f.VideoPerDay,
	}
	if limits != (apiclient.ServiceLimitsPatch{}) {
		out.Limits = &limits
	}
	return out
}

// someOrNone is a list that was given: nil where it was not, empty for the word none.
func someOrNone(list []string) *[]string {
	switch {
	case len(list) == 0:
		return nil
	case len(list) == 1 && list[0] == "none":
		return &[]string{}
	}
	return &list
}

type serviceCreateCmd struct {
	connection
	serviceFlags

	Name      string `arg:"" help:"Name of the service, which consumers read."`
	Withdrawn bool   `help:"Do not publish it yet."`
	JSON      bool   `name:"json" help:"Print JSON."`
}

// Run makes a service.
func (c serviceCreateCmd) Run(ctx context.Context) error {
	return c.ask(func(client *apiclient.Client) error {
		f := c.change()
		published := !c.Withdrawn
		made, err := client.CreateService(ctx, apiclient.NewService{
			Name: &c.Name, Published: &published, Description: f.Description, Model: f.Model, SystemPromptVersionID: f.SystemPromptVersionID, UserProfileVersionID: f.UserProfileVersionID,
			AllowedDocs: f.AllowedDocs, AllowedScripts: f.AllowedScripts, Capabilities: f.Capabilities, WelcomeMessage: f.WelcomeMessage,
			QuickQuestions: f.QuickQuestions, Origins: f.Origins, MaxConversations: f.MaxConversations, Limits: f.Limits,
		})
		if err != nil || c.JSON {
			return printJSON(err, made)
		}
		say(os.Stdout, "%s", made.ID)
		say(os.Stderr, "Nobody can use it yet: xbot service key add %s NAME makes a key.", made.ID)
		return nil
	})
}

type serviceShowCmd struct {
	ofService

	JSON bool `name:"json" help:"Print JSON."`
}

// Run describes a service.
func (c serviceShowCmd) Run(ctx context.Context) error {
	return c.on(ctx, func(_ *apiclient.Client, s apiclient.ServiceView) error {
		if c.JSON {
			return printJSON(nil, s)
		}
		return describeService(os.Stdout, s)
	})
}

func describeService(out io.Writer, s apiclient.ServiceView) error {
	listed := func(list []string) string { return printable(cmp.Or(strings.Join(list, ", "), "nothing")) }
	version := func(n int) string {
		if n == 0 {
			return "the one in force"
		}
		return "version " + strconv.Itoa(n)
	}
	tokens := "as many tokens a day as they want"
	if s.Limits.TokensPerDay > 0 {
		tokens = fmt.Sprintf("%d tokens a day", s.Limits.TokensPerDay)
	}
	perDay := func(n int64, what string) string {
		if n == 0 {
			return what + " as the policy allows"
		}
		return fmt.Sprintf("%d %s", n, what)
	}
	media := strings.Join([]string{perDay(s.Limits.PicturesPerDay, "pictures"), perDay(s.Limits.SpeechCharactersPerDay, "characters of speech"), perDay(s.Limits.VideoSecondsPerDay, "seconds of video")}, ", ")
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, row := range [][2]string{
		{"id", s.ID},
		{"name", printable(s.Name)},
		{"about", printable(s.Description)},
		{"state", serviceState(s) + ", revision " + strconv.FormatInt(s.Revision, 10) + ", of " + s.AdminName},
		{"page", s.Page},
		{"model", cmp.Or(s.Model, "as in the administrator's conversations")},
		{"prompt", version(s.SystemPromptVersionID)},
		{"profile", version(s.UserProfileVersionID)},
		{"reads", listed(s.AllowedDocs)},
		{"scripts", listed(s.AllowedScripts)},
		{"can", listed(s.Capabilities)},
		{"has", several(s.Keys, "key") + ", " + several(s.Conversations, "conversation") + " of " + strconv.Itoa(s.MaxConversations) + ", used " + usedAgo(s.LastUsedAt)},
		{"limits", fmt.Sprintf("%d requests a minute and %d at once of a key, %s", s.Limits.RequestsPerMinute, s.Limits.Concurrent, tokens)},
		{"generates", media + " a day"},
		{"welcome", printable(s.WelcomeMessage)},
		{"offers", printable(strings.Join(s.QuickQuestions, " · "))},
		{"frames", listed(s.Origins)},
	} {
		if row[1] != "" {
			fmt.Fprintf(w, "%s\t%s\n", row[0], row[1])
		}
	}
	return w.Flush()
}

type serviceSetCmd struct {
	ofService
	serviceFlags

	Name string `placeholder:"NAME" help:"Another name."`
	JSON bool   `name:"json" help:"Print JSON."`
}

// Run changes a service, unless it was changed meanwhile.
func (c serviceSetCmd) Run(ctx context.Context) error {
	return c.on(ctx, func(client *apiclient.Client, s apiclient.ServiceView) error {
		change := c.change()
		change.Revision = s.Revision
		if c.Name != "" {
			change.Name = &c.Name
		}
		now, err := client.ChangeService(ctx, s.ID, change)
		if err != nil || c.JSON {
			return printJSON(err, now)
		}
		return describeService(os.Stdout, now)
	})
}

type servicePublishCmd struct {
	ofService

	JSON bool `name:"json" help:"Print JSON."`
}

// Run publishes a service.
func (c servicePublishCmd) Run(ctx context.Context) error { return c.set(ctx, true) }

func (c servicePublishCmd) set(ctx context.Context, published bool) error {
	return c.on(ctx, func(client *apiclient.Client, s apiclient.ServiceView) error {
		now, err := client.ChangeService(ctx, s.ID, apiclient.ServiceChange{Published: &published})
		if err != nil || c.JSON {
			return printJSON(err, now)
		}
		if published {
			say(os.Stdout, "%s is published at %s.", printable(now.Name), now.Page)
		} else {
			say(os.Stdout, "%s is withdrawn: its consumers are told so.", printable(now.Name))
		}
		return nil
	})
}

type serviceWithdrawCmd struct{ servicePublishCmd }

// Run withdraws a service.
func (c serviceWithdrawCmd) Run(ctx context.Context) error { return c.set(ctx, false) }

type serviceDeleteCmd struct {
	ofService

	Yes  bool `help:"Do not ask."`
	JSON bool `name:"json" help:"Print JSON: the service as it was."`
}

// Run has a service deleted: the server does it, and goes on when it runs again.
func (c serviceDeleteCmd) Run(ctx context.Context) error {
	return c.on(ctx, func(client *apiclient.Client, s apiclient.ServiceView) error {
		if !c.Yes {
			d := newDialog(os.Stdin, c.asks())
			d.say("This deletes %s with %s and %s.", printable(s.Name), several(s.Keys, "key"), several(s.Conversations, "conversation"))
			if yes, err := d.insists("Delete it?"); err != nil || !yes {
				return cmp.Or[error](err, fault.Errorf(fault.Denied, "nothing was deleted"))
			}
		}
		if err := client.DeleteService(ctx, s.ID); err != nil || c.JSON {
			return printJSON(err, s)
		}
		say(os.Stdout, "Nobody finds %s any more. The server deletes what it has.", printable(s.Name))
		return nil
	})
}

// asks returns where the question is printed: not into the output that a program reads.
func (c serviceDeleteCmd) asks() io.Writer {
	if c.JSON {
		return os.Stderr
	}
	return os.Stdout
}

type serviceUsageCmd struct {
	ofService

	From  string `placeholder:"DAY" help:"The first day, UTC, such as 2026-11-01; left out: thirty days ago."`
	To    string `placeholder:"DAY" help:"The last day; left out: today."`
	ByKey bool   `help:"By key instead of by day."`
	JSON  bool   `name:"json" help:"Print JSON."`
}

// Run prints the usage of the consumers of a service.
func (c serviceUsageCmd) Run(ctx context.Context) error {
	return c.on(ctx, func(client *apiclient.Client, s apiclient.ServiceView) error {
		group := "day"
		if c.ByKey {
			group = "key"
		}
		used, err := client.ServiceUsage(ctx, s.ID, apiclient.ServiceUsageParams{From: c.From, To: c.To, Group: group})
		if err != nil || c.JSON {
			return printJSON(err, used)
		}
		return usageTable(os.Stdout, used)
	})
}

func usageTable(out io.Writer, used apiclient.ServiceUsage) error {
	head := strings.ToUpper(used.Group) + "\tREQUESTS\tERRORS\tP50\tP95\tMAX\tTOKENS IN\tCACHED\tOUT\tCOST\tNAME"
	ms := func(n int64) string { return strconv.FormatInt(n, 10) + " ms" }
	return table(out, head, append(used.Rows, used.Total), func(r apiclient.ServiceUsageRow) []any {
		cost := "-"
		if r.Cost != nil {
			cost = fmt.Sprintf("%.4f %s", *r.Cost, used.Currency)
		}
		return []any{
			cmp.Or(r.Day+r.Key, "total"), r.Requests, r.Errors, ms(r.P50Ms), ms(r.P95Ms), ms(r.MaxMs), r.PromptTokens, r.CachedTokens, r.CompletionTokens, cost, printable(r.KeyName),
		}
	})
}
