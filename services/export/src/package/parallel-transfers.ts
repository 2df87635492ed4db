/** Something that takes its time. */
export interface Transfer {
  readonly run: () => Promise<void>;
  /** Lets go of what it reads. */
  readonly close: () => void;
  /** Called after it went well, in the order in which transfers were begun. */
  readonly done: () => void;
}

/** A few transfers at a time. */
export interface ParallelTransfers {
  /** Resolves when there is room for another one. @throws what one of those before failed with */
  begin(transfer: Transfer): Promise<void>;
  /** Resolves when all are over. @throws what the first of them failed with */
  settled(): Promise<void>;
  /** Breaks all off. */
  abort(): Promise<void>;
}

/** @param most at a time */
export function parallelTransfers(most: number): ParallelTransfers {
  const begun: { readonly transfer: Transfer; isDone: boolean }[] = [];
  const running = new Set<Promise<void>>();
  let failure: { readonly error: unknown } | null = null;
  const refuseAfterFailure = (): void => {
    if (failure !== null) throw failure.error;
  };
  const report = (): void => {
    while (begun[0]?.isDone === true) begun.shift()?.transfer.done();
  };
  return {
    begin: async (transfer) => {
      const entry = { transfer, isDone: false };
      begun.push(entry);
      const over = transfer
        .run()
        .then(
          () => {
            entry.isDone = true;
            report();
          },
          (error: unknown) => {
            failure ??= { error };
          },
        )
        .finally(() => {
          transfer.close();
          running.delete(over);
        });
      running.add(over);
      if (running.size >= most) await Promise.race(running);
      refuseAfterFailure();
    },
    settled: async () => {
      await Promise.all(running);
      refuseAfterFailure();
    },
    abort: async () => {
      for (const { transfer, isDone } of begun) if (!isDone) transfer.close();
      await Promise.all(running);
    },
  };
}
