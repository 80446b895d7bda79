package server

import (
	"context"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"xbot/activities/delivery"
	"xbot/activities/files"
	"xbot/ingress/channels"
	"xbot/internal/channel"
	"xbot/internal/channel/accounts"
	"xbot/internal/channel/accounts/accountstore"
	"xbot/internal/channel/feishu"
	"xbot/internal/channel/format"
	"xbot/internal/channel/onebot"
	"xbot/internal/channel/qq"
	"xbot/internal/channel/remote"
	"xbot/internal/chat"
	"xbot/internal/host/safehttp"
	"xbot/internal/secret"
	"xbot/internal/store"
	policies "xbot/internal/turn/policy"
	"xbot/internal/turn/routing"
	"xbot/internal/turn/session"
	"xbot/server/livefeed"
)

// Drivers are the platforms that this program speaks to.
func Drivers() []channel.Driver {
	return []channel.Driver{feishu.Driver(), qq.Driver(), onebot.Driver()}
}

// platformTimeout is how long a platform may take to begin its answer, transferTimeout how long a call may take with its files.
const (
	platformTimeout = 30 * time.Second
	transferTimeout = 5 * time.Minute
)

// newChannels opens the configured accounts. The environment of an ingress takes precedence over other settings.
func newChannels(st *store.Store, book *accounts.Store, s settings) *channel.Live {
	transport := safehttp.Trusted()
	transport.ResponseHeaderTimeout = platformTimeout
	client := &http.Client{Timeout: transferTimeout, Transport: transport}
	return &channel.Live{
		Source: book, Drivers: Drivers(), More: book.More, Copy: s.copy, Resources: accountResources{client, fileClients{s.HTTPAllow}, st.Channels},
	}
}

// accountResources are the resources of this process for accounts.
type accountResources struct {
	client *http.Client
	files  fileClients
	store  *accountstore.Store
}

// Resources implements channel.ResourceProvider.
func (o accountResources) Resources(name, account string) channel.Resources {
	return channel.Resources{HTTP: o.client, Files: o.files, Memory: channelMemory{o.store, name, account}}
}

// fileClients reach the addresses that the operator allows.
type fileClients struct{ allowed []string }

// FileClient implements channel.FileClients.
func (f fileClients) FileClient(own string) *http.Client {
	allow, err := safehttp.ParseAllow(f.allowed)
	if err != nil {
		allow = safehttp.Allow{} // refused when settings are read
	}
	client := safehttp.New(allow.With(own))
	client.Timeout = transferTimeout
	return client
}

// channelMemory is the stored state of the adapter of one account.
type channelMemory struct {
	store         *accountstore.Store
	name, account string
}

// Load reads a value.
func (m channelMemory) Load(ctx context.Context, key string) ([]byte, error) {
	return m.store.RecallChannel(ctx, m.name, m.account, key)
}

// Save keeps a value.
func (m channelMemory) Save(ctx context.Context, key string, value []byte) error {
	return m.store.RememberChannel(ctx, m.name, m.account, key, value)
}

// newSetup receives from the accounts that are configured.
func (in *ingressPart) newSetup() *channels.AccountRunner {
	return &channels.AccountRunner{
		Live: in.core.platforms.channels, Gateway: in.gateway, States: in.core.stores.Channels, Holder: in.at.internal() + holderMark + in.holder,
		Log: in.core.proc.log, Addresses: in.auth,
	}
}

// holderMark parts the address of an ingress from a name that no other process has.
const holderMark = "#"

// channelHolders finds the ingress that holds a connection.
type channelHolders struct{ channels *accountstore.Store }

// ChannelHolder is the internal address of the ingress that holds it, or held it last: a former holder reports that.
func (h channelHolders) ChannelHolder(ctx context.Context, name, account string) (string, error) {
	holder, err := h.channels.ChannelHolder(ctx, name, account)
	address, _, _ := strings.Cut(holder, holderMark)
	return address, err
}

// speakers are the bots as a worker speaks for them: through the ingress that holds the connection where there is one only.
func (c *core) speakers() *remote.Accounts {
	transport := &http.Transport{DialContext: safehttp.HideAddresses((&net.Dialer{Timeout: platformTimeout}).DialContext)} // no proxy between our own processes
	return &remote.Accounts{
		Live: c.platforms.channels, Holders: channelHolders{c.stores.Channels}, Key: c.db.key, HTTP: &http.Client{Transport: transport},
	}
}

