/* The first page: how large the project is, how much of it is proved and described, and its README. */
"use strict";

lsqlc.pages.overview = (main) => {
  const { h, site } = lsqlc;
  const cases = site.models.reduce((sum, m) => sum + m.cases, 0), without = site.models.filter((m) => !m.cases).length;
  const broken = site.models.filter((m) => !m.ok);
  const sources = site.topics.filter((t) => !t.writer).length;
  const [described, all] = site.coverage.columns;
  const number = (n) => n.toLocaleString("en");
  const tile = (href, figure, text, extra) => h(href ? "a" : "div", { class: "tile", href }, h("b", {}, figure), h("span", {}, text), extra);
  main.append(h("h1", {}, site.project),
    broken.length ? lsqlc.section("Models with errors", h("ul", {}, broken.map((m) => h("li", {}, lsqlc.link("model", m.name))))) : "",
    h("div", { class: "tiles" },
      tile("#/models", number(site.models.length), site.models.length === 1 ? "model" : "models"),
      tile("#/topics", number(site.topics.length), `topics, ${number(sources)} of them sources`),
      tile("#/models", number(cases), without ? `cases; ${number(without)} models have none` : "cases; every model has one"),
      tile("#/topics", `${site.coverage.percent} %`, `${number(described)} of ${number(all)} columns described`,
        h("meter", { min: 0, max: 100, value: site.coverage.percent, "aria-label": "columns described" }))));
  if (site.readme) main.append(h("article", { class: "readme" }, site.readme.map(lsqlc.drawn)));
  else main.append(lsqlc.section("Models", lsqlc.modelList()));
};

/* A node of the README: a text, or [tag, attributes, children...] with tags and attributes that the builder chose. */
lsqlc.drawn = (node) => {
  const { h } = lsqlc;
  if (typeof node === "string") return lsqlc.text(node);
  const [tag, given, ...children] = node;
  if (tag === "pre") {
    return given.language === "sql" ? lsqlc.code(children[0]) : h("pre", {}, h("code", {}, children));
  }
  const inner = children.map(lsqlc.drawn);
  if (tag === "table") return h("div", { class: "scroll" }, h("table", {}, inner));
  if (tag === "a" && given.anchor !== undefined) {
    const go = (event) => { event.preventDefault(); document.getElementById(given.anchor)?.scrollIntoView(); };
    return h("a", { href: location.hash || "#/", onclick: go }, inner);
  }
  if (tag === "a" && given.model) return lsqlc.link("model", given.model, inner);
  if (tag === "a" && !given.href) return h("span", { title: given.title }, inner);
  return h(tag, tag === "a" ? { ...given, rel: "noopener" } : given, inner);
};
