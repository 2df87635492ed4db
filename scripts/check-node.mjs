const needed = [20, 19];

/** Ends the process with one sentence when this Node is too old; everything later would fail with a riddle. */
export function checkNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > needed[0] || (major === needed[0] && minor >= needed[1])) return;
  process.stderr.write(
    `Holdfast needs Node.js ${needed.join('.')} or later; this is ${process.versions.node}. See https://nodejs.org/.\n`,
  );
  process.exit(1);
}
