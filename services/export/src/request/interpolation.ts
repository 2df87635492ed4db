import { encodeName } from '@holdfast/clients';
import { AppError } from '@holdfast/http-kit';

/** A text with `{name}` in it, read (spec/export.md 4). */
export interface Template {
  readonly parts: readonly TemplatePart[];
}

/** A piece of a template. */
export type TemplatePart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'variable'; readonly name: string };

/** Where a value comes from: what rows say is trusted less than what the caller wrote. */
export type ValueSource = 'request' | 'data';

/** A value as text. */
export interface VariableValue {
  readonly text: string;
  readonly source: ValueSource;
}

/** What a name stands for; null when nothing of that name is known. */
export type Lookup = (name: string) => VariableValue | null;

/**
 * Reads a template. `{{` and `}}` are braces; names are any text without `{ } [ ] . ! :`, so that nothing but plain names can
 * be looked up.
 * @param pointer where the text stands, for the message
 * @throws {AppError} `bad_variable`
 */
export function parseTemplate(text: string, pointer: string): Template {
  const parts: TemplatePart[] = [];
  let literal = '';
  let at = 0;
  while (at < text.length) {
    const character = text.charAt(at);
    if (character !== '{' && character !== '}') {
      literal += character;
      at += 1;
    } else if (text.charAt(at + 1) === character) {
      literal += character;
      at += 2;
    } else if (character === '}') {
      throw badVariable(pointer, "has a single '}'; write '}}' for a brace.");
    } else {
      const end = text.indexOf('}', at);
      if (end < 0) throw badVariable(pointer, "has a single '{'; write '{{' for a brace.");
      if (literal !== '') parts.push({ kind: 'text', text: literal });
      literal = '';
      parts.push({ kind: 'variable', name: checkedName(text.slice(at + 1, end), pointer) });
      at = end + 1;
    }
  }
  if (literal !== '') parts.push({ kind: 'text', text: literal });
  return { parts };
}

/** The variables of a template, in order, repeated ones too. */
export function namesOf(template: Template): readonly string[] {
  return template.parts.flatMap((part) => (part.kind === 'variable' ? [part.name] : []));
}

/**
 * Puts values in, once: what a value says is never read as a template.
 * @param refuse says why a value must not stand here; null when it may
 * @throws {AppError} `bad_variable` for an unknown name or a refused value
 */
export function render(
  template: Template,
  lookup: Lookup,
  pointer: string,
  refuse: (value: VariableValue) => string | null = () => null,
): string {
  return template.parts
    .map((part) => {
      if (part.kind === 'text') return part.text;
      const value = resolveName(part.name, lookup);
      if (value === null) throw unknownVariable(part.name, pointer);
      const problem = refuse(value);
      if (problem !== null) throw badVariable(pointer, `cannot take the value of {${part.name}}: ${problem}`);
      return value.text;
    })
    .join('');
}

const ENCODED_SUFFIX = '_urlencoded';

/** The value of a name, with the companion `<name>_urlencoded` that every variable has. */
export function resolveName(name: string, lookup: Lookup): VariableValue | null {
  const direct = lookup(name);
  if (direct !== null || !name.endsWith(ENCODED_SUFFIX)) return direct;
  const plain = lookup(name.slice(0, -ENCODED_SUFFIX.length));
  return plain === null ? null : { text: encodeName(plain.text), source: plain.source };
}

/** The refusal of a name that stands for nothing. */
export function unknownVariable(name: string, pointer: string): AppError {
  return badVariable(pointer, `uses {${name}}, which is neither in env nor a column of an earlier env query.`);
}

/** A value as text: JSON notation, strings as they are, null as nothing. */
export function variableText(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === null || value === undefined ? '' : JSON.stringify(value);
}

function checkedName(name: string, pointer: string): string {
  if (name !== '' && !/[{}[\].!:]/.test(name)) return name;
  throw badVariable(
    pointer,
    `has ${JSON.stringify(`{${name}}`)}: between braces stands a plain name, without attributes, indexes or formats.`,
  );
}

function badVariable(pointer: string, problem: string): AppError {
  return new AppError('bad_variable', `${pointer} ${problem}`);
}
