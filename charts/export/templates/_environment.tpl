{{/* What the migration needs, too. */}}
{{- define "export.database" -}}
{{ include "holdfast.plainVariables" . }}
{{ include "holdfast.secretVariable" (dict "name" "DATABASE_URL" "secret" .root.Values.database) }}
{{- end -}}

{{/* Of the API and the worker alike. */}}
{{- define "export.environment" -}}
{{- $values := .root.Values -}}
{{- $variables := dict
  "CATALOGS" ($values.config.CATALOGS | default (include "export.catalogs" .root | fromJsonArray))
  "OBJECT_STORES" ($values.config.OBJECT_STORES | default (include "export.objectStores" .root | fromJsonArray))
  "SWEEPERS" (ternary "none" "inside" (eq $values.sweepers.mode "cronJob")) -}}
{{- if $values.queue.caKey -}}
{{- $_ := set $variables "QUEUE_CA_FILE" "/etc/holdfast/queue-ca/ca.pem" -}}
{{- end -}}
{{ include "export.database" (mergeOverwrite (dict) . (dict "variables" $variables)) }}
{{ include "holdfast.secretVariable" (dict "name" "QUEUE_URL" "secret" $values.queue) }}
{{- if $values.queue.sentinelPasswordKey }}
{{ include "holdfast.secretVariable" (dict "name" "QUEUE_SENTINEL_PASSWORD" "secret" (dict "existingSecret" $values.queue.existingSecret "key" $values.queue.sentinelPasswordKey)) }}
{{- end }}
{{- $keys := dict "existingSecret" (include "holdfast.keysSecret" .root) }}
{{ include "holdfast.secretVariable" (dict "name" "CREDENTIAL_KEY" "secret" (merge (dict "key" $values.global.keys.credentialKeyKey) $keys)) }}
{{ include "holdfast.secretVariable" (dict "name" "SERVICE_KEY" "secret" (merge (dict "key" $values.global.keys.serviceKeyKey) $keys)) }}
{{- end -}}

{{/* What removing results needs: no queue, no catalogs, no credentials of users. */}}
{{- define "export.sweep" -}}
{{- $variables := dict "OBJECT_STORES" (.root.Values.config.OBJECT_STORES | default (include "export.objectStores" .root | fromJsonArray)) -}}
{{ include "export.database" (mergeOverwrite (dict) . (dict "variables" $variables)) }}
{{ include "holdfast.secretVariable" (dict "name" "SERVICE_KEY" "secret" (dict "existingSecret" (include "holdfast.keysSecret" .root) "key" .root.Values.global.keys.serviceKeyKey)) }}
{{- end -}}

{{/* The catalog of this release, under its public name. */}}
{{- define "export.catalogs" -}}
{{- list (dict "publicHost" (include "holdfast.publicHost" .) "baseUrl" (include "holdfast.internalUrl" (dict "root" . "service" "catalog"))) | toJson -}}
{{- end -}}

{{/* The object store of this release under each of its prefixes; the first keeps the results. */}}
{{- define "export.objectStores" -}}
{{- $stores := list -}}
{{- $root := . -}}
{{- range include "holdfast.prefixes" (dict "root" . "service" "objectstore") | fromJsonArray -}}
{{- $stores = append $stores (dict "publicHost" (include "holdfast.publicHost" $root) "prefix" . "baseUrl" (include "holdfast.internalUrl" (dict "root" $root "service" "objectstore"))) -}}
{{- end -}}
{{- $stores | toJson -}}
{{- end -}}

{{/* Where "services" of the root (catalog, objectstore) are called, as JSON: {egress, places}; those that are configured may be anywhere. */}}
{{- define "export.upstreamPaths" -}}
{{- $egress := list -}}
{{- $places := list -}}
{{- range $service := .services -}}
{{- $given := index $.root.Values.config (get (dict "catalog" "CATALOGS" "objectstore" "OBJECT_STORES") $service) | default list -}}
{{- $url := index $.root.Values.global.internalUrls $service -}}
{{- if $given -}}
{{- range $given }}{{ $places = append $places .baseUrl }}{{ end -}}
{{- else if $url -}}
{{- $places = append $places $url -}}
{{- else -}}
{{- $egress = append $egress $service -}}
{{- end -}}
{{- end -}}
{{- if $places }}{{ $egress = append $egress "services" }}{{ end -}}
{{- dict "egress" $egress "places" $places | toJson -}}
{{- end -}}

{{- define "export.mounts" -}}
{{- if .Values.queue.caKey }}
- name: queue-ca
  mountPath: /etc/holdfast/queue-ca
  readOnly: true
{{- end }}
{{- end -}}

{{- define "export.volumes" -}}
{{- if .Values.queue.caKey }}
- name: queue-ca
  secret:
    secretName: {{ .Values.queue.existingSecret }}
    items: [{ key: {{ .Values.queue.caKey | quote }}, path: ca.pem }]
{{- end }}
{{- end -}}
