/* Words on squares (docs/build/touch-board.md): where they run. Squares are numbered row by row; a table is whatever says at the
   number of a square what lies there. Pure functions. */

export function beside(square, size) {
  const x = square % size, near = [square - size, square + size].filter((one) => one >= 0 && one < size * size);
  if (x > 0) near.push(square - 1);
  if (x < size - 1) near.push(square + 1);
  return near;
}

/* The longest unbroken run of tiles through a square. */
export function run(table, square, way, size) {
  const step = way === "w" ? 1 : size;
  const at = (one) => (way === "w" ? one % size : Math.floor(one / size));
  let first = square, last = square;
  while (at(first) > 0 && table[first - step]) first -= step;
  while (at(last) < size - 1 && table[last + step]) last += step;
  const found = [];
  for (let one = first; one <= last; one += step) found.push(one);
  return found;
}

/* The way in which all laid tiles stand in one line, "" = there is none; of a lone one the wanted one if a word comes
   about there. */
export function direction(table, squares, wanted, size) {
  if (squares.length === 1) return run(table, squares[0], wanted, size).length > 1 ? wanted : across(wanted);
  if (new Set(squares.map((square) => Math.floor(square / size))).size === 1) return "w";
  return new Set(squares.map((square) => square % size)).size === 1 ? "s" : "";
}

export function across(way) {
  return way === "w" ? "s" : "w";
}

/* What a run shows. */
export function textOf(table, squares) {
  return squares.map((square) => table[square].slice(-1)).join("");
}
