import { escapeHtml } from '@holdfast/http-kit';

/** How a list of paths is written. */
export interface ListingForm {
  readonly type: 'application/json' | 'text/uri-list' | 'text/html';
  readonly head: string;
  readonly separator: string;
  item(path: string): string;
  readonly tail: string;
}

/** The types a list is offered in, the default first (spec/objectstore.md 3.5). */
export const LISTING_TYPES = ['application/json', 'text/uri-list', 'text/html'] as const;

/**
 * @param type one of {@link LISTING_TYPES}
 * @param title heading of the page
 */
export function listingForm(type: ListingForm['type'], title: string): ListingForm {
  switch (type) {
    case 'application/json':
      return { type, head: '[', separator: ',', item: (path) => JSON.stringify(path), tail: ']\n' };
    case 'text/uri-list':
      return { type, head: '', separator: '', item: (path) => `${path}\n`, tail: '' };
    case 'text/html': {
      const heading = escapeHtml(title);
      return {
        type,
        head: `<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>${heading}</title></head>\n<body><h1>${heading}</h1><ul>\n`,
        separator: '',
        item: (path) => `<li><a href="${escapeHtml(path)}">${escapeHtml(path)}</a></li>\n`,
        tail: '</ul></body></html>\n',
      };
    }
  }
}

/** The text of a list, page by page. */
export async function* listingText(form: ListingForm, pages: AsyncIterable<readonly string[]>): AsyncGenerator<string> {
  yield form.head;
  let before = '';
  for await (const page of pages) {
    yield page.map((path, index) => (index === 0 ? before : form.separator) + form.item(path)).join('');
    before = form.separator;
  }
  yield form.tail;
}
