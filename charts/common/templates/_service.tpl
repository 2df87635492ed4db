{{/* Service for clients, and the one that Prometheus finds the admin port by. */}}
{{- define "holdfast.service" -}}
apiVersion: v1
kind: Service
metadata:
  name: {{ include "holdfast.componentName" . }}
  labels:
    {{- include "holdfast.labels" . | nindent 4 }}
  {{- with .root.Values.service.annotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  type: {{ .root.Values.service.type }}
  selector:
    {{- include "holdfast.selectorLabels" . | nindent 4 }}
  ports:
    - name: http
      port: 8080
      targetPort: http
      protocol: TCP
      appProtocol: http
{{- end -}}

{{- define "holdfast.serviceAccount" -}}
{{- if .root.Values.serviceAccount.create -}}
apiVersion: v1
kind: ServiceAccount
metadata:
  name: {{ include "holdfast.serviceAccountName" . }}
  labels:
    {{- include "holdfast.labels" . | nindent 4 }}
  {{- with .root.Values.serviceAccount.annotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
automountServiceAccountToken: false
{{- end -}}
{{- end -}}

{{/* Admin port without an address of its own: one endpoint for each pod. */}}
{{- define "holdfast.monitoring" -}}
{{- $monitor := .root.Values.global.serviceMonitor -}}
{{- if $monitor.enabled -}}
apiVersion: v1
kind: Service
metadata:
  name: {{ include "holdfast.componentName" . }}-admin
  labels:
    {{- include "holdfast.labels" . | nindent 4 }}
    holdfast/port: admin
spec:
  clusterIP: None
  publishNotReadyAddresses: true
  selector:
    {{- include "holdfast.selectorLabels" . | nindent 4 }}
  ports:
    - name: admin
      port: 9090
      targetPort: admin
      protocol: TCP
---
apiVersion: monitoring.coreos.com/v1
kind: ServiceMonitor
metadata:
  name: {{ include "holdfast.componentName" . }}
  labels:
    {{- include "holdfast.labels" . | nindent 4 }}
    {{- with $monitor.labels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
spec:
  selector:
    matchLabels:
      {{- include "holdfast.selectorLabels" . | nindent 6 }}
      holdfast/port: admin
  jobLabel: app.kubernetes.io/name
  endpoints:
    - port: admin
      path: /metrics
      interval: {{ $monitor.interval }}
      scrapeTimeout: {{ $monitor.scrapeTimeout }}
{{- end -}}
{{- end -}}
