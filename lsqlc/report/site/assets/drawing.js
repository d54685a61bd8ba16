/* What drawings are made of: nodes as cards, edges with heads, and a figure in a page. */
"use strict";

lsqlc.card = { width: 212, height: 46 };

/* A text as wide as there is room for, by the font that it is drawn in. */
lsqlc.clip = (text, room, font = "600 13px system-ui, sans-serif") => {
  const pen = (lsqlc.pen ||= document.createElement("canvas").getContext("2d"));
  pen.font = font;
  if (pen.measureText(text).width <= room) return text;
  let low = 0, high = text.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (pen.measureText(text.slice(0, middle) + "\u2026").width <= room) low = middle; else high = middle - 1;
  }
  return text.slice(0, low) + "\u2026";
};

/* What is known of each node of the site's graph. */
lsqlc.nodes = () => {
  if (lsqlc.known) return lsqlc.known;
  const { site } = lsqlc;
  const models = new Map(site.models.map((m) => [m.name, m])), topics = new Map(site.topics.map((t) => [t.name, t]));
  return (lsqlc.known = site.graph.nodes.map(([kind, name]) => {
    const model = kind === "model" ? models.get(name) : null, topic = topics.get(name) || {};
    const kinds = [...new Set(model ? Object.values(model.semantics) : [topic.semantics].filter(Boolean))];
    const cases = model && model.cases ? `${model.cases} case${model.cases > 1 ? "s" : ""}` : null;
    const where = topic.files ? "files" : topic.connector && topic.connector !== "embedded" ? topic.connector : null;
    const about = model ? [model.ok ? kinds.join(", ") : "with errors", cases] : ["topic", topic.writer ? null : "source", where];
    return { kind, name, model, topic, tags: (model || topic).tags || [], owner: model && model.owner, kinds, ok: !model || model.ok,
      look: `${kind} ${kinds.includes("TABLE") ? "table" : "stream"}${!model || model.ok ? "" : " broken"}`, about: about.filter(Boolean).join(" \u00b7 ") };
  }));
};

/* A node as a card at a place. `attributes` are those of its link. */
lsqlc.node = (node, [x, y], attributes) => {
  const { s } = lsqlc, { width, height } = lsqlc.card;
  const round = node.kind === "topic" ? height / 2 : 7;
  const left = node.kind === "topic" ? 22 : 17;
  return s("a", { href: lsqlc.path(node.kind, node.name), class: `node ${node.look}`, transform: `translate(${x} ${y})`,
      "data-node": `${node.kind} ${node.name}`, "aria-label": `${node.kind} ${node.name}, ${node.about}`, ...attributes },
    s("title", {}, `${node.kind} ${node.name}`),
    s("rect", { class: "box", width, height, rx: round }),
    node.kind === "topic" ? null : s("rect", { class: "side", x: 5, y: 9, width: 4, height: height - 18, rx: 2 }),
    s("text", { class: "name", x: left, y: 20 }, lsqlc.clip(node.name, width - left - 18)),
    s("text", { class: "about", x: left, y: 36 }, node.about),
    node.model ? s("circle", { class: "state", "data-model": node.name, cx: width - 13, cy: 14, r: 4.5 }) : null);
};

lsqlc.edge = (path, attributes) =>
  lsqlc.s("g", { class: "edge", ...attributes }, lsqlc.s("path", { class: "line", d: path.line }), lsqlc.s("path", { class: "head", d: path.head }));

/* A drawing in a page, at most as large as it is. Below a size where its text could be read it is scrolled instead. */
lsqlc.figure = (label, { width, height }, ...content) => {
  const frame = lsqlc.h("div", { class: "figure" });
  const svg = lsqlc.s("svg", { class: "drawing", role: "group", "aria-label": label, viewBox: `-4 -4 ${width + 8} ${height + 8}` }, content);
  frame.append(svg);
  const fit = () => {
    const k = Math.max(0.72, Math.min(1, (frame.clientWidth - 34) / (width + 8)));
    svg.setAttribute("width", Math.round((width + 8) * k));
    svg.setAttribute("height", Math.round((height + 8) * k));
  };
  // A drawing that is scrolled begins at what it is about.
  const centre = () => {
    const about = svg.querySelector(".chosen")?.getBoundingClientRect(), box = frame.getBoundingClientRect();
    if (about) frame.scrollLeft += about.left + about.width / 2 - box.left - box.width / 2;
  };
  let first = true;
  // Not within the notice, which is of the size that this changes.
  new ResizeObserver(() => requestAnimationFrame(() => { fit(); if (first) { first = false; centre(); } })).observe(frame);
  svg.setAttribute("width", width + 8);
  svg.setAttribute("height", height + 8);
  return frame;
};

/* The nodes around one, as far as two steps if these are few, with the edges between them. */
lsqlc.around = (kind, name) => {
  const { nodes, edges } = lsqlc.site.graph;
  const start = nodes.findIndex(([k, n]) => k === kind && n === name);
  if (start < 0) return null;
  const walk = (side) => {
    const found = [start], depth = new Map([[start, 0]]);
    for (const here of found) {
      for (const [from, to] of edges) {
        const [mine, other] = side === "up" ? [to, from] : [from, to];
        if (mine === here && !depth.has(other) && depth.get(here) < 2) { depth.set(other, depth.get(here) + 1); found.push(other); }
      }
    }
    return depth;
  };
  const [up, down] = [walk("up"), walk("down")];
  const near = (most) => new Set([...up, ...down].filter(([, steps]) => steps <= most).map(([n]) => n));
  const wide = near(2);
  const all = wide.size <= 14 ? wide : near(1);
  const kept = new Set([...all].sort((a, b) => (a !== start) - (b !== start) || a - b).slice(0, 24));
  return { start, numbers: [...kept], left: all.size - kept.size, edges: edges.filter(([from, to]) => kept.has(from) && kept.has(to)) };
};

/* The small graph on the page of a model or topic. */
lsqlc.neighbours = (kind, name) => {
  const found = lsqlc.around(kind, name);
  if (!found || found.numbers.length < 2) return null;
  const about = lsqlc.nodes(), at = new Map(found.numbers.map((n, i) => [n, i]));
  const placed = lsqlc.layout(found.numbers.map(() => lsqlc.card), found.edges.map(([from, to]) => ({ from: at.get(from), to: at.get(to) })), 4);
  const figure = lsqlc.figure(`what ${name} reads, and what reads it`, placed, placed.paths.filter(Boolean).map((path) => lsqlc.edge(path)),
    found.numbers.map((n, i) => lsqlc.node(about[n], placed.places[i], n === found.start ? { class: `node ${about[n].look} chosen`, "aria-current": "page" } : {})));
  return [figure, found.left ? lsqlc.h("p", {}, `${found.left} more are in the `, lsqlc.h("a", { href: "#/graph" }, "graph"), ".") : null];
};
