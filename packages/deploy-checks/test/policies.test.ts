import { describe, expect, it } from '@jest/globals';
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

describe('the house rules', () => {
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
