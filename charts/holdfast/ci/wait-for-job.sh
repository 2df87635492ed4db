#!/bin/sh
# Waits for the end of a Job of the tests, shows the end of its log, and fails when the Job has failed:
#   wait-for-job.sh <namespace> <job> <container>
set -eu
namespace=$1 job=$2 container=$3
tries=400
until conditions=$(kubectl -n "$namespace" get job "$job" -o jsonpath='{.status.conditions[?(@.status=="True")].type}') &&
  case "$conditions" in *Complete* | *Failed*) true ;; *) false ;; esac; do
  tries=$((tries - 1))
  [ "$tries" -gt 0 ] || break
  sleep 2
done
kubectl -n "$namespace" logs "job/$job" -c "$container" --tail=40 || true
case "$conditions" in
*Complete*) ;;
*)
  echo "The Job $job has not come to a good end: ${conditions:-it still runs}"
  exit 1
  ;;
esac
