"use strict";

/* SQL as a block, in colour. */
lsqlc.code = (text) => {
  const words = /(--[^\n]*|\/\*[\s\S]*?\*\/)|('(?:[^']|'')*')|(`[^`]*`|"[^"]*")|\b(\d+(?:\.\d+)?)\b|(?<![\w-])([A-Za-z_]+)(?!\w|-\w)/g;
  const block = lsqlc.h("code");
  let end = 0;
  for (const found of text.matchAll(words)) {
    const [whole, comment, string, name, number, word] = found;
    const kind = comment ? "comment" : string ? "string" : number ? "number"
      : word && !name && lsqlc.keywords.has(word.toUpperCase()) ? "keyword" : null;
    if (!kind) continue;
    block.append(text.slice(end, found.index), lsqlc.h("span", { class: kind }, whole));
    end = found.index + whole.length;
  }
  block.append(text.slice(end));
  return lsqlc.h("pre", {}, block);
};
lsqlc.keywords = new Set(
  ("ADVANCE ALL AND AS ASC BETWEEN BY CASE CAST CHANGES CREATE CROSS DESC DISTINCT ELSE EMIT END ESCAPE EXISTS FALSE FINAL " +
    "FROM FULL GRACE GROUP HAVING HOP HOPPING IN INNER INSERT INTO IS JOIN KEY LATERAL LEFT LIKE LIMIT NOT NULL ON OR ORDER " +
    "OUTER OVER PARTITION PERIOD QUALIFY RIGHT SELECT SESSION SET SIZE STORE STREAM TABLE TEMPORARY THEN TRUE TUMBLE TUMBLING UNION " +
    "UNNEST USING VALUE VALUES VIEW WHEN WHERE WINDOW WITH WITHIN").split(" "));
