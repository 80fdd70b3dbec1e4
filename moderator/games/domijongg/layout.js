/* Where the tiles of Domi Jongg lie (docs/build/touch-board.md): layout.py once more, whose picture the mails show. Cells are bits of
   one whole number, row by row, with a wall of one cell on either side and above. Tips are the ends of heads: {at, label,
   special}, by number of the cell. */

export const COLUMNS = 9;
const STRIDE = COLUMNS + 2;
const NEAR = 5, WANTED = 12;
const ROW = 1.5, LABEL_ROW = 0.4, CONTACT = 0.3, BEND = 0.8, ELSEWHERE = 0.2;
const DEAD = 100, NARROW = 3, NO_FORK = 15;

export function numberOf([x, y]) {
  return (y + 1) * STRIDE + x + 1;
}

export function cellOf(cell) {
  return [(cell % STRIDE) - 1, Math.floor(cell / STRIDE) - 1];
}

/* The plan of what lies: tips = [[cell, label, special], …]. */
export function planned(cells, tips) {
  return {
    taken: cells.reduce((all, cell) => all | bit(numberOf(cell)), 0n),
    tips: tips.map(([at, label, special]) => ({ at: numberOf(at), label: numberOf(label), special })),
  };
}

/* One tile at a head (from 0). */
export function grown(plan, head, special) {
  const taken = plan.taken | labels(plan.tips, head), origin = plan.tips[head];
  const plans = freeBeside(origin.at, taken).flatMap((at) => (
    freeBeside(at, taken | bit(at)).map((label) => withTip(plan, head, { at, label, special }))
  ));
  return best(plans, origin, [head]) ?? below(plan, origin, head, special);
}

/* Two tiles at a head: the first keeps its number, the second opens the next. */
export function forked(plan, head) {
  const origin = plan.tips[head], next = plan.tips.length, plans = [...forks(plan, head)];
  return best(plans, origin, [head, next]) ?? below(grown(plan, head, false), origin, next, false);
}

function* forks(plan, head) {
  const taken = plan.taken | labels(plan.tips, head), free = freeBeside(plan.tips[head].at, taken);
  const pairs = free.flatMap((first) => free.filter((second) => second !== first).map((second) => [first, second]));
  for (const [first, second] of pairs) {
    const both = taken | bit(first) | bit(second), others = freeBeside(second, both);
    for (const one of freeBeside(first, both)) {
      for (const other of others.filter((label) => label !== one)) {
        const kept = withTip(plan, head, { at: first, label: one, special: false });
        yield withTip(kept, plan.tips.length, { at: second, label: other, special: false });
      }
    }
  }
}

/* A tile that belongs at a tip in the free rows below everything, in a column as near as may be. */
function below(plan, origin, head, special) {
  const row = (bottom(plan) + 2) * STRIDE, far = (at) => Math.abs((at % STRIDE) - (origin.at % STRIDE));
  const places = [...Array(COLUMNS).keys()].map((x) => row + 1 + x).sort((one, other) => far(one) - far(other));
  const plans = places.flatMap((at) => (
    freeBeside(at, plan.taken | bit(at)).map((label) => withTip(plan, head, { at, label, special }))
  ));
  return best(plans, origin, [head]);
}

function withTip(plan, head, tip) {
  return { taken: plan.taken | bit(tip.at), tips: [...plan.tips.slice(0, head), tip, ...plan.tips.slice(head + 1)] };
}

function labels(tips, without = -1) {
  return tips.reduce((cells, { label }, head) => (head === without ? cells : cells | bit(label)), 0n);
}

function freeBeside(cell, taken) {
  const near = [cell + 1, cell - 1, cell + STRIDE, cell - STRIDE];
  return near.filter((at) => at > STRIDE && at % STRIDE > 0 && at % STRIDE < STRIDE - 1 && !(taken & bit(at)));
}

function bottom({ taken, tips }) {
  return Math.floor(Math.max(taken.toString(2).length - 1, ...tips.map(({ label }) => label)) / STRIDE);
}

/* ---- which of several plans is best ---- */

function bit(cell) {
  return 1n << BigInt(cell);
}

function canvas(rows) {
  const row = bit(COLUMNS) - 1n;
  return [...Array(Math.max(rows, 0)).keys()].reduce((all, y) => all | (row << BigInt((y + 1) * STRIDE + 1)), 0n);
}

function spread(cells) {
  const down = BigInt(STRIDE);
  return cells | (cells << 1n) | (cells >> 1n) | (cells << down) | (cells >> down);
}

/* All free cells that can be reached. */
function flood(cells, free) {
  for (let all = cells; ;) {
    const wider = all | (spread(all) & free);
    if (wider === all) return all;
    all = wider;
  }
}

/* The plan with the least to be said against it, the first of equal ones. */
function best(plans, origin, heads) {
  let least = Infinity, found;
  for (const plan of plans) {
    const speaks = cost(plan, origin, heads);
    if (speaks < least) [least, found] = [speaks, plan];
  }
  return found;
}

function cost(plan, origin, heads) {
  const rows = bottom(plan) + 2, numbers = labels(plan.tips), whole = canvas(rows);
  const free = whole & ~plan.taken & ~numbers, out = flood(whole & ~canvas(rows - 2), free);
  let sum = plan.tips.reduce((all, tip) => all + trouble(tip, plan.taken | numbers, free, out), 0);
  for (const { at, label } of heads.map((head) => plan.tips[head])) {
    sum += ROW * Math.floor(at / STRIDE) + LABEL_ROW * Math.floor(label / STRIDE);
    sum += CONTACT * (4 - freeBeside(at, plan.taken).length);
    if (label - at !== at - origin.at) sum += BEND;
    if (at !== origin.label) sum += ELSEWHERE;
  }
  return sum;
}

function trouble(tip, taken, free, out) {
  let room = bit(tip.label);
  for (let step = 0; step < NEAR; step += 1) room |= spread(room) & free;
  const count = room.toString(2).replaceAll("0", "").length;
  const narrow = NARROW * Math.max(0, WANTED - count), dead = spread(bit(tip.label) | bit(tip.at)) & out ? 0 : DEAD;
  const noFork = tip.special && freeBeside(tip.at, taken & ~bit(tip.label)).length < 2 ? NO_FORK : 0;
  return narrow + dead + noFork;
}
