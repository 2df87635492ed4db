{{/*
Deployment of a component, with its disruption budget and autoscaler.
  root, name, values   the component
  program              JavaScript file in the image
  environment          rendered variables
  mounts, volumes      rendered, may be missing
  http                 whether clients are served on port 8080
*/}}
{{- define "holdfast.deployment" -}}
{{- $values := .values -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ include "holdfast.componentName" . }}
  labels:
    {{- include "holdfast.labels" . | nindent 4 }}
spec:
  {{- if not $values.autoscaling.enabled }}
  replicas: {{ $values.replicas }}
  {{- else }}
  {{/* as many as there are: without a number an upgrade that switches the autoscaler on would leave one */}}
  {{- with lookup "apps/v1" "Deployment" .root.Release.Namespace (include "holdfast.componentName" .) }}
  replicas: {{ max (int .spec.replicas) (int $values.autoscaling.minReplicas) }}
  {{- end }}
  {{- end }}
  revisionHistoryLimit: 5
  {{- if .recreate }}
  strategy:
    type: Recreate
  {{- else }}
  strategy:
    type: RollingUpdate
    rollingUpdate:
      maxUnavailable: 0
      maxSurge: 1
  {{- end }}
  selector:
    matchLabels:
      {{- include "holdfast.selectorLabels" . | nindent 6 }}
  template:
    metadata:
      labels:
        {{- include "holdfast.labels" . | nindent 8 }}
        {{- with $values.podLabels }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      {{- with $values.podAnnotations }}
      annotations:
        {{- toYaml . | nindent 8 }}
      {{- end }}
    spec:
      {{- include "holdfast.podSettings" . | nindent 6 }}
      {{/* pause of the kubelet, pause and drain of the process, and some time to close what is open */}}
      terminationGracePeriodSeconds: {{ add $values.preStopSeconds $values.pauseSeconds $values.drainSeconds 15 }}
      {{- with $values.topologySpread }}
      {{- if .enabled }}
      topologySpreadConstraints:
        {{- range .topologyKeys }}
        - topologyKey: {{ . }}
          maxSkew: {{ $values.topologySpread.maxSkew }}
          whenUnsatisfiable: {{ $values.topologySpread.whenUnsatisfiable }}
          labelSelector:
            matchLabels:
              {{- include "holdfast.selectorLabels" $ | nindent 14 }}
          matchLabelKeys: [pod-template-hash]
        {{- end }}
      {{- end }}
      {{- end }}
      {{- if eq .root.Values.migrations.mode "initContainer" }}
      {{- with .migration }}
      initContainers:
        - name: migrate
          {{- include "holdfast.container" (mergeOverwrite (dict) . (dict "root" $.root "name" $.name)) | nindent 10 }}
      {{- end }}
      {{- end }}
      containers:
        - name: {{ .name }}
          {{- include "holdfast.container" . | nindent 10 }}
          ports:
            {{- if .http }}
            - name: http
              containerPort: 8080
              protocol: TCP
            {{- end }}
            - name: admin
              containerPort: 9090
              protocol: TCP
          {{- if gt (int $values.preStopSeconds) 0 }}
          lifecycle:
            preStop:
              {{/* no more traffic is sent here before the process begins to stop */}}
              sleep:
                seconds: {{ $values.preStopSeconds }}
          {{- end }}
          startupProbe:
            httpGet: { path: /livez, port: admin }
            periodSeconds: 2
            timeoutSeconds: 3
            failureThreshold: {{ $values.probes.startupFailures }}
          livenessProbe:
            httpGet: { path: /livez, port: admin }
            periodSeconds: {{ $values.probes.periodSeconds }}
            timeoutSeconds: {{ $values.probes.timeoutSeconds }}
            failureThreshold: 6
          readinessProbe:
            httpGet: { path: /readyz, port: admin }
            periodSeconds: {{ $values.probes.periodSeconds }}
            timeoutSeconds: {{ $values.probes.timeoutSeconds }}
            failureThreshold: {{ $values.probes.readinessFailures }}
      volumes:
        {{- include "holdfast.volumes" . | trim | nindent 8 }}
---
{{ include "holdfast.budget" . }}
---
{{ include "holdfast.autoscaler" . }}
{{- end -}}

{{- define "holdfast.budget" -}}
{{- if .values.podDisruptionBudget.enabled -}}
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: {{ include "holdfast.componentName" . }}
  labels:
    {{- include "holdfast.labels" . | nindent 4 }}
spec:
  maxUnavailable: {{ .values.podDisruptionBudget.maxUnavailable }}
  unhealthyPodEvictionPolicy: AlwaysAllow
  selector:
    matchLabels:
      {{- include "holdfast.selectorLabels" . | nindent 6 }}
{{- end -}}
{{- end -}}

{{- define "holdfast.autoscaler" -}}
{{- with .values.autoscaling -}}
{{- if .enabled -}}
{{- if gt (int .minReplicas) (int .maxReplicas) -}}
{{- fail (printf "%s: autoscaling.minReplicas is more than maxReplicas." $.name) -}}
{{- end -}}
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata:
  name: {{ include "holdfast.componentName" $ }}
  labels:
    {{- include "holdfast.labels" $ | nindent 4 }}
spec:
  scaleTargetRef:
    apiVersion: apps/v1
    kind: Deployment
    name: {{ include "holdfast.componentName" $ }}
  minReplicas: {{ .minReplicas }}
  maxReplicas: {{ .maxReplicas }}
  metrics:
    - type: Resource
      resource:
        name: cpu
        target:
          type: Utilization
          averageUtilization: {{ .cpuUtilization }}
  behavior:
    scaleDown:
      stabilizationWindowSeconds: 300
{{- end -}}
{{- end -}}
{{- end -}}
