{{/* Security contexts: what the strictest Pod Security Standard ("restricted") asks for, and a read-only root besides. */}}
{{- define "holdfast.podSecurityContext" -}}
runAsNonRoot: true
{{- with .root.Values.global.podSecurity }}
{{- if eq .ids "fixed" }}
runAsUser: {{ int64 .runAsUser }}
runAsGroup: {{ int64 .runAsGroup }}
fsGroup: {{ int64 .fsGroup }}
fsGroupChangePolicy: OnRootMismatch
{{- end }}
{{- end }}
seccompProfile:
  type: RuntimeDefault
{{- end -}}

{{- define "holdfast.containerSecurityContext" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
runAsNonRoot: true
capabilities:
  drop: [ALL]
seccompProfile:
  type: RuntimeDefault
{{- end -}}

{{/*
A container of the service's image.
  name, root, values    as everywhere
  program               JavaScript file in the image
  environment           rendered list of variables
  mounts                rendered list of further mounts
*/}}
{{- define "holdfast.container" -}}
image: {{ include "holdfast.image" . }}
imagePullPolicy: {{ .root.Values.global.image.pullPolicy }}
{{/* no command: the image's entry point is Node, wherever the base image keeps it */}}
args:
  {{- range .values.nodeOptions }}
  - {{ . | quote }}
  {{- end }}
  - {{ .program }}
  {{- range .arguments }}
  - {{ . | quote }}
  {{- end }}
env:
  {{- .environment | trim | nindent 2 }}
  {{- with include "holdfast.extraEnvironment" . }}
  {{- . | nindent 2 }}
  {{- end }}
resources:
  {{- toYaml .values.resources | nindent 2 }}
securityContext:
  {{- include "holdfast.containerSecurityContext" . | nindent 2 }}
volumeMounts:
  - name: scratch
    mountPath: /scratch
  {{- if .root.Values.global.caBundle.name }}
  - name: ca
    mountPath: /etc/holdfast/ca
    readOnly: true
  {{- end }}
  {{- with .mounts }}
  {{- . | trim | nindent 2 }}
  {{- end }}
  {{- with .root.Values.extraVolumeMounts }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end -}}

{{- define "holdfast.volumes" -}}
- name: scratch
  {{- if and .values.scratch .values.scratch.storageClassName }}
  ephemeral:
    volumeClaimTemplate:
      spec:
        accessModes: [ReadWriteOnce]
        storageClassName: {{ .values.scratch.storageClassName }}
        resources:
          requests:
            storage: {{ .values.scratch.size }}
  {{- else }}
  {{- $limit := index .values.resources.limits "ephemeral-storage" }}
  {{- if and $limit (gt (include "holdfast.bytes" .values.scratch.size | int64) (include "holdfast.bytes" $limit | int64)) }}
  {{- fail (printf "%s: scratch.size (%s) is more than the limit of ephemeral-storage (%s): the pod would be evicted before it is full." .name .values.scratch.size $limit) }}
  {{- end }}
  emptyDir:
    sizeLimit: {{ .values.scratch.size }}
  {{- end }}
{{- with .root.Values.global.caBundle }}
{{- if .name }}
- name: ca
  {{- if eq .kind "ConfigMap" }}
  configMap:
    name: {{ .name }}
    items: [{ key: {{ .key | quote }}, path: ca.pem }]
  {{- else }}
  secret:
    secretName: {{ .name }}
    items: [{ key: {{ .key | quote }}, path: ca.pem }]
  {{- end }}
{{- end }}
{{- end }}
{{- with .volumes }}
{{ . | trim }}
{{- end }}
{{- with .root.Values.extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* What the pods of all components have in common. "early" true: the pod runs before an account of the chart's own is there. */}}
{{- define "holdfast.podSettings" -}}
automountServiceAccountToken: false
enableServiceLinks: false
{{- if not (and .early .root.Values.serviceAccount.create) }}
serviceAccountName: {{ include "holdfast.serviceAccountName" . }}
{{- end }}
{{- with .root.Values.global.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
securityContext:
  {{- include "holdfast.podSecurityContext" . | nindent 2 }}
{{- with .values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with .values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .values.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}
