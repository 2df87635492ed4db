/**
 * The records of a zip file (PKWARE APPNOTE 6.3.10, sections 4.3 and 4.5.3), little-endian throughout. A value that does
 * not fit its field is all ones there and stands in the zip64 extra field.
 */
const MAX_32 = 0xffff_ffff;
const MAX_16 = 0xffff;
const ZIP64_EXTRA = 0x0001;
/** bit 3: sizes and checksum follow the content; bit 11: the name is UTF-8 */
const FLAGS = 0x0808;
const VERSION_PLAIN = 20;
const VERSION_ZIP64 = 45;
const UNIX = 3;

export interface ZipEntry {
  /** UTF-8; a directory ends with `/` */
  readonly name: Buffer;
  readonly method: 'store' | 'deflate';
  /** whether the local header announced eight-byte sizes: needed when the length is not known to be small */
  readonly zip64: boolean;
  readonly directory: boolean;
  readonly time: Date;
  readonly offset: number;
}

export interface ZipSizes {
  readonly crc: number;
  readonly compressed: number;
  readonly size: number;
}

export function localHeader(entry: ZipEntry): Buffer {
  const header = Buffer.alloc(30);
  header.writeUInt32LE(0x04034b50, 0);
  writeCommon(header, 4, entry, entry.zip64);
  const extra = entry.zip64 ? zip64Extra([0, 0]) : Buffer.alloc(0);
  header.writeUInt32LE(entry.zip64 ? MAX_32 : 0, 18);
  header.writeUInt32LE(entry.zip64 ? MAX_32 : 0, 22);
  header.writeUInt16LE(entry.name.length, 26);
  header.writeUInt16LE(extra.length, 28);
  return Buffer.concat([header, entry.name, extra]);
}

export function dataDescriptor(entry: ZipEntry, sizes: ZipSizes): Buffer {
  const width = entry.zip64 ? 8 : 4;
  const record = Buffer.alloc(8 + 2 * width);
  record.writeUInt32LE(0x08074b50, 0);
  record.writeUInt32LE(sizes.crc, 4);
  if (entry.zip64) {
    record.writeBigUInt64LE(BigInt(sizes.compressed), 8);
    record.writeBigUInt64LE(BigInt(sizes.size), 16);
  } else {
    record.writeUInt32LE(sizes.compressed, 8);
    record.writeUInt32LE(sizes.size, 12);
  }
  return record;
}

export function centralHeader(entry: ZipEntry, sizes: ZipSizes): Buffer {
  const large = [sizes.size, sizes.compressed, entry.offset].filter((value) => value >= MAX_32);
  const extra = large.length === 0 ? Buffer.alloc(0) : zip64Extra(large);
  const header = Buffer.alloc(46);
  header.writeUInt32LE(0x02014b50, 0);
  header.writeUInt8(VERSION_ZIP64, 4);
  header.writeUInt8(UNIX, 5);
  writeCommon(header, 6, entry, entry.zip64 || large.length > 0);
  header.writeUInt32LE(sizes.crc, 16);
  header.writeUInt32LE(Math.min(sizes.compressed, MAX_32), 20);
  header.writeUInt32LE(Math.min(sizes.size, MAX_32), 24);
  header.writeUInt16LE(entry.name.length, 28);
  header.writeUInt16LE(extra.length, 30);
  // upper half: the Unix mode; lower: the directory flag of DOS
  header.writeUInt32LE(((entry.directory ? 0o040755 : 0o100644) << 16) >>> 0, 38);
  if (entry.directory) header.writeUInt8(0x10, 38);
  header.writeUInt32LE(Math.min(entry.offset, MAX_32), 42);
  return Buffer.concat([header, entry.name, extra]);
}

/** The records after the central directory, which starts at `offset` and has `size` bytes. */
export function endRecords(count: number, offset: number, size: number): Buffer {
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(Math.min(count, MAX_16), 8);
  end.writeUInt16LE(Math.min(count, MAX_16), 10);
  end.writeUInt32LE(Math.min(size, MAX_32), 12);
  end.writeUInt32LE(Math.min(offset, MAX_32), 16);
  if (count < MAX_16 && offset < MAX_32 && size < MAX_32) return end;
  const end64 = Buffer.alloc(56);
  end64.writeUInt32LE(0x06064b50, 0);
  end64.writeBigUInt64LE(44n, 4);
  end64.writeUInt8(VERSION_ZIP64, 12);
  end64.writeUInt8(UNIX, 13);
  end64.writeUInt16LE(VERSION_ZIP64, 14);
  end64.writeBigUInt64LE(BigInt(count), 24);
  end64.writeBigUInt64LE(BigInt(count), 32);
  end64.writeBigUInt64LE(BigInt(size), 40);
  end64.writeBigUInt64LE(BigInt(offset), 48);
  const locator = Buffer.alloc(20);
  locator.writeUInt32LE(0x07064b50, 0);
  locator.writeBigUInt64LE(BigInt(offset + size), 8);
  locator.writeUInt32LE(1, 16);
  return Buffer.concat([end64, locator, end]);
}

/** Version needed, flags, method, time, date: the same ten bytes in both headers. */
function writeCommon(header: Buffer, at: number, entry: ZipEntry, zip64: boolean): void {
  header.writeUInt16LE(zip64 ? VERSION_ZIP64 : VERSION_PLAIN, at);
  header.writeUInt16LE(FLAGS, at + 2);
  header.writeUInt16LE(entry.method === 'deflate' ? 8 : 0, at + 4);
  const { time, date } = dosTime(entry.time);
  header.writeUInt16LE(time, at + 6);
  header.writeUInt16LE(date, at + 8);
}

function zip64Extra(values: readonly number[]): Buffer {
  const extra = Buffer.alloc(4 + 8 * values.length);
  extra.writeUInt16LE(ZIP64_EXTRA, 0);
  extra.writeUInt16LE(8 * values.length, 2);
  for (const [index, value] of values.entries()) extra.writeBigUInt64LE(BigInt(value), 4 + 8 * index);
  return extra;
}

/** DOS time has no zone and runs from 1980 to 2107; we write UTC, the same bytes on every machine. */
function dosTime(moment: Date): { readonly time: number; readonly date: number } {
  const year = Math.min(Math.max(moment.getUTCFullYear(), 1980), 2107);
  const date = ((year - 1980) << 9) | ((moment.getUTCMonth() + 1) << 5) | moment.getUTCDate();
  const time = (moment.getUTCHours() << 11) | (moment.getUTCMinutes() << 5) | (moment.getUTCSeconds() >> 1);
  return { time, date };
}
