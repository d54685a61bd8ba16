/* The graph of all topics and models: filters, and what belongs to a node that is clicked. */
"use strict";

lsqlc.graph = { view: null, moved: false, selected: null, dragged: false, placed: null };

lsqlc.pages.graph = (main) => {
  const { h, s, site, graph } = lsqlc;
  const { nodes, edges } = site.graph;
  const about = lsqlc.nodes();
  const svg = s("svg", { class: "graph drawing", role: "group", tabindex: "0", "aria-label": "graph of topics and models; arrows move it, + and - zoom, 0 shows all of it" });
  const panel = h("aside", { class: "panel", hidden: "" });
  const canvas = h("div", { class: "canvas" }, svg, panel);

  const choice = (label, values) =>
    h("select", { "aria-label": label, onchange: filter }, h("option", { value: "" }, label), [...new Set(values)].sort().map((v) => h("option", { value: v }, v)));
  const word = h("input", { type: "search", placeholder: "Filter by name", "aria-label": "Filter by name", oninput: filter });
  const kind = choice("Any kind", ["model", "topic", "STREAM", "TABLE", "with errors"]);
  const tag = choice("Any tag", about.flatMap((a) => a.tags));
  const owner = choice("Any owner", about.map((a) => a.owner).filter(Boolean));
  const count = h("span", { class: "count" });
  const button = (label, text, act) => h("button", { type: "button", "aria-label": label, title: label, onclick: act }, text);
  main.append(
    h("div", { class: "toolbar" }, word, kind, tag, owner,
      h("span", { class: "zoom" }, button("Larger", "+", () => viewport.scale(1.3)), button("Smaller", "\u2212", () => viewport.scale(1 / 1.3)),
        button("Show all of it", "Fit", () => viewport.fit())), count,
      h("span", { class: "legend" }, ["stream", "table", "topic"].map((k) => h("span", { class: k }, k === "topic" ? k : `${k.toUpperCase()} model`)))),
    canvas);
  main.classList.add("wide");
  if (!nodes.length) {
    canvas.replaceChildren(h("p", { class: "waiting-layout" }, "The project has no models and no topics yet."));
    return;
  }

  let boxes, lines, viewport, kept;
  // Places are computed once for each visit of the site; with many nodes that takes a moment, which is told first.
  const { width, height } = lsqlc.card;
  if (!graph.placed && nodes.length > lsqlc.many) {
    const told = h("p", { class: "waiting-layout waiting" }, `placing ${nodes.length.toLocaleString("en")} nodes \u2026`);
    canvas.append(told);
    setTimeout(() => { if (svg.isConnected) draw(); told.remove(); }, 30);
  } else draw();

  function draw() {
    graph.placed ||= lsqlc.layout(nodes.map(() => lsqlc.card), edges.map(([from, to]) => ({ from, to })));
    const { places, paths } = graph.placed;
    lines = edges.map((_, i) => paths[i] && lsqlc.edge(paths[i]));
    boxes = about.map((node, number) => lsqlc.node(node, places[number], {
      onclick: (event) => { event.preventDefault(); if (!graph.dragged) select(number); graph.dragged = false; },
      ondblclick: () => { location.hash = lsqlc.path(node.kind, node.name); },
      // A link is not to be dragged to another window.
      ondragstart: (event) => event.preventDefault(),
    }));
    const picture = s("g", {}, s("g", { class: "edges" }, lines), s("g", { class: "nodes" }, boxes));
    svg.append(picture);
    kept = new Set(nodes.keys());
    const bounds = () => {
      const at = [...kept].map((i) => places[i]);
      const xs = at.map(([x]) => x), ys = at.map(([, y]) => y);
      return [Math.min(...xs), Math.min(...ys), Math.max(...xs) + width, Math.max(...ys) + height];
    };
    viewport = lsqlc.viewport(svg, picture, graph, bounds);
    canvas.append(lsqlc.overview(viewport, graph, graph.placed, places.map(([x, y]) => [x, y, width, height])));
    graph.selected = null;
    show();
    if (graph.view && graph.moved) viewport.place();
    else viewport.home();
    lsqlc.live?.mark();
  }

  const above = new Map(), below = new Map();
  for (const [from, to] of edges) {
    (below.get(from) || below.set(from, []).get(from)).push(to);
    (above.get(to) || above.set(to, []).get(to)).push(from);
  }
  function reach(start, next) {
    const seen = new Set([start]), pending = [start];
    while (pending.length) for (const other of next.get(pending.pop()) || []) if (!seen.has(other)) { seen.add(other); pending.push(other); }
    return seen;
  }

  function filter() {
    if (!boxes) return;
    const text = word.value.trim().toLowerCase();
    const ofKind = (a) => !kind.value || a.kind === kind.value || a.kinds.includes(kind.value) || (kind.value === "with errors" && !a.ok);
    kept = new Set([...nodes.keys()].filter((i) => {
      const a = about[i];
      return a.name.toLowerCase().includes(text) && ofKind(a) && (!tag.value || a.tags.includes(tag.value)) && (!owner.value || a.owner === owner.value);
    }));
    show();
    if (kept.size) viewport.home();
  }
  function show() {
    const chosen = graph.selected;
    const [up, down] = chosen === null ? [null, null] : [reach(chosen, above), reach(chosen, below)];
    const on = (i) => kept.has(i) && (!up || up.has(i) || down.has(i));
    boxes.forEach((box, i) => { box.classList.toggle("out", !on(i)); box.classList.toggle("chosen", i === chosen); });
    lines.forEach((line, i) => {
      if (!line) return;
      const [from, to] = edges[i];
      const way = up && ((up.has(from) && up.has(to)) || (down.has(from) && down.has(to)));
      line.classList.toggle("out", up ? !way : !(on(from) && on(to)));
      line.classList.toggle("lit", Boolean(way));
    });
    count.textContent = kept.size === nodes.length ? `${nodes.length} nodes` : `${kept.size} of ${nodes.length} nodes`;
  }
  function select(number) {
    graph.selected = graph.selected === number ? null : number;
    panel.replaceChildren();
    panel.hidden = graph.selected === null;
    if (graph.selected !== null) {
      const { kind: what, name, model, topic, tags } = about[number];
      const known = model || topic;
      const list = (title, numbers) => numbers.length ? [h("h3", {}, title), h("ul", {}, numbers.map((i) => h("li", {}, lsqlc.link(nodes[i][0], nodes[i][1]))))] : null;
      panel.append(h("button", { type: "button", class: "close", "aria-label": "Close", onclick: () => select(number) }, "\u00d7"),
        h("h2", {}, lsqlc.link(what, name)), lsqlc.badges(what, known, tags), known.description ? h("p", {}, known.description) : "",
        ...[list("Reads", above.get(number) || []), list("Read by", below.get(number) || [])].filter(Boolean).flat(),
        h("p", {}, h("a", { href: lsqlc.path(what, name) }, `Open this ${what} \u2192`)));
    }
    show();
  }
};
