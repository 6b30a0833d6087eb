/*
 * metrics_server.c - what database servers did, beside the counters of a run.
 */
#include "base/strbuf.h"
#include "monitor/monitor.h"
#include "results/metrics_parts.h"

/* The samples of a figure, each with the name of its server. */
static void add_figure(const struct metrics_out *o, struct monitor *m,
                       enum server_figure f)
{
  const struct server_figure_info *info = &figures_info[f];
  const bool counts = info->kind == SERVER_COUNT;
  struct strbuf name = { 0 };
  bool begun = false;

  strbuf_addf(&name, "bench_server_%s", info->metric);
  for (unsigned i = 0; i < monitor_servers(m); i++) {
    struct server_interval now;
    struct server_total all;

    monitor_latest(m, i, &now);
    monitor_total(m, i, &all);
    if (!(counts ? all.did.has[f] : now.known && now.did.has[f]))
      continue;
    if (!begun)
      metrics_family(o, strbuf_str(&name), counts ? "counter" : "gauge",
                     info->help);
    begun = true;
    strbuf_addf(o->b, "%s%s{", strbuf_str(&name), counts ? "_total" : "");
    metrics_label(o->b, "server", all.target);
    strbuf_addf(o->b, "} %.15g\n",
                (counts ? all.did : now.did).value[f] * info->to_metric);
  }
  strbuf_done(&name);
}

/* What sessions waited for before the last reading. */
static void add_waits(const struct metrics_out *o, struct monitor *m)
{
  bool begun = false;

  for (unsigned i = 0; i < monitor_servers(m); i++) {
    struct server_interval now;
    struct server_total all;

    monitor_latest(m, i, &now);
    monitor_total(m, i, &all);
    for (unsigned k = 0; k < now.waits.n; k++) {
      if (!begun)
        metrics_family(o, "bench_server_waiting_sessions", "gauge",
                       "Sessions of the run by what they wait for, on "
                       "average.");
      begun = true;
      strbuf_adds(o->b, "bench_server_waiting_sessions{");
      metrics_label(o->b, "server", all.target);
      strbuf_adds(o->b, ",");
      metrics_label(o->b, "wait", now.waits.of[k].name);
      strbuf_addf(o->b, "} %.15g\n",
                  (double)now.waits.of[k].sessions / (double)now.waits.looks);
    }
  }
}

void metrics_servers(const struct metrics_out *o, struct monitor *m)
{
  for (int f = 0; f < SERVER_FIGURES && monitor_servers(m) > 0; f++)
    add_figure(o, m, (enum server_figure)f);
  add_waits(o, m);
}
