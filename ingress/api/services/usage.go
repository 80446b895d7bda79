package services

import (
	"bytes"
	"cmp"
	"context"
	"encoding/csv"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"xbot/internal/fault"
	"xbot/internal/llm/usage"
	"xbot/internal/media"
	"xbot/internal/media/mediastore"
	"xbot/internal/service"
	"xbot/internal/service/servicestore"
)

const (
	usageOf  = one + "/usage"
	usageCSV = one + "/usage.csv"
	// usageDays is the default number of days that are summed up, and usageMost how many can be.
	usageDays = 30
	usageMost = 366
	day       = "2006-01-02"
)

// ServiceUsage is the requests of the consumers of a service, and their usage.
type ServiceUsage struct {
	From     string            `json:"from" doc:"The first day, UTC, as 2026-11-21."`
	To       string            `json:"to" doc:"The last day."`
	Group    string            `json:"group" enum:"day,key"`
	Currency string            `json:"currency" example:"USD"`
	Total    ServiceUsageRow   `json:"total"`
	Rows     []ServiceUsageRow `json:"rows" doc:"Of each day, the oldest first, or of each key. What has nothing is left out."`
}

// ServiceUsageRow is one day, or one key.
type ServiceUsageRow struct {
	Day  string `json:"day,omitempty"`
	Key  string `json:"key,omitempty" doc:"Id of the key."`
	Name string `json:"key_name,omitempty"`

	Requests int64 `json:"requests" doc:"With a good key, also those that were refused. They are counted for as long as they are kept: XBOT_KEEP_EVENTS."`
	Errors   int64 `json:"errors" doc:"Those that were answered with 400 or more."`
	P50      int64 `json:"p50_ms" doc:"Milliseconds until half of them were answered, a stream until it ended."`
	P95      int64 `json:"p95_ms"`
	Max      int64 `json:"max_ms"`

	Calls      int64    `json:"calls" doc:"How often models were asked."`
	Prompt     int64    `json:"prompt_tokens"`
	Cached     int64    `json:"cached_tokens" doc:"Part of prompt_tokens."`
	Completion int64    `json:"completion_tokens"`
	Cost       *float64 `json:"cost,omitempty" doc:"Of the models with a price, by the prices of today; missing: none has one."`

	Pictures   int64    `json:"pictures" doc:"That were generated."`
	Characters int64    `json:"speech_characters" doc:"Of generated speech."`
	Seconds    int64    `json:"video_seconds" doc:"Of generated videos."`
	MediaCost  *float64 `json:"media_cost,omitempty" doc:"Of pictures, speech and videos whose price was known; missing: of none."`
}

// UsageQuery is the period of a request for usage.
type UsageQuery struct {
	ServicePath

	From  string `query:"from" maxLength:"10" doc:"The first day, UTC; left out: thirty days ago." example:"2026-11-01"`
	To    string `query:"to" maxLength:"10" doc:"The last day; left out: today."`
	Group string `query:"group" enum:"day,key" default:"day"`
}

func (a *Endpoints) registerUsage(h huma.API) {
	huma.Register(h, operation("service-usage", http.MethodGet, usageOf, "What the consumers of a service used", "Tokens and cost of deleted conversations stay in it. "), a.usage)
	huma.Register(h, operation("service-usage-csv", http.MethodGet, usageCSV, "The same as a file for a spreadsheet", ""), a.usageCSV)
}

func (a *Endpoints) usage(ctx context.Context, in *UsageQuery) (*struct{ Body ServiceUsage }, error) {
	out, err := a.used(ctx, *in)
	return &struct{ Body ServiceUsage }{out}, err
}

func (a *Endpoints) used(ctx context.Context, in UsageQuery) (ServiceUsage, error) {
	of, err := a.service(ctx, in.ID)
	if err != nil {
		return ServiceUsage{}, err
	}
	p, err := period(in, time.Now().UTC())
	if err != nil {
		return ServiceUsage{}, a.Problem(err)
	}
	all, by, spent, err := a.ServiceUsage.ServiceUsage(ctx, of.ID, p)
	if err != nil {
		return ServiceUsage{}, a.Problem(err)
	}
	made, err := a.Media.UsageOfService(ctx, of.ID, p.Since, p.Until, p.ByKey)
	if err != nil {
		return ServiceUsage{}, a.Problem(err)
	}
	prices, err := a.Prices.Prices(ctx, of.Admin)
	if err != nil {
		return ServiceUsage{}, a.Problem(err)
	}
	names := map[string]string{}
	keys, err := a.Services.ServiceKeys(ctx, of.ID)
	if err != nil {
		return ServiceUsage{}, a.Problem(err)
	}
	for _, k := range keys {
		names[k.ID] = k.Name
	}
	out := ServiceUsage{
		From: p.Since.Format(day), To: p.Until.AddDate(0, 0, -1).Format(day), Group: cmp.Or(in.Group, "day"), Currency: usage.Currency, Rows: rows(p.ByKey, names, by, spent, prices, made),
	}
	out.Total = ServiceUsageRow{Requests: all.Requests, Errors: all.Errors, P50: all.P50.Milliseconds(), P95: all.P95.Milliseconds(), Max: all.Slowest.Milliseconds()}
	for _, s := range spent {
		out.Total.add(s, prices)
	}
	for _, m := range made {
		out.Total.addMedia(m)
	}
	return out, nil
}

