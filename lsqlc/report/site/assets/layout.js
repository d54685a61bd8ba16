/* Where the nodes of a graph stand and how its edges run: from left to right, in columns by dagre, part by part.

   An edge crosses a column straight, at the height that dagre kept free for it, and bends only between columns: so it
   never passes behind a node that it does not belong to. Parts that no edge joins are put beside and below each other. */
"use strict";

lsqlc.gaps = { between: 18, columns: 72, parts: 44 };
/* More nodes than this get the quicker of dagre's ways to make columns. */
lsqlc.many = 200;

/* `nodes`: {width, height}; `edges`: {from, to} by the numbers of nodes, with the heights `out` and `into` of their ends
   below the tops of the nodes, if these are not their middles. `aspect`: width by height that parts are put together to.
   Gives the node's left upper corners, the edges' paths as SVG has them with the ends of each, width and height. */
lsqlc.layout = (nodes, edges, aspect = 1.6) => {
  const parts = lsqlc.parts(nodes, edges).map((part) => lsqlc.part(nodes, part));
  parts.sort((a, b) => b.numbers.length - a.numbers.length || a.numbers[0] - b.numbers[0]);
  return lsqlc.packed(parts, nodes.length, edges.length, aspect);
};

/* The numbers of nodes and the edges of each part. */
lsqlc.parts = (nodes, edges) => {
  const next = nodes.map(() => []);
  edges.forEach(({ from, to }) => { next[from].push(to); next[to].push(from); });
  const of = new Array(nodes.length).fill(-1), parts = [];
  nodes.forEach((_, start) => {
    if (of[start] >= 0) return;
    const numbers = [], pending = [start];
    of[start] = parts.length;
    while (pending.length) {
      const here = pending.pop();
      numbers.push(here);
      for (const other of next[here]) if (of[other] < 0) { of[other] = parts.length; pending.push(other); }
    }
    parts.push({ numbers: numbers.sort((a, b) => a - b), edges: [] });
  });
  edges.forEach((edge, number) => { if (edge.from !== edge.to) parts[of[edge.from]].edges.push({ ...edge, number }); });
  return parts;
};

/* One part by itself, from 0, 0. */
lsqlc.part = (nodes, { numbers, edges }) => {
  const graph = new dagre.graphlib.Graph({ multigraph: true });
  graph.setGraph({ rankdir: "LR", nodesep: lsqlc.gaps.between, edgesep: 14, ranksep: lsqlc.gaps.columns,
    ranker: numbers.length > lsqlc.many ? "tight-tree" : "network-simplex" });
  for (const n of numbers) graph.setNode(String(n), { width: nodes[n].width, height: nodes[n].height });
  for (const e of edges) graph.setEdge(String(e.from), String(e.to), {}, String(e.number));
  dagre.layout(graph);
  const at = new Map(numbers.map((n) => {
    const { x, y } = graph.node(String(n));
    return [n, [x - nodes[n].width / 2, y - nodes[n].height / 2]];
  }));
  const columns = lsqlc.columnsOf(numbers.map((n) => [at.get(n)[0], at.get(n)[0] + nodes[n].width]));
  const lines = edges.map((e) => {
    const [x1, y1] = at.get(e.from), [x2, y2] = at.get(e.to);
    const start = [x1 + nodes[e.from].width, y1 + (e.out ?? nodes[e.from].height / 2)];
    const end = [x2, y2 + (e.into ?? nodes[e.to].height / 2)];
    return { number: e.number, points: lsqlc.track(start, end, graph.edge(String(e.from), String(e.to), String(e.number)).points, columns) };
  });
  const left = Math.min(...columns.map(([a]) => a)), right = Math.max(...columns.map(([, b]) => b));
  const heights = [...numbers.flatMap((n) => [at.get(n)[1], at.get(n)[1] + nodes[n].height]), ...lines.flatMap((l) => l.points.map(([, y]) => y))];
  const top = Math.min(...heights), bottom = Math.max(...heights);
  return { numbers, at, lines, left, top, width: right - left, height: bottom - top };
};

/* The columns that nodes stand in, as ranges of x, from left to right. */
lsqlc.columnsOf = (ranges) => {
  const columns = [];
  for (const [a, b] of [...ranges].sort((p, q) => p[0] - q[0])) {
    const last = columns.at(-1);
    if (last && a < last[1]) last[1] = Math.max(last[1], b);
    else columns.push([a, b]);
  }
  return columns;
};

/* The points that an edge bends at: its ends, and where it enters and leaves each column on its way. */
lsqlc.track = (start, end, free, columns) => {
  const back = end[0] < start[0], points = [start];
  for (const [a, b] of back ? [...columns].reverse() : columns) {
    const [from, to] = back ? [end[0], start[0]] : [start[0], end[0]];
    if (a < from || b > to) continue;
    const point = free.find(({ x }) => x >= a && x <= b);
    if (point) points.push(...(back ? [[b, point.y], [a, point.y]] : [[a, point.y], [b, point.y]]));
  }
  return [...points, end];
};

/* A path through points: straight across columns, bent between them. It ends before its tip, so that the head is sharp. */
lsqlc.curve = (points) => {
  const parts = [`M${points[0].join(" ")}`];
  for (let i = 1; i < points.length; i++) {
    const [x1, y1] = points[i - 1], last = i === points.length - 1;
    const [x2, y2] = last ? [points[i][0] - 6, points[i][1]] : points[i];
    const middle = (x1 + x2) / 2;
    parts.push(i % 2 ? `C${middle} ${y1} ${middle} ${y2} ${x2} ${y2}` : `L${x2} ${y2}`);
  }
  return parts.join("");
};
lsqlc.tip = (points) => {
  const [x, y] = points.at(-1);
  return `M${x} ${y}l-8 -4.5v9z`;
};

/* Parts on shelves, to the width that makes the whole largest on a screen. */
lsqlc.packed = (parts, nodes, edges, aspect) => {
  const gap = lsqlc.gaps.parts;
  const widest = Math.max(0, ...parts.map((p) => p.width));
  const area = parts.reduce((sum, p) => sum + (p.width + gap) * (p.height + gap), 0);
  const tried = [1, 1.1, 1.2, 1.35, 1.5].map((more) => lsqlc.shelved(parts, Math.max(widest, Math.sqrt(area * aspect) * more)));
  const best = tried.reduce((a, b) => (Math.max(b.width / aspect, b.height) < Math.max(a.width / aspect, a.height) ? b : a));
  const places = new Array(nodes), paths = new Array(edges).fill(null);
  parts.forEach((part, i) => {
    const [dx, dy] = [best.at[i][0] - part.left, best.at[i][1] - part.top];
    for (const [n, [x, y]] of part.at) places[n] = [x + dx, y + dy];
    for (const { number, points } of part.lines) {
      const moved = points.map(([x, y]) => [x + dx, y + dy]);
      paths[number] = { line: lsqlc.curve(moved), head: lsqlc.tip(moved) };
    }
  });
  return { places, paths, width: best.width, height: best.height };
};
lsqlc.shelved = (parts, limit) => {
  const gap = lsqlc.gaps.parts, at = [];
  let x = 0, y = 0, shelf = 0, width = 0;
  for (const part of parts) {
    if (x && x + part.width > limit) { x = 0; y += shelf + gap; shelf = 0; }
    at.push([x, y]);
    width = Math.max(width, x + part.width);
    x += part.width + gap;
    shelf = Math.max(shelf, part.height);
  }
  return { at, width, height: y + shelf };
};
