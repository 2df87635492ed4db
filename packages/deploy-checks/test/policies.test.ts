import { describe, expect, it } from '@jest/globals';
import { hookFaults } from '../src/hooks.js';
import { policyFaults } from '../src/policies.js';
import { parseRendered } from '../src/rendered-object.js';

const careless = `
apiVersion: apps/v1
kind: Deployment
metadata: { name: careless }
spec:
  template:
    metadata: { labels: { app: careless } }
    spec:
      volumes: [{ name: node, hostPath: { path: / } }]
      containers:
        - name: main
          image: careless:latest
          args: ['--database=postgres://user:password@host/db']
          env:
            - { name: A, value: 'postgres://user:password@host/db' }
            - { name: A, value: again }
            - name: B
              valueFrom: { secretKeyRef: { name: nowhere, key: b } }
---
apiVersion: v1
kind: ConfigMap
metadata: { name: open }
data: { url: 'redis://:password@host' }
---
apiVersion: v1
kind: ConfigMap
metadata: { name: open }
`;

const early = `
apiVersion: batch/v1
kind: Job
metadata: { name: early, annotations: { helm.sh/hook: pre-install } }
spec:
  template:
    metadata: { labels: { app: early } }
    spec:
      serviceAccountName: early
      volumes: [{ name: a, configMap: { name: settings } }]
      containers:
        - name: main
          image: early:1
          env: [{ name: B, valueFrom: { secretKeyRef: { name: passwords, key: b } } }]
---
apiVersion: v1
kind: ServiceAccount
metadata: { name: early }
---
apiVersion: v1
kind: Secret
metadata: { name: passwords }
---
apiVersion: v1
kind: ConfigMap
metadata: { name: settings }
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: { name: early }
spec: { podSelector: { matchLabels: { app: early } }, policyTypes: [Ingress, Egress] }
`;

describe('the house rules', () => {
  it('find what a hook needs that is not there yet', () => {
    expect(hookFaults(parseRendered(early))).toEqual([
      'Job early: is a hook that stays after its release',
      'Job early: runs before there is ServiceAccount early',
      'Job early: runs before there is ConfigMap settings',
      'Job early: runs before there is Secret passwords',
      'Job early: runs before a NetworkPolicy of its own is there',
    ]);
  });

  it('find every fault of a careless deployment', () => {
    const faults = policyFaults(parseRendered(careless), {}).join('\n');
    for (const fault of [
      'mounts a service account token',
      'may run as root',
      'has no seccomp profile',
      'no NetworkPolicy covers both directions',
      'mounts a path of the node',
      'is killed while it drains',
      'has no PodDisruptionBudget',
      'does not spread its pods',
      'has no limits of memory',
      'has no requests of cpu',
      'may gain privileges',
      'may write to its root file system',
      'keeps capabilities',
      'has an image without a version',
      'has no livenessProbe',
      'has no readinessProbe',
      'has no startupProbe',
      'refers to key b of Secret nowhere, which nobody makes',
      'A has a secret in clear',
      'sets a variable twice: A',
      'has a secret among its arguments',
      'ConfigMap open: url has a secret in clear',
      'v1 ConfigMap open is there twice',
    ])
      expect(faults).toContain(fault);
  });
});
