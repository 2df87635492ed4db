{{/*
Environment of the containers. What is under "config" has the names of the variables themselves; numbers, booleans and lists are
written as the services read them. Secrets are only referred to.
*/}}

{{/* Text of one variable: lists and objects as JSON, whole numbers without an exponent. */}}
{{- define "holdfast.text" -}}
{{- if kindIs "string" . -}}{{ . }}
{{- else if and (kindIs "float64" .) (ne (floor .) .) -}}{{ . }}
{{- else if or (kindIs "float64" .) (kindIs "int64" .) (kindIs "int" .) -}}{{ int64 . }}
{{- else -}}{{ toJson . }}
{{- end -}}
{{- end -}}

{{/* A variable out of a Secret: (dict "name" "DATABASE_URL" "secret" .Values.database) */}}
{{- define "holdfast.secretVariable" -}}
- name: {{ .name }}
  valueFrom:
    secretKeyRef:
      name: {{ .secret.existingSecret | quote }}
      key: {{ .secret.key | quote }}
{{- end -}}

{{/* The variables all processes have; "config" of the chart goes before "config" of global. Ports are the chart's. */}}
{{- define "holdfast.plainVariables" -}}
{{- $given := dict -}}
{{- range $name, $value := .root.Values.global.config }}{{ if not (kindIs "invalid" $value) }}{{ $_ := set $given $name $value }}{{ end }}{{ end -}}
{{- range $name, $value := .root.Values.config }}{{ if not (kindIs "invalid" $value) }}{{ $_ := set $given $name $value }}{{ end }}{{ end -}}
{{- $production := eq .root.Values.global.environment "production" -}}
{{- $fixed := dict
  "NODE_ENV" (ternary "production" "development" $production)
  "HOST" "0.0.0.0" "PORT" "8080" "ADMIN_HOST" "0.0.0.0" "ADMIN_PORT" "9090"
  "PUBLIC_URL" (trimSuffix "/" .root.Values.global.publicUrl)
  "STOP_PAUSE_MS" (mul .values.pauseSeconds 1000 | toString)
  "STOP_DRAIN_MS" (mul .values.drainSeconds 1000 | toString)
  "TMPDIR" "/scratch" -}}
{{- range $name, $value := mergeOverwrite $given (.variables | default dict) $fixed }}
- name: {{ $name }}
  value: {{ include "holdfast.text" $value | quote }}
{{- end }}
{{- if .root.Values.global.caBundle.name }}
- name: NODE_EXTRA_CA_CERTS
  value: /etc/holdfast/ca/ca.pem
{{- end }}
{{- end -}}

{{/* The database of sessions, when there is one. */}}
{{- define "holdfast.identityDatabase" -}}
{{- with .Values.global.identityDatabase }}
{{- if .existingSecret }}
{{ include "holdfast.secretVariable" (dict "name" "IDENTITY_DATABASE_URL" "secret" .) }}
{{- end }}
{{- end }}
{{- end -}}

{{/* Where a service asks whether the export that a token was made for still runs, unless another place is configured. */}}
{{- define "holdfast.revocationUrl" -}}
{{- $given := .root.Values.config.REVOCATION_URL | default .root.Values.global.config.REVOCATION_URL -}}
{{- if and .root.Values.global.askExports (not $given) -}}
{{- $prefix := include "holdfast.prefixes" (dict "root" .root "service" "export") | fromJsonArray | first -}}
{{- printf "%s%s/job" (include "holdfast.internalUrl" (dict "root" .root "service" "export")) $prefix -}}
{{- end -}}
{{- end -}}

{{/* What every service needs to know its clients, besides the database. */}}
{{- define "holdfast.identityVariables" -}}
{{- $global := .Values.global -}}
- name: SERVICE_JWKS
  valueFrom:
    secretKeyRef:
      name: {{ include "holdfast.keysSecret" . }}
      key: {{ $global.keys.serviceJwksKey }}
{{- if $global.devTokens.existingSecret }}
{{- if and (eq $global.environment "production") (not $global.devTokens.allowInProduction) }}
{{- fail "global.devTokens: development tokens are refused in production. Leave existingSecret empty, or set environment: development on a cluster for trying out." }}
{{- end }}
- name: AUTH_MODE
  value: dev
{{- if $global.devTokens.allowInProduction }}
- name: ALLOW_DEV_TOKENS_IN_PRODUCTION
  value: 'true'
{{- end }}
{{ include "holdfast.secretVariable" (dict "name" "DEV_TOKENS" "secret" $global.devTokens) }}
{{- end }}
{{- end -}}
