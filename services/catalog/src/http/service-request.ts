import type { Request, Response } from 'express';
import type { ServiceParts } from './service-parts.js';

/** A request to the service, below one of its URL prefixes. */
export interface ServiceRequest {
  readonly request: Request;
  readonly response: Response;
  readonly parts: ServiceParts;
  /** As the request has it: `/data`. */
  readonly prefix: string;
}

/** Answers a request to the service. */
export type ServiceHandler = (request: ServiceRequest) => Promise<void>;