func rows(byKey bool, names map[string]string, by []servicestore.Requested, spent []servicestore.Spent, prices usage.Prices, made []mediastore.ServiceSpent) []ServiceUsageRow {
	at := map[string]*ServiceUsageRow{}
	row := func(bucket string) *ServiceUsageRow {
		if at[bucket] == nil {
			at[bucket] = &ServiceUsageRow{Day: bucket}
			if byKey {
				at[bucket] = &ServiceUsageRow{Key: bucket, Name: names[bucket]}
			}
		}
		return at[bucket]
	}
	for _, r := range by {
		one := row(r.Bucket)
		one.Requests, one.Errors, one.P50, one.P95, one.Max = r.Requests, r.Errors, r.P50.Milliseconds(), r.P95.Milliseconds(), r.Slowest.Milliseconds()
	}
	for _, s := range spent {
		row(s.Bucket).add(s, prices)
	}
	for _, m := range made {
		row(m.Bucket).addMedia(m)
	}
	out := make([]ServiceUsageRow, 0, len(at))
	for _, one := range at {
		out = append(out, *one)
	}
	slices.SortFunc(out, func(x, y ServiceUsageRow) int { return cmp.Compare(x.Day+x.Key, y.Day+y.Key) })
	return out
}

func (r *ServiceUsageRow) add(s servicestore.Spent, prices usage.Prices) {
	r.Calls, r.Prompt, r.Cached, r.Completion = r.Calls+s.Calls, r.Prompt+s.PromptTokens, r.Cached+s.CachedTokens, r.Completion+s.CompletionTokens
	if cost := prices.Cost(s.Spent); cost != nil {
		sum := *cost
		if r.Cost != nil {
			sum += *r.Cost
		}
		r.Cost = &sum
	}
}

func (r *ServiceUsageRow) addMedia(m mediastore.ServiceSpent) {
	switch media.Kind(m.Kind) {
	case media.Image:
		r.Pictures += m.Units
	case media.Speech:
		r.Characters += m.Units
	case media.Video:
		r.Seconds += m.Units
	}
	if m.Cost != nil {
		sum := *m.Cost
		if r.MediaCost != nil {
			sum += *r.MediaCost
		}
		r.MediaCost = &sum
	}
}

// period reads from when to when, in days of UTC.
func period(in UsageQuery, now time.Time) (servicestore.Period, error) {
	last := now.Truncate(24 * time.Hour)
	first := last.AddDate(0, 0, 1-usageDays)
	var err error
	if in.To != "" {
		if last, err = time.Parse(day, in.To); err != nil {
			return servicestore.Period{}, fault.Errorf(fault.Invalid, "%q is no day; write one such as 2026-11-21", in.To)
		}
		first = last.AddDate(0, 0, 1-usageDays)
	}
	if in.From != "" {
		if first, err = time.Parse(day, in.From); err != nil {
			return servicestore.Period{}, fault.Errorf(fault.Invalid, "%q is no day; write one such as 2026-11-21", in.From)
		}
	}
	if first.After(last) || last.Sub(first) >= usageMost*24*time.Hour {
		return servicestore.Period{}, fault.Errorf(fault.Invalid, "from comes before to, and they are at most %d days", usageMost)
	}
	return servicestore.Period{Since: first, Until: last.AddDate(0, 0, 1), ByKey: in.Group == "key"}, nil
}

// usageFile is a table that a browser saves.
type usageFile struct {
	ContentType string `header:"Content-Type"`
	Disposition string `header:"Content-Disposition"`
	Body        []byte
}

func (a *Endpoints) usageCSV(ctx context.Context, in *UsageQuery) (*usageFile, error) {
	used, err := a.used(ctx, *in)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	w := csv.NewWriter(&out)
	_ = w.Write([]string{used.Group, "key_name", "requests", "errors", "p50_ms", "p95_ms", "max_ms", "calls", "prompt_tokens", "cached_tokens", "completion_tokens", "cost_" + strings.ToLower(used.Currency), "pictures", "speech_characters", "video_seconds", "media_cost_" + strings.ToLower(used.Currency)}) // a buffer takes all
	for _, r := range append(used.Rows, used.Total) {
		fields := []string{cmp.Or(r.Day, r.Key, "total"), plain(r.Name)}
		for _, n := range []int64{r.Requests, r.Errors, r.P50, r.P95, r.Max, r.Calls, r.Prompt, r.Cached, r.Completion} {
			fields = append(fields, strconv.FormatInt(n, 10))
		}
		fields = append(fields, amount(r.Cost))
		for _, n := range []int64{r.Pictures, r.Characters, r.Seconds} {
			fields = append(fields, strconv.FormatInt(n, 10))
		}
		_ = w.Write(append(fields, amount(r.MediaCost)))
	}
	w.Flush()
	name := "usage-" + in.ID + "-" + used.From + "-" + used.To + ".csv"
	if !service.IsID(in.ID) {
		name = "usage.csv"
	}
	return &usageFile{ContentType: "text/csv; charset=utf-8", Disposition: `attachment; filename="` + name + `"`, Body: out.Bytes()}, nil
}

// amount is a cost in a table; empty where none is known.
func amount(cost *float64) string {
	if cost == nil {
		return ""
	}
	return strconv.FormatFloat(*cost, 'f', 6, 64)
}

// plain keeps a spreadsheet from reading a name as a formula.
func plain(name string) string {
	if name != "" && strings.ContainsAny(name[:1], "=+-@\t\r") {
		return "'" + name
	}
	return name
}
