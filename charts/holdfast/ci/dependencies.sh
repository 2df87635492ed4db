#!/bin/sh
# Puts the charts that others depend on in place, in the order in which they depend on each other.
set -eu
cd "$(dirname "$0")/../.."
for chart in common catalog objectstore export holdfast; do
  helm dependency update "$chart" --skip-refresh
done
