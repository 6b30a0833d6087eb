#include "results/summary.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/facts.h"
#include "base/fmt.h"
#include "base/machine/env.h"
#include "base/strbuf.h"
#include "monitor/monitor.h"
#include "report/text.h"
#include "results/outfile.h"
#include "results/shared.h"
#include "stats/report.h"

struct summary {
  const char *name;
  const struct results_shared *shared;
  struct strbuf figures; /* of the final report */
  bool judged;
  enum slo_state state;
};

int summary_write(const char *name, const struct strbuf *text, struct err *err)
{
  struct whole_file f = { 0 };
  struct outfile_hold hold;
  int rc = text->failed ? results_no_memory(err)
                        : whole_file_probe(&f, name, err);

  if (rc == 0 && !f.stream)
    rc = whole_file_open(&f, name, err);
  if (rc < 0)
    return rc;
  whole_file_hold(&f, &hold);
  if (fputs(strbuf_str(text), f.stream) < 0)
    rc = err_sys(err, "cannot write to '%s',", name);
  outfile_release(&hold);
  if (rc == 0)
    return whole_file_commit(&f, err);
  whole_file_abort(&f);
  return rc;
}

int summary_new(struct summary **ret, const char *name,
                const struct results_shared *shared, struct err *err)
{
  struct summary *s = calloc(1, sizeof(*s));
  struct whole_file probe = { 0 };
  int rc;

  if (!s)
    return results_no_memory(err);
  rc = whole_file_probe(&probe, name, err);
  whole_file_abort(&probe);
  if (rc < 0) {
    free(s);
    return rc;
  }
  s->name = name;
  s->shared = shared;
  *ret = s;
  return 0;
}

void summary_free(struct summary *s)
{
  if (!s)
    return;
  strbuf_done(&s->figures);
  free(s);
}

static void summary_add_text(struct strbuf *out, const char *text)
{
  for (; *text; text++) {
    if (strchr("|*_`<>[]\\#", *text))
      strbuf_adds(out, "\\");
    strbuf_addf(out, "%c", (unsigned char)*text < ' ' ? ' ' : *text);
  }
}

static void summary_add_latency(struct strbuf *out, const char *name,
                                uint64_t ns)
{
  strbuf_addf(out, "| %s | %.4g ms |\n", name, (double)ns / 1e6);
}

static void summary_add_figures(struct strbuf *out, const struct report *r,
                                const struct report_setup *setup)
{
  const struct slo_sample s = report_slo_sample(r, setup);
  char pct[FMT_DOUBLE_SIZE + 1];

  strbuf_adds(out, "\n| Figure | Value |\n|---|---:|\n");
  strbuf_addf(out, "| events per second | %.2f |\n", report_rate(r, r->events));
  if (s.queries > 0)
    strbuf_addf(out, "| queries per second | %.2f |\n",
                report_rate(r, s.queries));
  strbuf_addf(out, "| events | %" PRIu64 " |\n", r->events);
  strbuf_addf(out, "| errors | %" PRIu64 " |\n", s.errors);
  strbuf_addf(out, "| seconds | %.2f |\n",
              (double)r->period_ns / (double)NS_PER_S);
  strbuf_addf(out, "| threads | %u |\n", r->threads);
  if (r->events > 0)
    summary_add_latency(out, "mean latency", r->sum_ns / r->events);
  for (unsigned i = 0; r->events > 0 && i < setup->n_percentiles; i++) {
    pct[0] = 'p';
    (void)fmt_shortest(pct + 1, setup->percentiles[i]);
    summary_add_latency(out, pct, report_percentile(r, setup->percentiles[i]));
  }
  if (r->events > 0 && setup->percentile > 0) {
    pct[0] = 'p';
    (void)fmt_shortest(pct + 1, setup->percentile);
    summary_add_latency(out, pct, r->percentile_ns);
  }
  if (r->events > 0)
    summary_add_latency(out, "largest latency", r->max_ns);
}

static void summary_add_verdict(struct strbuf *out, const struct slo_verdict *v)
{
  strbuf_adds(out, "\n| Objective | Value | Verdict |\n|---|---:|---|\n");
  for (unsigned i = 0; i < v->n; i++) {
    char value[SLO_VALUE_SIZE];

    strbuf_adds(out, "| ");
    summary_add_text(out, v->of[i].term->text);
    strbuf_addf(out, " | %s | ", slo_value_text(value, &v->of[i]));
    text_slo_remark(out, &v->of[i]);
    strbuf_adds(out, " |\n");
  }
}

