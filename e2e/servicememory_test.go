package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/service"
)

// untilCompressed talks with a service until its model does not see the beginning of a conversation any more.
func (c *consumer) untilCompressed(id string) {
	c.t.Helper()
	for n := range 40 {
		c.untilDone(id, strings.Join(long(n), "\n"), fmt.Sprint(id, n))
		compressed := false
		require.NoError(c.t, c.database().QueryRow(c.t.Context(), "SELECT compaction_id IS NOT NULL FROM sessions WHERE key = $1", service.SessionKey(c.of.ID, id)).Scan(&compressed))
		if compressed {
			return
		}
	}
	c.t.Fatal("the conversation was not compressed")
}

// TestConsumerMemory_ReadsWhatWasSaidEarlierInItsOwnConversationAlone asks a service for the beginning of a conversation that was compressed.
func TestConsumerMemory_ReadsWhatWasSaidEarlierInItsOwnConversationAlone(t *testing.T) {
	t.Parallel()
	c := cramped(t, 0).publishesService(service.Patch{})
	other, mine := c.begins(), c.begins()
	c.untilDone(other, "say the canary is yellow", "other")
	c.untilDone(mine, "say the boat is red", "mine")
	all := c.untilDone(mine, "call read_my_conversation {}\nsay done", "before")
	require.Contains(t, fmt.Sprint(all), "nothing earlier in this conversation")
	c.untilCompressed(mine)
	for n, arguments := range []string{`{"last_n":100}`, `{"last_n":100,"conversation":"` + other + `","session":"` + string(service.SessionKey(c.of.ID, other)) + `"}`} {
		all = c.untilDone(mine, "call read_my_conversation "+arguments+"\nsay done", fmt.Sprint("after", n))
		require.Contains(t, fmt.Sprint(all), "assistant] the boat is red")
		require.NotContains(t, fmt.Sprint(all), "canary")
	}
	require.False(t, c.toolSaid("canary"))
}

// TestMemoryRole_ReadsConsumersForTheirAdministratorAloneWhereTheSwitchIsOn asks it for what was said with a service, and has it try to write.
func TestMemoryRole_ReadsConsumersForTheirAdministratorAloneWhereTheSwitchIsOn(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	c := s.publishesService(service.Patch{Capabilities: &[]service.Capability{service.HumanChat}})
	id := c.begins()
	c.untilDone(id, "say the parcel is blue", "k1")
	c.untilDone(id, asksForPerson("A lost parcel."), "k2")
	look := func(s *server) {
		k := s.newTalk()
		k.done(k.subagent(args{"role": "memory"}, "call list_service_conversations {}", `call read_service_conversation {"conversation":"`+id+`"}`, "call read_inbox {}",
			`call soul_write {"name":"tone.md","content":"as a stranger says"}`, `call Shell {"command":"id"}`, "say found"), "say done")
	}
	words := []string{"> the parcel is blue", "> A lost parcel.", id + " (service"}
	s.inForce(`{memory: {subagent: true}}`)
	s.newTalk().untilRole("memory")
	look(s)
	for _, w := range words {
		require.False(t, s.toolSaid(w), "%q is read though the switch is off", w)
	}
	s.inForce(`{memory: {subagent: true, includeConsumerConversations: true, soul: {write: true, subagentWrite: true}}}`)
	for deadline := time.Now().Add(2 * time.Minute); !strings.Contains(s.newTalk().replied("say hello").System, "what consumers of their services said"); {
		require.True(t, time.Now().Before(deadline), "the policy was not followed")
	}
	bob := s.colleague("bob")
	require.NotContains(t, bob.newTalk().replied("say hello").System, "what consumers of their services said")
	look(bob)
	for _, w := range words {
		require.False(t, s.toolSaid(w), "a member reads %q", w)
	}
	_, err := s.database().Exec(t.Context(), "DELETE FROM soul_files") // of the member, whose role reads no strangers
	require.NoError(t, err)
	look(s)
	for _, w := range words {
		require.True(t, s.toolSaid(w), "%q is not read", w)
	}
	var written int
	require.NoError(t, s.database().QueryRow(t.Context(), "SELECT count(*) FROM soul_files").Scan(&written))
	require.Zero(t, written, "who reads what strangers wrote changes nothing")
}
