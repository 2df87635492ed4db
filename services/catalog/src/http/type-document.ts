import type { WireProfile } from '@holdfast/http-kit';
import { type ColumnType, type ScalarType, scalarOf, systemTypeNames, typeName } from '../model/column-types.js';

/** A column type on the wire: its name, or an object that tells arrays and domains (spec/catalog-model.md 8). */
export type TypeDocument =
  | string
  | {
      readonly typename: string;
      readonly is_array?: true;
      readonly is_domain?: true;
      readonly base_type?: TypeDocument;
    };

/** The type in the form of the profile. */
export function typeDocument(type: ColumnType, profile: WireProfile): TypeDocument {
  const scalar = scalarOf(type);
  const name = systemTypeNames.has(scalar.name) ? `${profile.systemTypePrefix}${scalar.name}` : scalar.name;
  if (profile.columnTypeForm === 'string') return type.kind === 'array' ? `${name}[]` : name;
  const base = scalarDocument(scalar, name);
  return type.kind === 'array' ? { typename: typeName(type), is_array: true, base_type: base } : base;
}

function scalarDocument(type: ScalarType, typename: string): TypeDocument {
  return type.form === 'domain' ? { typename, is_domain: true, base_type: { typename: type.storage } } : { typename };
}
