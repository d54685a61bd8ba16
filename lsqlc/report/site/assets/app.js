/* The router and the search box. Data arrive as scripts that call `lsqlc.take`. */
"use strict";

lsqlc.details = new Map();
lsqlc.waiting = new Map();

lsqlc.take = (what, data) => {
  if (what === "site") {
    lsqlc.site = data;
    lsqlc.draw();
  } else {
    lsqlc.details.set(data.name, data);
    for (const done of lsqlc.waiting.get(data.name) || []) done(data);
    lsqlc.waiting.delete(data.name);
  }
};

/* What is known of one model alone, once its file is there. */
lsqlc.detail = (model, done, failed) => {
  if (lsqlc.details.has(model.name)) return done(lsqlc.details.get(model.name));
  const others = lsqlc.waiting.get(model.name);
  if (others) { others.push(done); return; }
  lsqlc.waiting.set(model.name, [done]);
  const script = lsqlc.h("script", { src: `data/${model.file}.js`, onerror: () => { lsqlc.waiting.delete(model.name); failed(); } });
  document.head.append(script);
};

lsqlc.draw = () => {
  if (!lsqlc.site) return;
  const parts = location.hash.replace(/^#\/?/, "").split("/");
  let names;
  try { names = parts.slice(1).map(decodeURIComponent); } catch { names = []; }
  const page = parts[0] || "overview";
  const main = document.getElementById("main");
  main.className = "";
  main.replaceChildren();
  const draw = lsqlc.own(lsqlc.pages, page) || lsqlc.pages.missing;
  draw(main, ...names);
  const of = { model: "models", topic: "topics", column: "topics" }[page] || page;
  for (const link of document.querySelectorAll("header nav a")) setHere(link, link.dataset.page === of);
  document.title = [names.join(" "), lsqlc.site.project].filter(Boolean).join(" \u00b7 ");
  if (page !== "graph") scrollTo({ top: 0, behavior: "instant" });
  lsqlc.live.mark();
};
const setHere = (link, here) => {
  link.classList.toggle("here", here);
  if (here) link.setAttribute("aria-current", "page"); else link.removeAttribute("aria-current");
};
addEventListener("hashchange", () => { lsqlc.draw(); document.getElementById("main").focus({ preventScroll: true }); });

/* Light, dark, or as the system has it; kept where the browser lets it. */
{
  const button = document.getElementById("scheme"), order = ["", "light", "dark"];
  const kept = () => { try { return localStorage.getItem("lsqlc-scheme") || ""; } catch { return ""; } };
  const show = (scheme) => {
    document.documentElement.style.colorScheme = scheme;
    button.textContent = { "": "\u25d0", light: "\u2600\ufe0e", dark: "\u263e" }[scheme];
    button.setAttribute("aria-label", `Colours: ${scheme || "as the system has them"}`);
  };
  let now = order.includes(kept()) ? kept() : "";
  show(now);
  button.addEventListener("click", () => {
    now = order[(order.indexOf(now) + 1) % order.length];
    show(now);
    try { localStorage.setItem("lsqlc-scheme", now); } catch { /* It lasts until the page is left. */ }
  });
}

{
  const box = document.getElementById("search"), list = document.getElementById("found");
  let at = 0;
  const mark = () => [...list.children].forEach((item, i) => item.classList.toggle("here", i === at));
  const close = () => { list.hidden = true; };
  const open = (entry) => { close(); box.blur(); location.hash = lsqlc.path(entry.kind, entry.name); };
  let found = [];
  const look = () => {
    if (!lsqlc.site) return;
    found = lsqlc.search(box.value);
    at = 0;
    const items = found.map((entry) => lsqlc.h("li", {}, lsqlc.h("a", { href: lsqlc.path(entry.kind, entry.name), onclick: close },
      lsqlc.h("b", {}, entry.name), " ", lsqlc.h("small", {}, entry.kind), lsqlc.h("span", {}, entry.said))));
    if (!items.length) items.push(lsqlc.h("li", { class: "none" }, "nothing found"));
    list.replaceChildren(...items);
    list.hidden = !box.value.trim();
    mark();
  };
  box.addEventListener("input", look);
  box.addEventListener("focus", look);
  box.addEventListener("keydown", (event) => {
    if (event.key === "Escape") { box.value = ""; close(); box.blur(); }
    else if (event.key === "Enter" && found[at]) open(found[at]);
    else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      at = Math.max(0, Math.min(found.length - 1, at + (event.key === "ArrowDown" ? 1 : -1)));
      mark();
    }
  });
  addEventListener("keydown", (event) => {
    if (event.key === "/" && !/^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement.tagName)) { event.preventDefault(); box.focus(); }
  });
  addEventListener("click", (event) => { if (!event.target.closest(".search")) close(); });
}
