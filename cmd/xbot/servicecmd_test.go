package main

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/client/apiclient"
	"xbot/internal/fault"
)

func TestServiceNamed_AnIDOrANameThatNoOtherHas(t *testing.T) {
	all := []apiclient.ServiceView{{ID: "svc_00000001", Name: "Help desk"}, {ID: "svc_00000002", Name: "Shop"}, {ID: "svc_00000003", Name: "shop"}}
	for word, want := range map[string]string{"svc_00000003": "svc_00000003", "help DESK": "svc_00000001"} {
		got, err := serviceNamed(all, word)
		require.NoError(t, err)
		require.Equal(t, want, got.ID)
	}
	_, err := serviceNamed(all, "Shop")
	require.Equal(t, fault.Invalid, fault.KindOf(err))
	_, err = serviceNamed(all, "svc_00000009")
	require.Equal(t, fault.NotFound, fault.KindOf(err))
}

func TestServiceFlags_WhatIsNotGivenStays(t *testing.T) {
	require.Equal(t, apiclient.ServiceChange{}, serviceFlags{}.change())
	got := serviceFlags{Docs: []string{"none"}, Can: []string{"web", "image"}, Concurrent: new(5)}.change()
	require.Equal(t, &[]string{}, got.AllowedDocs)
	require.Equal(t, &[]string{"web", "image"}, got.Capabilities)
	require.Nil(t, got.AllowedScripts)
	require.Equal(t, &apiclient.ServiceLimitsPatch{Concurrent: new(5)}, got.Limits)
}

func TestServiceTables_SayWhatThereIsAndNothingThatSteersATerminal(t *testing.T) {
	var out strings.Builder
	s := apiclient.ServiceView{
		ID: "svc_00000001", Name: "Help\x1b[2J desk", AdminName: "alice", Published: true, Keys: 1, Page: "/s/svc_00000001", AllowedDocs: []string{"faq/*.md"},
		Limits: apiclient.ServiceLimits{RequestsPerMinute: 60, Concurrent: 4}, MaxConversations: 1000, LastUsedAt: new(time.Now().Add(-time.Hour)),
	}
	require.NoError(t, serviceTable(&out, []apiclient.ServiceView{s}))
	require.NoError(t, describeService(&out, s))
	require.NoError(t, consumerTable(&out, apiclient.ConsumerConversations{Conversations: []apiclient.ConsumerConversation{{ID: "0123456789", Source: "api", Title: "\x1b[31mred"}}, More: true}))
	require.NoError(t, serviceKeyTable(&out, []apiclient.ServiceKey{{ID: "key_000001", Prefix: "sk-svc-00000", RevokedAt: new(time.Now())}}))
	require.NoError(t, usageTable(&out, apiclient.ServiceUsage{Group: "key", Currency: "USD", Rows: []apiclient.ServiceUsageRow{{Key: "key_000001", KeyName: "sh\x1bop", Requests: 12, P95Ms: 340, Cost: new(0.25)}}}))
	for _, part := range []string{"340 ms", "0.2500 USD", "total", "published", "1h ago", "faq/*.md", "60 requests a minute and 4 at once of a key", "scripts  ", "nothing", "revoked", "never", "There are more"} {
		require.Contains(t, out.String(), part)
	}
	require.NotContains(t, out.String(), "\x1b")
}
