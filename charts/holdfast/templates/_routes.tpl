{{/*
Which service answers below which path, as JSON: [{path, service, plain}]. The sub-resources of the object store's root (/objects;acl) need
paths of their own: for routers a path ends at a slash alone. "plain" false: controllers that check paths take them only as
ImplementationSpecific.
*/}}
{{- define "holdfast.routes" -}}
{{- $root := . -}}
{{- $routes := list -}}
{{- range $service := list "catalog" "objectstore" "export" -}}
{{- if (index $root.Values $service).enabled -}}
{{- range $prefix := include "holdfast.prefixes" (dict "root" $root "service" $service) | fromJsonArray -}}
{{- $routes = append $routes (dict "path" $prefix "service" $service "plain" true) -}}
{{- if eq $service "objectstore" -}}
{{- range list "acl" "bulk" "metadata" "versions" "upload" -}}
{{- $routes = append $routes (dict "path" (printf "%s;%s" $prefix .) "service" $service "plain" false) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- if .Values.catalog.enabled -}}
{{- range include "holdfast.prefixes" (dict "root" . "service" "authn") | fromJsonArray -}}
{{- $routes = append $routes (dict "path" . "service" "catalog" "plain" true) -}}
{{- end -}}
{{- end -}}
{{- $routes | toJson -}}
{{- end -}}

{{- define "holdfast.hostName" -}}
{{- regexReplaceAll ":[0-9]+$" (urlParse .Values.global.publicUrl).host "" -}}
{{- end -}}
