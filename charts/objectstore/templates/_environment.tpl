{{- define "objectstore.database" -}}
{{- $values := .root.Values -}}
{{ include "holdfast.plainVariables" . }}
{{ include "holdfast.secretVariable" (dict "name" "DATABASE_URL" "secret" $values.database) }}
{{- end -}}

{{/* Database and bytes: what its programs need, too. */}}
{{- define "objectstore.storage" -}}
{{- $values := .root.Values -}}
{{- $variables := dict -}}
{{- if eq $values.config.STORAGE_ADAPTER "filesystem" -}}
{{- $_ := set $variables "STORAGE_ROOT" "/blobs" -}}
{{- end -}}
{{ include "objectstore.database" (mergeOverwrite (dict) . (dict "variables" (merge $variables (.variables | default dict)))) }}
{{- $credentials := $values.s3Credentials }}
{{- if and (eq $values.config.STORAGE_ADAPTER "s3") $credentials.existingSecret }}
{{ include "holdfast.secretVariable" (dict "name" "S3_ACCESS_KEY_ID" "secret" (dict "existingSecret" $credentials.existingSecret "key" $credentials.accessKeyIdKey)) }}
{{ include "holdfast.secretVariable" (dict "name" "S3_SECRET_ACCESS_KEY" "secret" (dict "existingSecret" $credentials.existingSecret "key" $credentials.secretAccessKeyKey)) }}
{{- if $credentials.sessionTokenKey }}
{{ include "holdfast.secretVariable" (dict "name" "S3_SESSION_TOKEN" "secret" (dict "existingSecret" $credentials.existingSecret "key" $credentials.sessionTokenKey)) }}
{{- end }}
{{- end }}
{{- if and (eq $values.config.STORAGE_ADAPTER "s3") $values.s3CaSecret.existingSecret }}
- name: S3_CA_FILE
  value: /etc/holdfast/s3-ca/ca.pem
{{- end }}
{{- end -}}

{{- define "objectstore.environment" -}}
{{- $variables := dict "ROOT_ACLS" .root.Values.rootAcls "SWEEPERS" (ternary "none" "inside" (eq .root.Values.sweepers.mode "cronJob")) -}}
{{- with include "holdfast.revocationUrl" . -}}
{{- $_ := set $variables "REVOCATION_URL" . -}}
{{- end -}}
{{ include "objectstore.storage" (mergeOverwrite (dict) . (dict "variables" $variables)) }}
{{- include "holdfast.identityDatabase" .root }}
{{ include "holdfast.identityVariables" .root }}
{{- end -}}

{{- define "objectstore.mounts" -}}
{{- if eq .Values.config.STORAGE_ADAPTER "filesystem" }}
- name: blobs
  mountPath: /blobs
{{- else if .Values.s3CaSecret.existingSecret }}
- name: s3-ca
  mountPath: /etc/holdfast/s3-ca
  readOnly: true
{{- end }}
{{- end -}}

{{- define "objectstore.volumes" -}}
{{- if eq .Values.config.STORAGE_ADAPTER "filesystem" }}
- name: blobs
  persistentVolumeClaim:
    claimName: {{ required "objectstore.blobsClaim: name the claim of the volume that keeps the bytes (STORAGE_ADAPTER: filesystem)." .Values.blobsClaim }}
{{- else if .Values.s3CaSecret.existingSecret }}
- name: s3-ca
  secret:
    secretName: {{ .Values.s3CaSecret.existingSecret }}
    items: [{ key: {{ .Values.s3CaSecret.key | quote }}, path: ca.pem }]
{{- end }}
{{- end -}}
