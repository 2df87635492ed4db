import { describe, expect, it } from '@jest/globals';
import { parseErrorBody } from './http-error.js';

describe('an error body', () => {
  it('is read from the JSON document', () => {
    const body =
      '{"status":409,"title":"Conflict.","detail":"The name is taken.","code":"name_in_use","request_id":"r"}';
    expect(parseErrorBody(409, body)).toEqual({
      status: 409,
      code: 'name_in_use',
      title: 'Conflict.',
      detail: 'The name is taken.',
    });
  });

  it('is read from the text form, with details of several lines', () => {
    expect(
      parseErrorBody(409, 'Request conflicts with state of server. Detail: duplicate key\nDETAIL:  Key (a)\n'),
    ).toEqual({
      status: 409,
      code: null,
      title: 'Request conflicts with state of server.',
      detail: 'duplicate key\nDETAIL:  Key (a)',
    });
  });

  it.each(['', 'Bad Gateway', '<html>oops</html>', '[1]', '{"detail":5}'])(
    'of another form is its own detail: %j',
    (body) => {
      expect(parseErrorBody(502, body)).toEqual({ status: 502, code: null, title: null, detail: body });
    },
  );
});
