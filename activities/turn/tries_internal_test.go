package turn

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
)

func TestTries_OfTwoOfAStepTheNewerIsKept(t *testing.T) {
	step := chat.Step{Turn: "t1"}
	older, cancelOlder := context.WithCancelCause(t.Context())
	newer, cancelNewer := context.WithCancelCause(t.Context())
	var k tries
	k.keep(step, &try{cancel: cancelOlder})
	kept := &try{cancel: cancelNewer}
	k.keep(step, kept)
	require.ErrorIs(t, context.Cause(older), errNotTakenOver)
	require.NoError(t, newer.Err())
	require.Same(t, kept, k.take(step))
}

func TestTries_WhatNoActivityTakesOverEnds(t *testing.T) {
	step := chat.Step{Turn: "t1"}
	ctx, cancel := context.WithCancelCause(t.Context())
	var k tries
	left := &try{cancel: cancel}
	k.keep(step, left)
	k.giveUp(step, &try{cancel: cancel})
	require.NoError(t, ctx.Err(), "another one of the step is left alone")
	k.giveUp(step, left)
	require.ErrorIs(t, context.Cause(ctx), errNotTakenOver)
	require.Nil(t, k.take(step))
}
