{{/* What its programs need, too. */}}
{{- define "catalog.databases" -}}
{{- $values := .root.Values -}}
{{ include "holdfast.plainVariables" . }}
{{ include "holdfast.secretVariable" (dict "name" "REGISTRY_DATABASE_URL" "secret" $values.registryDatabase) }}
{{- $servers := list -}}
{{- range $index, $server := $values.servers }}
{{- $variable := printf "CATALOG_SERVER_%d_URL" $index }}
{{ include "holdfast.secretVariable" (dict "name" $variable "secret" $server) }}
{{- $servers = append $servers (printf "{\"name\":%s,\"url\":\"$(%s)\"}" (toJson $server.name) $variable) }}
{{- end }}
{{/* put together by the kubelet: the URLs stand in no object but their Secrets */}}
- name: CATALOG_SERVERS
  value: {{ printf "[%s]" (join "," $servers) | quote }}
{{- end -}}

{{- define "catalog.environment" -}}
{{- $variables := dict "SWEEPERS" (ternary "none" "inside" (eq .root.Values.sweepers.mode "cronJob")) -}}
{{- with include "holdfast.revocationUrl" . -}}
{{- $_ := set $variables "REVOCATION_URL" . -}}
{{- end -}}
{{ include "catalog.databases" (mergeOverwrite (dict) . (dict "variables" $variables)) }}
{{- include "holdfast.identityDatabase" .root }}
{{ include "holdfast.identityVariables" .root }}
{{- end -}}
