/* What all parts share: making elements, and addresses. Text from the project becomes text nodes and attributes only,
   never markup. */
"use strict";

const lsqlc = { site: null, pages: {} };

lsqlc.text = (value) => document.createTextNode(String(value));

/* An element with attributes, and children that are nodes or texts; null and undefined ones are left out. */
lsqlc.fill = (element, attributes, children) => {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined && value !== false) element.setAttribute(name, value);
  }
  for (const child of children.flat(Infinity)) {
    if (child !== null && child !== undefined) element.append(child instanceof Node ? child : lsqlc.text(child));
  }
  return element;
};
lsqlc.h = (tag, attributes, ...children) => lsqlc.fill(document.createElement(tag), attributes, children);
lsqlc.s = (tag, attributes, ...children) =>
  lsqlc.fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);

/* A text whose parts between backticks are code. */
lsqlc.prose = (text) => String(text).split("`").map((part, index) => (index % 2 ? lsqlc.h("code", {}, part) : part));

lsqlc.path = (...parts) => "#/" + parts.map(encodeURIComponent).join("/");
lsqlc.link = (kind, name, label) => lsqlc.h("a", { href: lsqlc.path(kind, name), class: kind }, label ?? name);

lsqlc.compare = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
lsqlc.own = (object, name) => (Object.hasOwn(object, name) ? object[name] : undefined);
