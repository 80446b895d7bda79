package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	persistencespb "go.temporal.io/server/api/persistence/v1"
	"go.temporal.io/server/common"
	"go.temporal.io/server/common/log"
	"go.temporal.io/server/common/metrics"
	"go.temporal.io/server/common/persistence"
	"go.temporal.io/server/common/persistence/client"
	"go.temporal.io/server/common/persistence/serialization"
	"go.temporal.io/server/common/resolver"
	"go.temporal.io/server/common/searchattribute/sadefs"
	"go.temporal.io/server/common/telemetry"
	"google.golang.org/protobuf/types/known/durationpb"
)

// searchAttributes are the keywords by which an operator finds turns. A namespace has room for ten keywords.
var searchAttributes = []string{"XbotSession", "XbotChannel", "XbotUser", "XbotKind", "XbotModel", "XbotOutcome"}

// registerNamespace creates the namespace, or brings its retention and search attributes up to date, and returns the
// names of attributes by their columns. It writes to the store before the services start, so that none of them begins
// with a stale copy in its cache; through the API, a new search attribute takes up to ten seconds to be known
// everywhere.
func registerNamespace(ctx context.Context, opts *options, logger log.Logger) (aliases map[string]string, err error) {
	store, err := openMetadata(opts.Postgres, logger)
	if err != nil {
		return nil, err
	}
	defer store.Close()

	found, err := store.GetNamespace(ctx, &persistence.GetNamespaceRequest{Name: opts.Namespace})
	if _, missing := errors.AsType[*serviceerror.NamespaceNotFound](err); missing {
		return createNamespace(ctx, store, opts.Namespace, opts.Retention)
	}
	if err != nil {
		return nil, fmt.Errorf("read namespace %s: %w", opts.Namespace, err)
	}
	config := found.Namespace.GetConfig()
	if !bringUpToDate(config, opts.Retention, logger) {
		return config.GetCustomSearchAttributeAliases(), nil
	}
	found.Namespace.ConfigVersion++
	metadata, err := store.GetMetadata(ctx)
	if err == nil {
		err = store.UpdateNamespace(ctx, &persistence.UpdateNamespaceRequest{
			Namespace:           found.Namespace,
			IsGlobalNamespace:   found.IsGlobalNamespace,
			NotificationVersion: metadata.NotificationVersion,
		})
	}
	if err != nil {
		return nil, fmt.Errorf("update namespace %s: %w", opts.Namespace, err)
	}
	return config.GetCustomSearchAttributeAliases(), nil
}

func createNamespace(ctx context.Context, store persistence.MetadataManager, name string, retention time.Duration) (aliases map[string]string, err error) {
	config := &persistencespb.NamespaceConfig{
		HistoryArchivalState:    enumspb.ARCHIVAL_STATE_DISABLED,
		VisibilityArchivalState: enumspb.ARCHIVAL_STATE_DISABLED,
	}
	bringUpToDate(config, retention, log.NewNoopLogger())
	_, err = store.CreateNamespace(ctx, &persistence.CreateNamespaceRequest{Namespace: &persistencespb.NamespaceDetail{
		Info: &persistencespb.NamespaceInfo{
			Id:          uuid.NewString(),
			Name:        name,
			State:       enumspb.NAMESPACE_STATE_REGISTERED,
			Description: "Turns of xbot",
		},
		Config: config,
		ReplicationConfig: &persistencespb.NamespaceReplicationConfig{
			ActiveClusterName: clusterName,
			Clusters:          []string{clusterName},
		},
		FailoverVersion:             common.EmptyVersion,
		FailoverNotificationVersion: persistence.InitialFailoverNotificationVersion,
	}})
	if _, exists := errors.AsType[*serviceerror.NamespaceAlreadyExists](err); err != nil && !exists {
		return nil, fmt.Errorf("create namespace %s: %w", name, err)
	}
	return config.GetCustomSearchAttributeAliases(), nil
}

// bringUpToDate sets retention and search attributes and reports whether that changed anything. An attribute for
// which the namespace has no room left is logged and left out: the product works without it.
func bringUpToDate(config *persistencespb.NamespaceConfig, retention time.Duration, logger log.Logger) (changed bool) {
	if config.GetRetention().AsDuration() != retention {
		config.Retention = durationpb.New(retention)
		changed = true
	}
	if config.CustomSearchAttributeAliases == nil {
		config.CustomSearchAttributeAliases = map[string]string{}
	}
	aliases := config.CustomSearchAttributeAliases
	known := slices.Collect(maps.Values(aliases))
	for _, name := range searchAttributes {
		if slices.Contains(known, name) {
			continue
		}
		field := freeKeyword(aliases)
		if field == "" {
			logger.Warn("search attribute " + name + " was left out: the namespace has no free keyword; remove one with temporal operator search-attribute remove")
			continue
		}
		aliases[field] = name
		changed = true
	}
	return changed
}

// freeKeyword returns the first preallocated keyword column without an alias, or "".
func freeKeyword(aliases map[string]string) string {
	columns := sadefs.GetDBIndexSearchAttributes(nil).CustomSearchAttributes
	for _, column := range slices.Sorted(maps.Keys(columns)) {
		if _, used := aliases[column]; !used && columns[column] == enumspb.INDEXED_VALUE_TYPE_KEYWORD {
			return column
		}
	}
	return ""
}

// openMetadata opens the store of namespaces as the server's own start does.
func openMetadata(p postgresOptions, logger log.Logger) (persistence.MetadataManager, error) {
	cfg := persistenceConfig(p)
	serializer := serialization.NewSerializer()
	stores := client.DataStoreFactoryProvider(
		clusterName, resolver.NewNoopResolver(), &cfg, nil, logger, metrics.NoopMetricsHandler,
		telemetry.NoopTracerProvider, serializer,
	)
	factory := client.FactoryProvider(client.NewFactoryParams{
		DataStoreFactory: stores,
		Cfg:              &cfg,
		ClusterName:      clusterName,
		MetricsHandler:   metrics.NoopMetricsHandler,
		Logger:           logger,
		Serializer:       serializer,
	})
	store, err := factory.NewMetadataManager()
	if err != nil {
		factory.Close()
		return nil, fmt.Errorf("open the store of namespaces: %w", err)
	}
	return metadataStore{MetadataManager: store, factory: factory}, nil
}

// metadataStore closes its factory, and with it the connections, along with the store.
type metadataStore struct {
	persistence.MetadataManager
	factory client.Factory
}

func (m metadataStore) Close() {
	m.MetadataManager.Close()
	m.factory.Close()
}
