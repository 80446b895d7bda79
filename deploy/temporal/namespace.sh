#!/bin/sh
# Registers the namespace TEMPORAL_NAMESPACE at TEMPORAL_ADDRESS. Closed turns stay readable for 30 days. The search attributes are
# added by xbot. The script prints why an attempt failed, and fails after ATTEMPTS.
set -u

left=${ATTEMPTS:-20}
while :; do
	if output=$(temporal operator namespace describe --namespace "$TEMPORAL_NAMESPACE" 2>&1); then
		echo "the namespace $TEMPORAL_NAMESPACE is there"
		exit 0
	fi
	if output=$(temporal operator namespace create --namespace "$TEMPORAL_NAMESPACE" --retention 30d --description "Turns of xbot" 2>&1); then
		echo "the namespace $TEMPORAL_NAMESPACE was made"
		exit 0
	fi
	left=$((left - 1))
	echo "the namespace $TEMPORAL_NAMESPACE cannot be made at $TEMPORAL_ADDRESS: $output" >&2
	if [ "$left" -le 0 ]; then exit 1; fi
	sleep "${PAUSE:-3}"
done