static int summary_on_final(void *ctx, const struct report_setup *setup,
                            const struct report *r, struct err *err)
{
  struct summary *s = ctx;
  struct slo_verdict verdict;

  summary_add_figures(&s->figures, r->total ? r->total : r, setup);
  if (setup->slo.n > 0) {
    report_judge(r, setup, &verdict);
    s->judged = true;
    s->state = verdict.state;
    summary_add_verdict(&s->figures, &verdict);
  }
  return s->figures.failed ? results_no_memory(err) : 0;
}

static void summary_add_fact(struct strbuf *out, const struct facts *f,
                             const char *key, const char *title)
{
  const struct fact *fact = facts_find(f, key);

  if (!fact)
    return;
  strbuf_addf(out, "- %s: ", title);
  if (fact->type == FACT_TEXT)
    summary_add_text(out, fact->text);
  else
    strbuf_addf(out, "%" PRId64, fact->integer);
  strbuf_adds(out, "\n");
}

void summary_machine(struct strbuf *out)
{
  static const struct {
    const char *key, *title;
  } shown[] = {
    { "host", "host" },
    { "os", "system" },
    { "kernel.release", "kernel" },
    { "cpu.model", "CPU" },
    { "cpu.allowed", "CPUs that the run can use" },
    { "cpu.governor", "governor" },
  };
  struct facts f = { 0 };

  env_host(&f, "");
  env_cpu(&f, "");
  strbuf_adds(out, "\n### Machine\n\n");
  for (size_t i = 0; i < sizeof(shown) / sizeof(shown[0]); i++)
    summary_add_fact(out, &f, shown[i].key, shown[i].title);
  out->failed = out->failed || f.failed;
  facts_done(&f);
}

static void summary_add_warnings(struct strbuf *out, const struct warnings *d)
{
  if (!d || d->n == 0)
    return;
  strbuf_adds(out, "\n### Warnings\n\n");
  for (size_t i = 0; i < d->n; i++) {
    strbuf_adds(out, "- ");
    summary_add_text(out, d->of[i].text);
    strbuf_addf(out, " (`%s`)\n", d->of[i].code);
  }
}

static void summary_add_server(struct strbuf *out, const struct server_total *t)
{
  bool any = false;
  double cost;

  for (size_t i = 0; i < SERVER_COSTS; i++) {
    const struct server_cost *c = &server_cost_table[i];

    if (!server_cost_per_event(c, &t->did, t->events, &cost))
      continue;
    if (!any) {
      strbuf_adds(out, "\n### Server: ");
      summary_add_text(out, t->target);
      strbuf_adds(out, "\n\n| Per event | Value |\n|---|---:|\n");
    }
    any = true;
    strbuf_addf(out, "| %s | %.4g |\n", c->what, cost);
  }
}

static void summary_add_servers(struct strbuf *out, struct monitor *m)
{
  for (unsigned i = 0; i < monitor_servers(m); i++) {
    struct server_total t;

    monitor_total(m, i, &t);
    summary_add_server(out, &t);
  }
}

static const char *summary_outcome(const struct summary *s,
                                   const struct run_end *end)
{
  static const char *const verdicts[] = {
    [SLO_HELD] = "objective held",
    [SLO_FAILED] = "objective **not held**",
    [SLO_UNKNOWN] = "objective **not shown to be held**",
  };

  if (end->status != EXIT_SUCCESS || end->signal != 0)
    return "**failed**";
  return s->judged ? verdicts[s->state] : "done";
}

static int summary_on_over(void *ctx, const struct run_end *end,
                           struct err *err)
{
  struct summary *s = ctx;
  struct strbuf out = { 0 };
  int rc;

  strbuf_adds(&out, "## ");
  summary_add_text(&out, s->shared->test);
  strbuf_addf(&out, ": %s\n", summary_outcome(s, end));
  if (end->error) {
    strbuf_adds(&out, "\nThe run ended early: ");
    summary_add_text(&out, end->error);
    strbuf_adds(&out, "\n");
  }
  strbuf_adds(&out, strbuf_str(&s->figures));
  summary_add_servers(&out, s->shared->monitor);
  summary_add_warnings(&out, end->warnings);
  summary_machine(&out);
  rc = summary_write(s->name, &out, err);
  strbuf_done(&out);
  return rc;
}

const struct reporter summary_reporter = {
  .name = "summary",
  .final = summary_on_final,
  .over = summary_on_over,
};