// secretName makes a name that no other process has.
func secretName() string {
	token, _ := secret.NewToken()
	return token[:8]
}

func (a *agents) deliverer() *delivery.Deliverer {
	stores := a.core.stores
	return &delivery.Deliverer{
		Outbox: stores.Deliveries, Messages: stores.Deliveries, Cards: stores.Deliveries, Accounts: a.core.speakers(), Split: format.Split, Words: a.core.temporal.words, Turns: stores.Turns, Users: stores.Users,
		Files: &files.Folders{Sessions: stores.Conversations, Sandboxes: a.boxes}, Replies: replies{stores.Routing},
		Policy: deliveryPolicy{a.core.db.policies}, Links: a.core.mcp.connected, Tally: newDeliveryCount(a.core.proc.tele.Registry),
	}
}

// deliveryCount counts the ends of deliveries for Prometheus.
type deliveryCount struct{ ended *prometheus.CounterVec }

func newDeliveryCount(r prometheus.Registerer) deliveryCount {
	c := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "xbot_deliveries_total", Help: "Answers, questions and notices whose delivery to a platform ended, by how: sent, uncertain, failed, expired.",
	}, []string{"channel", "outcome"})
	r.MustRegister(c)
	return deliveryCount{c}
}

// Delivered counts one.
func (d deliveryCount) Delivered(channel, outcome string) {
	d.ended.WithLabelValues(channel, outcome).Inc()
}

// deliveryPolicy reads the rules of deliveries from the policy.
type deliveryPolicy struct{ live *policies.Live }

// DeliveryRules returns the rules for late deliveries on a channel.
func (p deliveryPolicy) DeliveryRules(ctx context.Context, channel string) (delivery.Rules, error) {
	rules, err := p.live.Get(ctx)
	if err != nil {
		return delivery.Rules{}, err
	}
	return delivery.Rules(rules.Delivery(channel)), nil
}

// ShowsProgress reports whether users on a channel see the progress of a turn. Where the policy cannot be read now they do.
func (p deliveryPolicy) ShowsProgress(ctx context.Context, channel, account string) bool {
	rules, err := p.live.Get(ctx)
	return err != nil || rules.Channel(channel, account).Progress == policies.ProgressCard
}

// replies leads from a message of the bot back to its conversation.
type replies struct{ routing *routing.Store }

// LeadBack names the conversation by the messages that were sent in it.
func (r replies) LeadBack(ctx context.Context, o chat.Outbound) error {
	at := chat.Envelope{Source: chat.Source{Channel: o.Channel, Account: o.Account, Chat: o.Place.Chat}, Sender: chat.Peer{ID: o.Place.Peer}}
	var names []string
	for _, p := range o.Pieces {
		for _, id := range []string{p.ID, p.Quoted} {
			if id != "" {
				names = append(names, session.MessageAlias(at, id))
			}
		}
		if p.Thread != "" {
			names = append(names, session.ThreadAlias(at, p.Thread))
		}
	}
	if len(names) == 0 {
		return nil
	}
	return r.routing.NameAnswers(ctx, o.Session, names...)
}

// attachmentFetcher fetches the files that come with messages.
func (a *agents) attachmentFetcher(keep time.Duration) *files.Fetcher {
	return &files.Fetcher{
		Store: a.core.stores.Attachments, Notices: a.core.stores.Notices, Accounts: a.core.speakers(), ConsumerFiles: a.consumerFiles(), Sandboxes: a.boxes, Keep: keep, Words: a.core.temporal.words, Documents: a.core.documents(),
		Voice: a.core.transcriber(),
	}
}

// follower shows the progress of turns on platforms, from the events that pages see.
func (c *core) follower() *delivery.Follower {
	return &delivery.Follower{
		Turns: c.stores.Deliveries, Accounts: c.speakers(), Feed: livefeed.Feed{Bus: c.db.bus}, Policy: deliveryPolicy{c.db.policies}, Signs: c.stores.Channels,
	}
}
