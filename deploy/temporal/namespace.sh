#!/bin/sh
# Registers the namespace, whose closed turns stay readable for 30 days. xbot adds its search attributes by itself.
# TEMPORAL_ADDRESS and TEMPORAL_NAMESPACE say where.
set -eu

temporal operator namespace describe --namespace "$TEMPORAL_NAMESPACE" >/dev/null 2>&1 ||
	temporal operator namespace create --namespace "$TEMPORAL_NAMESPACE" --retention 30d --description "Turns of xbot"
