package worker

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	sdk "go.temporal.io/sdk/worker"

	"xbot/activities"
	"xbot/internal/host/crash"
)

// counts has the counts of calls.
type counts struct {
	calls    map[crash.Call]crash.Count
	forgiven []crash.Call
}

func (c *counts) CountCrash(context.Context, string, crash.Death) error { return nil }

func (c *counts) CrashCount(_ context.Context, _ string, call crash.Call) (crash.Count, error) {
	return c.calls[call], nil
}

func (c *counts) CrashCounts(context.Context, string) (map[crash.Call]crash.Count, error) {
	return maps.Clone(c.calls), nil
}

func (c *counts) ForgetCrashes(context.Context, crash.Call) error { return nil }

func (c *counts) ForgiveCrashes(_ context.Context, call crash.Call) error {
	c.forgiven = append(c.forgiven, call)
	return nil
}

func (c *counts) GiveUpCall(context.Context, crash.Call) error { return nil }

// registry collects the registered activities.
type registry map[string]any

func (r registry) RegisterActivity(any) { panic("an activity is registered without a name") }

func (r registry) RegisterActivityWithOptions(fn any, o activity.RegisterOptions) { r[o.Name] = fn }

func (r registry) RegisterDynamicActivity(any, activity.DynamicRegisterOptions) {
	panic("a dynamic activity is registered")
}

func registered() registry {
	r := registry{}
	Activities{}.register(r)
	return r
}

// inputOf returns the zero input of an activity.
func inputOf(fn any) any { return reflect.Zero(reflect.TypeOf(fn).In(1)).Interface() }

// crashedEnv is an environment of activities with the interceptors of a worker. Processes crashed in the given calls.
func crashedEnv(t *testing.T, endings map[string]givenUpActivity, calls ...crash.Call) (*testsuite.TestActivityEnvironment, *counts) {
	t.Helper()
	c := &counts{calls: map[crash.Call]crash.Count{}}
	for _, call := range calls {
		c.calls[call] = crash.Count{Crashes: crash.MaxCrashes, Alone: 1, Cause: "out of memory"}
	}
	guard := crash.NewGuard("1.0", c, prometheus.NewRegistry(), discard())
	require.NoError(t, guard.Open(t.Context(), t.TempDir()))
	t.Cleanup(func() { require.NoError(t, guard.Close()) })
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestActivityEnvironment()
	env.SetWorkerOptions(sdk.Options{Interceptors: options(endings, Build{}, guard, nil).Interceptors})
	return env, c
}

// callOf identifies the call of an activity in an environment of the test suite.
func callOf(t *testing.T, name string, input any) crash.Call {
	t.Helper()
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestActivityEnvironment()
	var call crash.Call
	env.RegisterActivityWithOptions(func(ctx context.Context) error {
		info := activity.GetInfo(ctx)
		info.ActivityType.Name = name
		a, err := attemptOf(info, []any{input})
		call = a.Call
		return err
	}, activity.RegisterOptions{Name: name})
	_, err := env.ExecuteActivity(name)
	require.NoError(t, err)
	return call
}

func TestAttempts_NoActivityRunsAfterTwoCrashes(t *testing.T) {
	all := registered()
	var calls []crash.Call
	for name, fn := range all {
		calls = append(calls, callOf(t, name, inputOf(fn)))
	}
	env, _ := crashedEnv(t, nil, calls...)
	Activities{}.register(env) // over nothing: an activity that runs panics
	for name, fn := range all {
		_, err := env.ExecuteActivity(name, inputOf(fn))
		var failure *temporal.ApplicationError
		require.ErrorAs(t, err, &failure, name)
		require.Equal(t, activities.CrashedType, failure.Type(), "%s: %v", name, err)
		require.True(t, failure.NonRetryable(), name)
	}
}

func TestAttempts_AnEndingReplacesACallOnceAndIsItselfGivenUp(t *testing.T) {
	const name = activities.NameFireJob
	fn := registered()[name]
	call := callOf(t, name, inputOf(fn))
	ran := 0
	end := func(context.Context, any) (any, error) {
		ran++
		return "ended", nil
	}
	env, c := crashedEnv(t, map[string]givenUpActivity{name: end}, call)
	Activities{}.register(env)
	got, err := env.ExecuteActivity(name, inputOf(fn))
	require.NoError(t, err)
	var said string
	require.NoError(t, got.Get(&said))
	require.Equal(t, "ended", said)
	require.Equal(t, []crash.Call{call}, c.forgiven, "the next call with this input runs")

	failing := func(context.Context, any) (any, error) { return nil, errors.New("Postgres is away") }
	env, c = crashedEnv(t, map[string]givenUpActivity{name: failing}, call)
	Activities{}.register(env)
	_, err = env.ExecuteActivity(name, inputOf(fn))
	require.ErrorContains(t, err, "Postgres is away")
	require.Empty(t, c.forgiven)

	ran = 0
	env, _ = crashedEnv(t, map[string]givenUpActivity{name: end}, call, crash.NewCall(call.Workflow, call.Activity, "end of "+call.Input))
	Activities{}.register(env)
	_, err = env.ExecuteActivity(name, inputOf(fn))
	var failure *temporal.ApplicationError
	require.ErrorAs(t, err, &failure)
	require.Equal(t, activities.CrashedType, failure.Type())
	require.Zero(t, ran, "an ending that crashed processes is not run")
}

