/* A drawing that is moved and zoomed: by dragging, the wheel, two fingers, keys, buttons, and an overview in its corner. */
"use strict";

/* `svg` shows `picture`, a group. `state` keeps `view`, {x, y, k}, from one visit to the next, `moved`: whether a reader
   has moved it, and `dragged`: whether the last press was a drag, so that no click was meant. `bounds` gives the part of
   the picture that is to be seen, as [left, top, right, bottom]; `least`: the smallest scale that its text is read at. */
lsqlc.viewport = (svg, picture, state, bounds, { least = 0.85, most = 4 } = {}) => {
  const listeners = [];
  const place = () => {
    const { x, y, k } = state.view;
    picture.setAttribute("transform", `translate(${x} ${y}) scale(${k})`);
    svg.classList.toggle("far", k < 0.38);
    for (const tell of listeners) tell();
  };
  const size = () => svg.getBoundingClientRect();
  const show = (k, left, top, right, bottom) => {
    const box = size(), margin = 24;
    const [w, h] = [k * (right - left), k * (bottom - top)];
    // What is larger than the window begins in its corner.
    const x = w > box.width - 2 * margin ? margin : (box.width - w) / 2, y = h > box.height - 2 * margin ? margin : (box.height - h) / 2;
    state.view = { k, x: x - k * left, y: y - k * top };
    place();
  };
  const whole = () => {
    const [left, top, right, bottom] = bounds(), box = size();
    return Math.max(0.02, Math.min(1.1, (box.width - 48) / (right - left), (box.height - 48) / (bottom - top)));
  };
  // All of it.
  const fit = () => { state.moved = true; show(whole(), ...bounds()); };
  // All of it, if it can be read then; else its beginning.
  const home = () => { state.moved = false; show(Math.max(least, whole()), ...bounds()); };
  const scale = (by, at) => {
    const box = size(), [px, py] = at || [box.width / 2, box.height / 2], { x, y, k } = state.view;
    const next = Math.min(most, Math.max(0.02, k * by));
    state.moved = true;
    state.view = { k: next, x: px - (px - x) * (next / k), y: py - (py - y) * (next / k) };
    place();
  };
  const move = (dx, dy) => {
    state.moved = true;
    state.view = { ...state.view, x: state.view.x + dx, y: state.view.y + dy };
    place();
  };

  svg.addEventListener("wheel", (event) => {
    event.preventDefault();
    const box = size();
    scale(Math.exp(-event.deltaY / 400), [event.clientX - box.left, event.clientY - box.top]);
  }, { passive: false });

  const fingers = new Map();
  const middle = (points) => [0, 1].map((i) => points.reduce((sum, p) => sum + p[i], 0) / points.length);
  const apart = ([a, b]) => Math.hypot(a[0] - b[0], a[1] - b[1]);
  const drag = (event) => {
    if (!fingers.has(event.pointerId)) return;
    const before = [...fingers.values()];
    fingers.set(event.pointerId, [event.clientX, event.clientY]);
    const now = [...fingers.values()], [a, b] = [middle(before), middle(now)], box = size();
    state.travelled += Math.abs(b[0] - a[0]) + Math.abs(b[1] - a[1]);
    if (state.travelled > 4) state.dragged = true;
    move(b[0] - a[0], b[1] - a[1]);
    if (now.length === 2 && apart(before) > 0) scale(apart(now) / apart(before), [b[0] - box.left, b[1] - box.top]);
  };
  const release = (event) => {
    fingers.delete(event.pointerId);
    if (fingers.size) return;
    removeEventListener("pointermove", drag);
    for (const name of ["pointerup", "pointercancel"]) removeEventListener(name, release);
  };
  svg.addEventListener("pointerdown", (event) => {
    if (event.button !== 0 || !state.view) return;
    if (!fingers.size) {
      state.dragged = false;
      state.travelled = 0;
      addEventListener("pointermove", drag);
      for (const name of ["pointerup", "pointercancel"]) addEventListener(name, release);
    }
    fingers.set(event.pointerId, [event.clientX, event.clientY]);
  });
  svg.addEventListener("keydown", (event) => {
    const steps = { ArrowLeft: [60, 0], ArrowRight: [-60, 0], ArrowUp: [0, 60], ArrowDown: [0, -60] }[event.key];
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (steps) move(...steps);
    else if (event.key === "+" || event.key === "=") scale(1.3);
    else if (event.key === "-") scale(1 / 1.3);
    else if (event.key === "0") fit();
    else return;
    event.preventDefault();
  });
  // A node that the keyboard went to is brought into sight.
  svg.addEventListener("focusin", (event) => {
    const node = event.target.closest(".node");
    if (!node || !node.matches(":focus-visible")) return;
    const [box, at] = [size(), node.getBoundingClientRect()];
    const over = (a, b, low, high) => (a < low ? low - a + 24 : b > high ? high - b - 24 : 0);
    const [dx, dy] = [over(at.left, at.right, box.left, box.right), over(at.top, at.bottom, box.top, box.bottom)];
    svg.parentElement.scrollTo(0, 0);
    if (dx || dy) move(dx, dy);
  });
  // Until a reader moves it, it follows the window.
  new ResizeObserver(() => { if (!state.moved) home(); }).observe(svg);
  return { fit, home, scale, move, place, size, moves: (tell) => listeners.push(tell) };
};

/* The whole drawing in a corner, with the window on it; nothing where all is to be seen. */
lsqlc.overview = (viewport, state, { width, height }, boxes) => {
  const { s } = lsqlc, k = Math.min(190 / width, 120 / height);
  const frame = s("rect", { class: "window", rx: 2 });
  const svg = s("svg", { class: "overview", "aria-hidden": "true", width: width * k + 16, height: height * k + 16, viewBox: `${-8 / k} ${-8 / k} ${width + 16 / k} ${height + 16 / k}` },
    boxes.map(([x, y, w, h]) => s("rect", { class: "spot", x, y, width: w, height: h, rx: 6 })), frame);
  const update = () => {
    const box = viewport.size(), { x, y, k: now } = state.view;
    const [left, top, w, h] = [-x / now, -y / now, box.width / now, box.height / now];
    for (const [name, value] of Object.entries({ x: left, y: top, width: w, height: h })) frame.setAttribute(name, value);
    svg.toggleAttribute("hidden", left <= 0 && top <= 0 && left + w >= width && top + h >= height);
  };
  const go = (event) => {
    const box = svg.getBoundingClientRect(), view = viewport.size(), now = state.view.k;
    const [x, y] = [(event.clientX - box.left - 8) / k, (event.clientY - box.top - 8) / k];
    viewport.move(view.width / 2 - x * now - state.view.x, view.height / 2 - y * now - state.view.y);
  };
  svg.addEventListener("pointerdown", (event) => { svg.setPointerCapture(event.pointerId); go(event); });
  svg.addEventListener("pointermove", (event) => { if (event.buttons) go(event); });
  viewport.moves(update);
  return svg;
};
