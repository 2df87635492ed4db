{{/*
Names and labels. Every helper takes a component:
  (dict "root" $ "name" "api" "values" .Values.api)
*/}}

{{/* Name of the chart's objects: <release>-<chart>. */}}
{{- define "holdfast.fullname" -}}
{{- if gt (len .Release.Name) 27 -}}
{{- fail (printf "The name of the release (%s) must have 27 characters at most: names of CronJobs are made of it." .Release.Name) -}}
{{- end -}}
{{- printf "%s-%s" .Release.Name .Chart.Name -}}
{{- end -}}

{{/* Name of a component's objects: that of the chart for the API, with the component's name after it for others. */}}
{{- define "holdfast.componentName" -}}
{{- $fullname := include "holdfast.fullname" .root -}}
{{- if eq .name "api" -}}{{ $fullname }}{{- else -}}{{ printf "%s-%s" $fullname .name }}{{- end -}}
{{- end -}}

{{/* What tells the pods of a component from all others; must never change. */}}
{{- define "holdfast.selectorLabels" -}}
app.kubernetes.io/name: {{ .root.Chart.Name }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .name }}
{{- end -}}

{{- define "holdfast.labels" -}}
{{ include "holdfast.selectorLabels" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/part-of: holdfast
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" }}
{{- end -}}

{{/* registry/repository-service:tag, or @digest when one is given for the service. */}}
{{- define "holdfast.image" -}}
{{- $image := .root.Values.global.image -}}
{{- $own := .root.Values.image -}}
{{- $name := printf "%s/%s-%s" $image.registry $image.repository .root.Chart.Name | trimPrefix "/" -}}
{{- if $own.repository }}{{ $name = $own.repository }}{{ end -}}
{{- if $own.digest -}}
{{ $name }}@{{ $own.digest }}
{{- else -}}
{{ $name }}:{{ $own.tag | default $image.tag | default .root.Chart.AppVersion }}
{{- end -}}
{{- end -}}

{{- define "holdfast.serviceAccountName" -}}
{{- $account := .root.Values.serviceAccount -}}
{{- if $account.name }}{{ $account.name }}{{ else if $account.create }}{{ include "holdfast.fullname" .root }}{{ else }}default{{ end -}}
{{- end -}}

{{/* The Secret with the keys of the services: one that exists, or the one the umbrella chart generates. */}}
{{- define "holdfast.keysSecret" -}}
{{- $keys := .Values.global.keys -}}
{{- if $keys.existingSecret -}}
{{ $keys.existingSecret }}
{{- else if and $keys.generate .Chart.IsRoot (ne .Chart.Name "holdfast") -}}
{{ fail "global.keys.existingSecret: only the umbrella chart makes keys; name the Secret that has them." }}
{{- else if $keys.generate -}}
{{ printf "%s-keys" .Release.Name }}
{{- else -}}
{{ fail "global.keys: name a Secret with existingSecret, or let one be made with generate: true." }}
{{- end -}}
{{- end -}}

{{/* Where another service of the same release is reached inside the cluster; "service" is the name of its chart. */}}
{{- define "holdfast.internalUrl" -}}
{{- $given := index .root.Values.global.internalUrls .service -}}
{{- if $given }}{{ $given | trimSuffix "/" }}{{ else }}{{ printf "http://%s-%s:8080" .root.Release.Name .service }}{{ end -}}
{{- end -}}

{{/* Host of the public URL, with the port unless it is the scheme's own: what requests of exports name. */}}
{{- define "holdfast.publicHost" -}}
{{- (urlParse .Values.global.publicUrl).host | trimSuffix (ternary ":443" ":80" (hasPrefix "https://" .Values.global.publicUrl)) -}}
{{- end -}}

{{/* URL prefixes of a service as JSON, the canonical one first; the same table as packages/http-kit/src/wire-profile.ts. */}}
{{- define "holdfast.prefixes" -}}
{{- $table := dict
  "standard" (dict "catalog" (list "/data") "objectstore" (list "/objects") "export" (list "/export") "authn" (list "/authn"))
  "deriva" (dict "catalog" (list "/ermrest" "/data") "objectstore" (list "/hatrac" "/objects") "export" (list "/deriva/export" "/export") "authn" (list "/authn" "/ermrest/authn" "/hatrac/authn" "/deriva/export/authn")) -}}
{{- $fields := dict "catalog" "catalogPrefixes" "objectstore" "objectStorePrefixes" "export" "exportPrefixes" "authn" "authnPrefixes" -}}
{{- $profile := .root.Values.global.config.WIRE_PROFILE | default "standard" -}}
{{- $overrides := .root.Values.global.config.WIRE_PROFILE_OVERRIDES | default dict -}}
{{- index $overrides (index $fields .service) | default (index $table $profile .service) | toJson -}}
{{- end -}}
