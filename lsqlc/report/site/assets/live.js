/* The status of the project's run, where the site is served by `lsqlc docs serve`; from a disk there is none. */
"use strict";

lsqlc.live = {
  address: document.querySelector('meta[name="lsqlc-status"]')?.content,
  status: null,
  /* The queries of a model; of a run that is over none of them runs. */
  queries: (name) => (lsqlc.live.status?.run?.queries || []).filter((q) => q.model === name).map((q) =>
    lsqlc.live.active() || !["running", "restarting"].includes(q.state) ? q : { ...q, state: "stopped" }),
  active: () => Boolean(lsqlc.live.status && (lsqlc.live.status.running || lsqlc.live.status.run?.state === "detached")),
  worst: (queries) => ["failed", "lost", "restarting", "running", "stopped", "finished"].find((state) => queries.some((q) => q.state === state)) || "none",
};

lsqlc.live.ask = async () => {
  try {
    const answer = await fetch(lsqlc.live.address, { cache: "no-store" });
    lsqlc.live.status = answer.ok ? await answer.json() : null;
  } catch {
    // The server has ended; what it last said is no longer true.
    lsqlc.live.status = null;
  }
  lsqlc.live.mark();
};

lsqlc.live.mark = () => {
  const { h, live } = lsqlc;
  const { status } = live, pill = document.getElementById("run");
  const run = status?.run, queries = run?.queries || [];
  pill.hidden = !run;
  if (run) {
    const failed = queries.filter((q) => q.state === "failed" || q.state === "lost").length;
    const rate = queries.reduce((sum, q) => sum + (live.active() ? q.rows_per_second : 0), 0);
    const told = !status.running && run.state !== "detached" ? "not running" : run.state === "running" ? `${queries.length} queries, ${Math.round(rate).toLocaleString("en")} rows/s` : run.state;
    pill.replaceChildren(h("span", { class: `dot ${failed ? "failed" : live.active() ? (run.state === "restarting" ? "restarting" : "running") : ""}` }), failed ? `${failed} failed` : told);
    pill.title = run.trouble || `target ${run.target || "embedded"}`;
  }
  for (const spot of document.querySelectorAll(".state[data-model]")) spot.setAttribute("class", `state ${run ? live.worst(live.queries(spot.dataset.model)) : ""}`);
  for (const line of document.querySelectorAll("[data-live]")) {
    const mine = live.queries(line.dataset.live), state = live.worst(mine);
    line.hidden = !mine.length;
    const number = (n) => Math.round(n).toLocaleString("en");
    const lag = mine.some((q) => q.lag !== null) ? `, ${number(mine.reduce((sum, q) => sum + (q.lag || 0), 0))} records behind` : "";
    line.replaceChildren(h("span", { class: `dot ${state}` }), ` ${state}`, ...(mine.length ? [
      `: ${number(mine.reduce((sum, q) => sum + q.rows, 0))} rows read, ${number(mine.reduce((sum, q) => sum + q.rows_per_second, 0))} rows/s, ${number(mine.reduce((sum, q) => sum + q.state_rows, 0))} rows of state${lag}`,
      ...mine.filter((q) => q.failure).map((q) => h("small", {}, ` ${q.query}: ${q.failure}`))] : []));
  }
};

if (lsqlc.live.address) {
  lsqlc.live.ask();
  setInterval(() => { if (!document.hidden) lsqlc.live.ask(); }, 2000);
}
