{{/*
Migration Job, run by Helm before the pods are changed. Old pods go on beside it: migrations only add (expand), what nobody uses any
more is removed by a later release (contract). It and its NetworkPolicy come before everything else of the chart, and go when all went well:
Helm knows nothing of hooks when it uninstalls. One that failed stays a day for its log.
  root, values, program, environment    of a component with the name "migrate"
*/}}
{{- define "holdfast.migrationJob" -}}
{{- if eq .root.Values.migrations.mode "hook" -}}
{{- $hook := dict "helm.sh/hook" "pre-install,pre-upgrade" "helm.sh/hook-delete-policy" "before-hook-creation,hook-succeeded" -}}
{{ include "holdfast.networkPolicy" (mergeOverwrite (dict) . (dict "annotations" (merge (dict "helm.sh/hook-weight" "-10") $hook))) }}
---
apiVersion: batch/v1
kind: Job
metadata:
  name: {{ include "holdfast.componentName" . }}
  labels:
    {{- include "holdfast.labels" . | nindent 4 }}
  annotations:
    {{- toYaml (merge (dict "helm.sh/hook-weight" "-5") $hook) | nindent 4 }}
spec:
  backoffLimit: {{ .root.Values.migrations.backoffLimit }}
  activeDeadlineSeconds: {{ .root.Values.migrations.deadlineSeconds }}
  ttlSecondsAfterFinished: 86400
  template:
    {{- include "holdfast.jobPod" (mergeOverwrite (dict) . (dict "early" true)) | nindent 4 }}
{{- end -}}
{{- end -}}

{{/* CronJob that runs a program of the image: "schedule" and "suspend" stand in values. */}}
{{- define "holdfast.cronJob" -}}
{{- if .values.enabled -}}
apiVersion: batch/v1
kind: CronJob
metadata:
  name: {{ include "holdfast.componentName" . }}
  labels:
    {{- include "holdfast.labels" . | nindent 4 }}
spec:
  schedule: {{ .values.schedule | quote }}
  timeZone: {{ .values.timeZone | quote }}
  concurrencyPolicy: Forbid
  startingDeadlineSeconds: 3600
  successfulJobsHistoryLimit: 3
  failedJobsHistoryLimit: 3
  jobTemplate:
    spec:
      backoffLimit: 0
      activeDeadlineSeconds: {{ .values.deadlineSeconds }}
      template:
        {{- include "holdfast.jobPod" . | nindent 8 }}
---
{{ include "holdfast.networkPolicy" . }}
{{- end -}}
{{- end -}}

{{- define "holdfast.jobPod" -}}
metadata:
  labels:
    {{- include "holdfast.labels" . | nindent 4 }}
spec:
  {{- include "holdfast.podSettings" . | nindent 2 }}
  restartPolicy: Never
  containers:
    - name: {{ .name }}
      {{- include "holdfast.container" . | nindent 6 }}
  volumes:
    {{- include "holdfast.volumes" . | trim | nindent 4 }}
{{- end -}}
