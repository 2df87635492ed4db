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
{{- $text := include "holdfast.text" $value -}}
{{- if regexMatch "://[^/@\\s\"]*:[^/@\\s\"]*@" $text -}}
{{- fail (printf "%s: a password stands in clear in a URL. Values are no place for secrets." $name) -}}
{{- end }}
- name: {{ $name }}
  {{- /* the kubelet would read $(NAME) as a reference */}}
  value: {{ $text | replace "$" "$$" | quote }}
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


{{/* Further variables of a container; none that the chart knows, so that nothing it decides is undone by the way. */}}
{{- define "holdfast.extraEnvironment" -}}
{{- $config := merge (dict) .root.Values.config .root.Values.global.config -}}
{{- $own := list "AUTH_MODE" "DEV_TOKENS" "ALLOW_DEV_TOKENS_IN_PRODUCTION" -}}
{{- range .environment | fromYamlArray }}{{ $own = append $own .name }}{{ end -}}
{{- range .root.Values.extraEnv -}}
{{- if hasKey $config .name -}}
{{- fail (printf "extraEnv: set %s under config." .name) -}}
{{- else if has (trimSuffix "_FILE" .name) $own -}}
{{- fail (printf "extraEnv: %s follows from other values of the chart and cannot be set here." .name) -}}
{{- end -}}
{{- end -}}
{{- with .root.Values.extraEnv }}{{ toYaml . }}{{ end -}}
{{- end -}}

{{/* Bytes of a quantity such as 512Mi or 2Gi. */}}
{{- define "holdfast.bytes" -}}
{{- $units := dict "Ki" 1024 "Mi" 1048576 "Gi" 1073741824 "Ti" 1099511627776 "Pi" 1125899906842624 "k" 1000 "M" 1000000 "G" 1000000000 "T" 1000000000000 "" 1 -}}
{{- $text := include "holdfast.text" . -}}
{{- mulf (regexFind "^[0-9.]+" $text | float64) (index $units (regexReplaceAll "^[0-9.]+" $text "") | float64) | int64 -}}
{{- end -}}