func TestAttempts_WhatFollowsACommandIsNotBlamed(t *testing.T) {
	var follows []string
	for name, fn := range registered() {
		a, err := attemptOf(activity.Info{ActivityType: activity.Type{Name: name}}, []any{inputOf(fn)})
		require.NoError(t, err)
		if a.Follows {
			follows = append(follows, name)
		}
	}
	require.ElementsMatch(t, []string{activities.NameWatch, activities.NameRunBang}, follows)
}

func TestAttempts_EndingsAreThoseOfRegisteredActivities(t *testing.T) {
	all := registered()
	for name, end := range (Activities{}).endings() {
		require.Contains(t, all, name)
		_, err := end(t.Context(), "not its input")
		require.ErrorContains(t, err, "has the input string")
	}
}

// secondCrash names the test of what happens after the second crash in a call of each activity: whether its workflow handles the error, or its ending
// replaces the call.
var secondCrash = map[string]string{
	activities.NameGenerate:       "TestPoison_AStepOfAModelThatCrashesTheServerEndsItsTurn",
	activities.NameTool:           "TestPoison_AToolThatCrashesTheServerEndsWithAnError",
	activities.NameSend:           "TestPoison_ADeliveryThatCrashesTheServerIsReportedAsUnknown",
	activities.NameFollow:         "TestPoison_ProgressThatCrashesTheServerIsNotShownAndTheAnswerComes",
	activities.NameTitle:          "TestPoison_WorkBesideTurnsThatCrashesTheServerEnds",
	activities.NameMemorize:       "TestPoison_WorkBesideTurnsThatCrashesTheServerEnds",
	activities.NameCompress:       "TestPoison_WorkBesideTurnsThatCrashesTheServerEnds",
	activities.NameClaim:          "TestPoison_AClaimThatCrashesTheServerWaitsAndItsSenderIsTold",
	activities.NameWatch:          "TestPoison_ABackgroundTaskSurvivesACrashBesideIt",
	activities.NameRunBang:        "TestAttempts_WhatFollowsACommandIsNotBlamed",
	activities.NameFetchFile:      "TestPoison_AFileThatCrashesTheServerIsLeftOutOfItsMessage",
	activities.NameRunHooks:       "TestPoison_AHookThatCrashesTheServerRefusesItsCallAndNothingElse",
	activities.NameFireJob:        "TestPoison_AJobThatCrashesTheServerRunsAtItsNextTime",
	activities.NameFinish:         "TestPoison_TheEndOfATurnThatCrashesTheServerIsToldOnce",
	activities.NamePeek:           "TestGivenUp_ATurnEnds",
	activities.NameSteer:          "TestGivenUp_ATurnEnds",
	activities.NameTurnCommand:    "TestGivenUp_ATurnEnds",
	activities.NameHasten:         "TestGivenUp_ATurnWaitsForItsProviderWithoutHaste",
	activities.NameDelegate:       "TestGivenUp_ACallEndsWithAnError",
	activities.NameAsk:            "TestGivenUp_ACallEndsWithAnError",
	activities.NameExpire:         "TestGivenUp_ACallEndsWithAnError",
	activities.NameAbandon:        "TestGivenUp_ATurnContinuesWithoutWhatDecidesNothing",
	activities.NameInterrupt:      "TestGivenUp_AStopIsCarriedOut",
	activities.NameUnpack:         "TestGivenUp_ARunEndsAndItsRowWaits",
	activities.NameEndFetch:       "TestGivenUp_ARunEndsAndItsRowWaits",
	activities.NameNextDelivery:   "TestGivenUp_ARunEndsAndItsRowWaits",
	activities.NameUnloadSubagent: "TestGivenUp_ARunEndsAndItsRowWaits",
	activities.NameStepGroup:      "TestGivenUp_ARunEndsAndItsRowWaits",
	activities.NameAdvanceTrack:   "TestGivenUp_ARunEndsAndItsRowWaits",
	activities.NameLose:           "TestGivenUp_ARunEndsAndItsRowWaits",
	activities.NameNoteKill:       "TestGivenUp_AKilledTaskIsKilledByTheNextRun",
	activities.NameEndBang:        "TestGivenUp_ARunEndsAndItsRowWaits",
	activities.NameGiveUpMemorize: "TestGivenUp_ARunEndsAndItsRowWaits",
	activities.NameDeletePerson:   "TestGivenUp_ARunEndsAndItsRowWaits",
	activities.NameMoveFiles:      "TestGivenUp_ARunEndsAndItsRowWaits",
}

// TestAttempts_EachActivityHasATestOfItsSecondCrash fails for an activity that is registered without a test of what becomes of its input after the second
// crash.
func TestAttempts_EachActivityHasATestOfItsSecondCrash(t *testing.T) {
	tests := functions(t, "*_test.go", "../e2e/*_test.go", "../workflows/*_test.go")
	for name := range registered() {
		require.Contains(t, secondCrash, name, "decide what happens after the second crash in a call of %s, test it, and name the test here", name)
	}
	for name, test := range secondCrash {
		require.Contains(t, registered(), name, "no such activity is registered")
		require.True(t, slices.Contains(tests, test), "the test of %s, %s, does not exist", name, test)
	}
}

// functions returns the names of the test functions of some files.
func functions(t *testing.T, patterns ...string) (names []string) {
	t.Helper()
	for _, pattern := range patterns {
		files, err := filepath.Glob(pattern)
		require.NoError(t, err)
		for _, file := range files {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			for line := range strings.Lines(string(text)) {
				if rest, ok := strings.CutPrefix(line, "func Test"); ok {
					name, _, _ := strings.Cut(rest, "(")
					names = append(names, "Test"+name)
				}
			}
		}
	}
	return names
}
