#!/bin/sh
# Registers the namespace, whose closed turns stay readable for 30 days. xbot adds its search attributes by itself.
# TEMPORAL_ADDRESS and TEMPORAL_NAMESPACE say where. It says why an attempt failed, and fails after ATTEMPTS.
set -u

left=${ATTEMPTS:-20}
while :; do
	if said=$(temporal operator namespace describe --namespace "$TEMPORAL_NAMESPACE" 2>&1); then
		echo "the namespace $TEMPORAL_NAMESPACE is there"
		exit 0
	fi
	if said=$(temporal operator namespace create --namespace "$TEMPORAL_NAMESPACE" --retention 30d --description "Turns of xbot" 2>&1); then
		echo "the namespace $TEMPORAL_NAMESPACE was made"
		exit 0
	fi
	left=$((left - 1))
	echo "the namespace $TEMPORAL_NAMESPACE cannot be made at $TEMPORAL_ADDRESS: $said" >&2
	if [ "$left" -le 0 ]; then exit 1; fi
	sleep "${PAUSE:-3}"
done
