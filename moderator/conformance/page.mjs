/* What the touch board of a game says of some positions, each tile of the rack put on each spot: asked by page.py,
   which writes {source, name, turns} to standard input and reads, of each turn, {trouble} or {moves, whys}. */

import { readFileSync } from "node:fs";

const { source, name, turns } = JSON.parse(readFileSync(0, "utf8"));
const family = (await import(`data:text/javascript,${encodeURIComponent(source)}`))[name];
const TAGS = ["svg", "g", "rect", "circle", "line", "polygon", "text", "use"];  // zug_tools.js draws no others

/* As the shell reads it from the page. */
const spotOf = (key) => (/^\d+$/.test(key) ? Number(key) : key);
const text = (value) => JSON.stringify(value, (_, one) => (typeof one === "bigint" ? String(one) : one));

function check(call, so, told) {
  if (!so) throw new Error(`${call}: ${told}`);
}

function spotsOf(position, picked) {
  if (!family.draw) {
    const [columns, rows] = family.axes(position);
    return [...Array(columns.length * rows.length).keys()];
  }
  const { spots } = family.draw(position, picked);
  for (const one of spots) {
    const whole = [one.at, one.label, one.parts].every(Array.isArray);
    check("draw(position)", whole, `the spot ${one.spot} has no \`at\`, \`label\` or \`parts\``);
    one.parts.forEach(drawn);
  }
  const first = family.first(position);
  check("first(position)", spots.some(({ spot }) => spot === first), `there is no spot ${first}`);
  return spots.map(({ spot }) => spot);
}

function drawn([tag, , inside = []]) {
  check("draw(position)", TAGS.includes(tag), `the page draws no <${tag}>`);
  [inside].flat().filter(Array.isArray).forEach(drawn);
}

function looked(turn) {
  const position = family.start(turn), before = text(position), moves = {}, whys = new Set();
  check("start(turn)", position.turn === turn, "the position's `turn` is not the turn");
  check("start(turn)", text(position.laid) === "{}", "the position has no `laid`, or something is laid in it");
  const rack = new Set(family.left ? family.left(position) : turn.rack);
  for (const tile of rack) {
    for (const spot of spotsOf(position, tile)) {
      const after = family.put(position, spot, tile, (family.stands?.(tile) ?? [tile])[0]);
      if (after.why) whys.add(after.why);
      else tried(after, spot, tile);
    }
  }
  check("put(position, …)", text(position) === before, "it changed the position that it was given");
  return { moves, whys: [...whys] };

  function tried(after, spot, tile) {
    const call = `put(position, ${text(spot)}, "${tile}")`, [where] = Object.keys(after.laid ?? {});
    check(call, where !== undefined, "nothing is `laid` in what it returns");
    const at = spotOf(where), name = family.name(after, at);
    check(`take(${call}, ${text(at)})`, text(family.take(after, at).laid) === "{}", "something is still laid");
    check(`name(position, ${text(at)})`, typeof name === "string", "it is no text");
    const found = family.judge(after, "w");
    check(`judge(${call})`, found, "something is laid, and it says nothing of it");
    if (found.why) whys.add(found.why);
    else moves[found.text] ??= { points: found.points ?? null, call };
  }
}

const told = turns.map((turn) => {
  try {
    return looked(turn);
  } catch (error) {
    return { trouble: String(error.message) };
  }
});
process.stdout.write(JSON.stringify(told));
