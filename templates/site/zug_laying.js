/* The family of games whose turns list all legal moves, each of one tile (docs/build/turn.md): the table is drawn of the page's
   pieces, and what the turn does not list cannot be laid. A game adds what is its own (docs/build/touch-board.md). */

/* What a face looks like somewhere: its form, its marks, and the name of a free place where its form has room for it. */
function faceParts(transform, [form, ...marks], ink, name, tall) {
  const piece = (mark, at) => ["use", { class: ink, href: `#p-${form.toLowerCase()}${at}${mark}` }];
  const written = marks.map(piece).filter((_, at) => marks[at] !== "?");
  const named = tall ? [["text", { class: ink, y: tall * 0.36, "font-size": tall }, String(name)]] : [];
  const parts = [["use", { class: "edge", href: `#p-${form}` }], ...written, ...named];
  return [["g", { transform, "text-anchor": "middle", "font-weight": 700, "pointer-events": "all" }, parts]];
}

export const laying = {
  /* The position that a turn shows, with nothing laid yet. move: the one that is laid now. */
  start(turn) {
    if (!turn.picture) throw Object.assign(new Error("no picture"), { why: "zug-old" });
    const named = ([text, points, says, tile, spot, ...item]) => ({ text, points, says, tile, spot, item });
    const { lies, free, unit } = turn.picture, moves = (turn.moves ?? []).map(named);
    const items = [...lies, ...free.map(([, ...item]) => item), ...moves.map(({ item }) => item)];
    const sides = [0, 1].map((axis) => {
      const every = items.map((item) => item[axis] * unit[axis]), least = Math.min(...every), most = Math.max(...every);
      const long = Math.max(this.least[axis], most - least + 2 * this.room);
      return [(least + most - long) / 2, long];
    });
    return { turn, moves, laid: {}, sides };
  },

  /* The spot that is shown first: the tile laid last. */
  first({ turn: { picture: { lies, free } } }) {
    return lies.length ? `t${lies.length - 1}` : free[0][0];
  },

  /* A tile by its numbers, a free place by its name and what has to match. */
  name({ turn: { picture: { lies, free } }, move }, spot) {
    const place = free.find(([one]) => one === spot), shown = move?.spot === spot ? move.item : place ?? lies[spot.slice(1)];
    const marks = [...shown.at(-1).slice(1)].filter((mark) => mark !== spot).join("·");
    return place ? `${spot} ${marks}`.trim() || "–" : marks;
  },

  /* The next spot in the direction of an arrow key, or the same one. */
  step(position, spot, dx, dy) {
    const { spots } = this.draw(position), [x, y] = spots.find((one) => one.spot === spot).at;
    let least = Infinity, found = spot;
    for (const { spot: other, at } of spots) {
      const ahead = dx * (at[0] - x) + dy * (at[1] - y), aside = Math.abs(dx ? at[1] - y : at[0] - x);
      if (ahead > 0 && ahead + 1.5 * aside < least) [least, found] = [ahead + 1.5 * aside, other];
    }
    return found;
  },

  /* The position with this tile alone laid, or {why, params}. Where no free place is meant, it goes to the only one that it
     fits. */
  put(position, spot, tile) {
    const { moves, turn: { picture } } = position, aimed = picture.free.some(([place]) => place === spot);
    const fits = moves.filter((one) => one.tile === tile);
    const move = fits.find((one) => one.spot === spot) ?? (aimed || fits.length > 1 ? null : fits[0]);
    if (!move) return { why: "zug-fits-not", params: { tile } };
    return { ...position, move, laid: { [move.spot]: tile } };
  },

  take(position) {
    return { ...position, move: null, laid: {} };
  },

  /* What a tile would score there; null where it does not fit. */
  worth(position, spot, tile) {
    return this.put(position, spot, tile).move?.points ?? null;
  },

  /* What is laid, as a move: its notes are sentences already. */
  judge({ move }) {
    return move ? { text: move.text, points: move.points, notes: move.says ? [{ code: move.says }] : [] } : null;
  },

  /* The table: {width, height, spots: [{spot, open, kind, at, label: [{code, params}], parts}]}. Open are places where
     the picked tile fits, or any of the rack. */
  draw(position, picked) {
    const { turn: { picture: { lies, free, fresh, unit } }, moves, move, sides: [[left, width], [top, height]] } = position;
    const drawn = (spot, [x, y, face], kind, more, open = false) => {
      const at = [x * unit[0] - left, y * unit[1] - top], place = kind === "free", [form, ...marks] = face;
      const params = { spot, tile: marks.join(""), marks: marks.join(" · "), mark: marks.at(-1) };
      const parts = faceParts(`translate(${at})`, face, place ? "label" : "ink", spot, place && this.named[form]);
      return { spot, open, kind, at, label: [{ code: this.says[form], params }, ...more], parts };
    };
    const lying = lies.map((item, at) => {
      const last = at >= lies.length - fresh;
      return drawn(`t${at}`, item, last ? "lies fresh" : "lies", last ? [{ code: "zug-last" }] : []);
    });
    const places = free.map(([spot, ...item]) => {
      if (move?.spot === spot) return drawn(spot, move.item, "lies own", [{ code: "zug-own" }]);
      const tiles = moves.filter((one) => one.spot === spot).map(({ tile }) => tile);
      const fit = tiles.length ? { code: "zug-fit", params: { tiles } } : { code: "zug-fit-none" };
      return drawn(spot, item, "free", [fit], picked ? tiles.includes(picked) : tiles.length > 0);
    });
    return { width, height, spots: [...lying, ...places] };
  },

  /* A tile of the rack, drawn. */
  face(tile) {
    const { form, width, height, at: [x, y], scale } = this.rack(tile);
    return { width, height, parts: faceParts(`translate(${x} ${y}) scale(${scale})`, form + tile, "ink") };
  },

  /* What sentences call a tile of numbers. */
  printed: (tile) => [...tile].join("·"),
};
