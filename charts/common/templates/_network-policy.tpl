{{/*
NetworkPolicy of a component: what is not drawn on the architecture page is refused.
  ingress   list of names of components that may call port 8080, as "<chart>/<component>"; "clients" stands for the front door
  egress    names of what the component calls: "catalog", "objectstore", "export" of this release, or words of networkPolicy.egress
  places    URLs, or host:port, that are known to be called, by the words of networkPolicy.egress: their ports are opened besides
*/}}
{{- define "holdfast.networkPolicy" -}}
{{- $policy := .root.Values.global.networkPolicy -}}
{{- if $policy.enabled -}}
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
  name: {{ include "holdfast.componentName" . }}
  labels:
    {{- include "holdfast.labels" . | nindent 4 }}
  {{- with .annotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  podSelector:
    matchLabels:
      {{- include "holdfast.selectorLabels" . | nindent 6 }}
  policyTypes: [Ingress, Egress]
  ingress:
    {{- if .ingress }}
    - from:
        {{- range .ingress }}
        {{- if eq . "clients" }}
        {{- toYaml $policy.clients | nindent 8 }}
        {{- else }}
        {{- $caller := splitList "/" . }}
        - podSelector:
            matchLabels:
              app.kubernetes.io/name: {{ index $caller 0 }}
              app.kubernetes.io/instance: {{ $.root.Release.Name }}
              app.kubernetes.io/component: {{ index $caller 1 }}
        {{- end }}
        {{- end }}
      ports:
        - { protocol: TCP, port: 8080 }
    {{- end }}
    {{- if and .monitored $policy.monitoring }}
    - from:
        {{- toYaml $policy.monitoring | nindent 8 }}
      ports:
        - { protocol: TCP, port: 9090 }
    {{- end }}
    {{- if not (or .ingress (and .monitored $policy.monitoring)) }} []{{ end }}
  egress:
    - to:
        {{- toYaml $policy.dns | nindent 8 }}
      ports:
        - { protocol: UDP, port: 53 }
        - { protocol: TCP, port: 53 }
    {{- range .egress }}
    {{- if has . (list "catalog" "objectstore" "export") }}
    - to:
        - podSelector:
            matchLabels:
              app.kubernetes.io/name: {{ . }}
              app.kubernetes.io/instance: {{ $.root.Release.Name }}
              app.kubernetes.io/component: api
      ports:
        - { protocol: TCP, port: 8080 }
    {{- else }}
    {{- $places := index ($.places | default dict) . | default list }}
    {{- with index $policy.egress . }}
    {{- /* no "to": every address, but these ports alone */}}
    - ports:
        {{- range include "holdfast.ports" (dict "ports" .ports "places" $places) | fromJsonArray }}
        - { protocol: TCP, port: {{ . }} }
        {{- end }}
      {{- with .to }}
      to:
        {{- toYaml . | nindent 8 }}
      {{- end }}
    {{- end }}
    {{- end }}
    {{- end }}
    {{- with $policy.extraEgress }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
{{- end -}}
{{- end -}}


{{/* Ports of a rule as JSON: those that are configured, and those of places that are known. */}}
{{- define "holdfast.ports" -}}
{{- $ports := list -}}
{{- range .ports }}{{ $ports = append $ports (int .) }}{{ end -}}
{{- range .places -}}
{{- $isUrl := contains "://" . -}}
{{- $named := regexFind ":[0-9]+$" (ternary (urlParse .).host . $isUrl) | trimPrefix ":" -}}
{{- if $named -}}
{{- $ports = append $ports (int $named) -}}
{{- else if $isUrl -}}
{{- $ports = append $ports (ternary 80 443 (hasPrefix "http://" .)) -}}
{{- end -}}
{{- end -}}
{{- uniq $ports | toJson -}}
{{- end -}}

{{/* What a service calls to know its clients, as JSON: {egress, places} as above. */}}
{{- define "holdfast.identityPaths" -}}
{{- $global := .Values.global -}}
{{- $egress := list -}}
{{- $issuers := list -}}
{{- range $global.config.OIDC -}}
{{- $issuers = append $issuers .issuer -}}
{{- with .jwksUri }}{{ $issuers = append $issuers . }}{{ end -}}
{{- end -}}
{{- if $issuers }}{{ $egress = append $egress "identityProviders" }}{{ end -}}
{{- $asked := .Values.config.REVOCATION_URL | default $global.config.REVOCATION_URL | default (ternary $global.internalUrls.export "" $global.askExports) -}}
{{- if $asked -}}
{{- $egress = append $egress "services" -}}
{{- else if and $global.askExports (ne .Chart.Name "export") -}}
{{- $egress = append $egress "export" -}}
{{- end -}}
{{- dict "egress" $egress "places" (dict "identityProviders" $issuers "services" (ternary (list $asked) list (ne $asked ""))) | toJson -}}
{{- end -}}
