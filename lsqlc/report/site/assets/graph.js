/* The graph of topics and models: pan by dragging, zoom by the wheel or the buttons, filter, click. The places of the
   nodes are computed when the site is built. */
"use strict";

lsqlc.graph = { size: [220, 36], view: null, moved: false, selected: null };

lsqlc.pages.graph = (main) => {
  const { h, s, site } = lsqlc;
  const graph = lsqlc.graph;
  const [width, height] = graph.size;
  const { nodes, edges } = site.graph;
  const models = new Map(site.models.map((m) => [m.name, m]));
  const topics = new Map(site.topics.map((t) => [t.name, t]));
  const about = nodes.map(([kind, name]) => {
    const model = kind === "model" ? models.get(name) : null;
    const topic = topics.get(name) || {};
    const kinds = model ? Object.values(model.semantics) : [topic.semantics].filter(Boolean);
    return { kind, name, model, tags: (model || topic).tags || [], owner: model && model.owner, kinds, ok: !model || model.ok };
  });

  const lines = edges.map(([from, to]) => {
    const [, , x1, y1] = nodes[from], [, , x2, y2] = nodes[to];
    const [a, b, c, d] = [x1 + width, y1 + height / 2, x2, y2 + height / 2];
    const bend = Math.max(30, Math.abs(c - a) / 2);
    return s("path", { d: `M${a} ${b}C${a + bend} ${b} ${c - bend} ${d} ${c} ${d}` });
  });
  const boxes = nodes.map(([kind, name, x, y], number) => {
    const { kinds, ok } = about[number];
    const shown = name.length > 26 ? name.slice(0, 25) + "\u2026" : name;
    return s("a", { href: lsqlc.path(kind, name), class: `node ${kind} ${kinds.includes("TABLE") ? "table" : "stream"}${ok ? "" : " broken"}`,
        transform: `translate(${x} ${y})`, "data-node": `${kind} ${name}`, "aria-label": `${kind} ${name}`,
        onclick: (event) => { event.preventDefault(); if (!graph.dragged) select(number); graph.dragged = false; },
        ondblclick: () => { location.hash = lsqlc.path(kind, name); } },
      s("title", {}, `${kind} ${name}`),
      s("rect", { width, height, rx: kind === "topic" ? 18 : 5 }),
      s("text", { x: 12, y: 23 }, shown));
  });
  const picture = s("g", {}, s("g", { class: "edges" }, lines), s("g", { class: "nodes" }, boxes));
  const svg = s("svg", { class: "graph", role: "group", "aria-label": "graph of topics and models", onwheel: zoomed, onpointerdown: dragged }, picture);
  const panel = h("aside", { class: "panel", hidden: "" });

  const choice = (label, values) =>
    h("select", { "aria-label": label, onchange: filter }, h("option", { value: "" }, label), [...new Set(values)].sort().map((v) => h("option", { value: v }, v)));
  const word = h("input", { type: "search", placeholder: "Filter by name", "aria-label": "Filter by name", oninput: filter });
  const kind = choice("Any kind", ["model", "topic", "STREAM", "TABLE", "with errors"]);
  const tag = choice("Any tag", about.flatMap((a) => a.tags));
  const owner = choice("Any owner", about.map((a) => a.owner).filter(Boolean));
  const count = h("span", { class: "count" });
  main.append(
    h("div", { class: "toolbar" }, word, kind, tag, owner,
      h("button", { onclick: () => scale(1.3) }, "+"), h("button", { onclick: () => scale(1 / 1.3) }, "\u2212"),
      h("button", { onclick: fit }, "Fit"), count,
      h("span", { class: "legend" }, ["stream", "table", "topic"].map((k) => h("span", { class: k }, k === "topic" ? k : `${k.toUpperCase()} model`)))),
    h("div", { class: "canvas" }, svg, panel));
  main.classList.add("wide");

  const above = new Map(), below = new Map();
  for (const [from, to] of edges) {
    (below.get(from) || below.set(from, []).get(from)).push(to);
    (above.get(to) || above.set(to, []).get(to)).push(from);
  }
  const reach = (start, next) => {
    const seen = new Set([start]), pending = [start];
    while (pending.length) for (const other of next.get(pending.pop()) || []) if (!seen.has(other)) { seen.add(other); pending.push(other); }
    return seen;
  };

  let kept = new Set(nodes.keys());
  function filter() {
    const text = word.value.trim().toLowerCase();
    const ofKind = (a) => !kind.value || a.kind === kind.value || a.kinds.includes(kind.value) || (kind.value === "with errors" && !a.ok);
    kept = new Set([...nodes.keys()].filter((i) => {
      const a = about[i];
      return a.name.toLowerCase().includes(text) && ofKind(a) && (!tag.value || a.tags.includes(tag.value)) && (!owner.value || a.owner === owner.value);
    }));
    show();
    if (kept.size) fit();
  }
  function show() {
    const chosen = graph.selected;
    const near = chosen === null ? null : new Set([...reach(chosen, above), ...reach(chosen, below)]);
    const on = (i) => kept.has(i) && (!near || near.has(i));
    boxes.forEach((box, i) => { box.classList.toggle("out", !on(i)); box.classList.toggle("chosen", i === chosen); });
    lines.forEach((line, i) => line.classList.toggle("out", !(on(edges[i][0]) && on(edges[i][1]))));
    count.textContent = kept.size === nodes.length ? `${nodes.length} nodes` : `${kept.size} of ${nodes.length} nodes`;
  }
  function select(number) {
    graph.selected = graph.selected === number ? null : number;
    panel.replaceChildren();
    panel.hidden = graph.selected === null;
    if (graph.selected !== null) {
      const { kind: what, name, model, tags } = about[number];
      const known = model || topics.get(name) || {};
      const list = (title, numbers) => numbers.length ? [h("h3", {}, title), h("ul", {}, numbers.map((i) => h("li", {}, lsqlc.link(nodes[i][0], nodes[i][1]))))] : null;
      panel.append(h("h2", {}, lsqlc.link(what, name)), lsqlc.badges(what, known, tags), known.description ? h("p", {}, known.description) : "",
        ...[list("Reads", above.get(number) || []), list("Read by", below.get(number) || [])].filter(Boolean).flat());
    }
    show();
  }

  function place() {
    const { x, y, k } = graph.view;
    picture.setAttribute("transform", `translate(${x} ${y}) scale(${k})`);
    svg.classList.toggle("far", k < 0.3);
  }
  function fit() {
    const places = [...kept].map((i) => nodes[i]);
    const left = Math.min(...places.map((n) => n[2])), top = Math.min(...places.map((n) => n[3]));
    const right = Math.max(...places.map((n) => n[2])) + width, bottom = Math.max(...places.map((n) => n[3])) + height;
    const box = svg.getBoundingClientRect();
    const k = Math.min(1.2, (box.width - 40) / (right - left), (box.height - 40) / (bottom - top));
    graph.moved = false;
    graph.view = { k, x: (box.width - k * (right - left)) / 2 - k * left, y: (box.height - k * (bottom - top)) / 2 - k * top };
    place();
  }
  function scale(by, at) {
    const box = svg.getBoundingClientRect();
    const [px, py] = at || [box.width / 2, box.height / 2];
    const { x, y, k } = graph.view;
    const next = Math.min(4, Math.max(0.02, k * by));
    graph.moved = true;
    graph.view = { k: next, x: px - (px - x) * (next / k), y: py - (py - y) * (next / k) };
    place();
  }
  function zoomed(event) {
    event.preventDefault();
    const box = svg.getBoundingClientRect();
    scale(Math.exp(-event.deltaY / 400), [event.clientX - box.left, event.clientY - box.top]);
  }
  function dragged(event) {
    if (event.button !== 0 || !graph.view) return;
    const { x, y } = graph.view, { clientX, clientY } = event;
    graph.dragged = false;
    const move = (now) => {
      const [dx, dy] = [now.clientX - clientX, now.clientY - clientY];
      if (Math.abs(dx) + Math.abs(dy) > 4) graph.dragged = true;
      graph.moved = true;
      graph.view = { ...graph.view, x: x + dx, y: y + dy };
      place();
    };
    const end = () => {
      removeEventListener("pointermove", move);
      for (const name of ["pointerup", "pointercancel"]) removeEventListener(name, end);
    };
    addEventListener("pointermove", move);
    for (const name of ["pointerup", "pointercancel"]) addEventListener(name, end);
  }

  graph.selected = null;
  show();
  if (!nodes.length) main.append(h("p", {}, "The project has no models and no topics yet."));
  else if (graph.view && graph.moved) place();
  else fit();
  // Until a reader moves it, the drawing fills the window, whatever its size becomes.
  new ResizeObserver(() => { if (!graph.moved && kept.size) fit(); }).observe(svg);
};
