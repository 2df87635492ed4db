import { AppError } from '@holdfast/http-kit';
import { errors } from 'jose';
import type { Attribute, Client, SessionKind } from './client-context.js';
import { invalidToken } from './refusals.js';

/** Tolerance for clocks that differ (spec/identity.md 8). */
export const LEEWAY_SECONDS = 60;

/** What a token says once it has been checked. */
export interface VerifiedToken {
  readonly kind: SessionKind;
  readonly client: Client;
  readonly attributes: readonly Attribute[];
  readonly since: Date;
  readonly expires: Date;
  readonly readOnly: boolean;
  readonly actor: string | null;
}

/**
 * Turns a complaint of jose into a refusal that says what is wrong without repeating the token.
 * @throws {AppError} `invalid_token`; errors that are not about the token pass unchanged
 */
export function refusedByJose(error: unknown): never {
  if (error instanceof AppError) throw error;
  if (error instanceof errors.JWTExpired) throw invalidToken('The token has expired; get a new one.', error);
  if (error instanceof errors.JWTClaimValidationFailed)
    throw invalidToken(`The claim ${JSON.stringify(error.claim)} of the token is missing or not acceptable.`, error);
  if (error instanceof errors.JWKSNoMatchingKey)
    throw invalidToken('The token is signed with a key its issuer does not have.', error);
  if (error instanceof errors.JOSEAlgNotAllowed)
    throw invalidToken('The token is signed with an algorithm that is not accepted.', error);
  if (error instanceof errors.JWSSignatureVerificationFailed)
    throw invalidToken('The signature of the token is wrong.', error);
  if (error instanceof errors.JOSEError) throw invalidToken('The token is malformed.', error);
  // jose throws TypeError for a key that does not fit the algorithm
  if (error instanceof TypeError) throw invalidToken('The token cannot be checked with the key it names.', error);
  throw error;
}
