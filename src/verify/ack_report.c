#include "verify/ack_report.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/compiler.h"
#include "base/fmt.h"
#include "verify/acks.h"
#include "verify/verify.h"

struct ack_faults {
  uint64_t lost, phantom, duplicate, unexpected;
};

/* ---- the last line, and the exit status ---- */

static double ack_seconds_at(const struct ack_header *h, uint64_t ns)
{
  return ns > h->start_ns ? (double)(ns - h->start_ns) / (double)NS_PER_S : 0.0;
}

/* Nothing is wrong, but the logs can be incomplete. `warning`: commits of
 * unknown outcome can stand in for acknowledged ones. */
static int ack_verdict_good(FILE *out, const struct ack_logs *logs,
                            bool warning)
{
  const struct ack_whole all = ack_logs_whole(logs);
  const struct ack_reader *r = all.incomplete;

  if (all.damaged > 0) {
    (void)fprintf(
      out, "cannot tell: %" PRIu64 " part%s of the log %s damaged\n",
      all.damaged, fmt_plural(all.damaged), all.damaged == 1 ? "is" : "are");
    return VERIFY_UNKNOWN;
  }
  if (all.absent > 0) {
    (void)fprintf(
      out,
      "cannot tell: the logs of %" PRIu32 " of %" PRIu32
      " processes are missing, such as that of process %" PRIu32 "\n",
      all.absent, logs->of[0]->reader.header.ranks, all.absent_rank);
    return VERIFY_UNKNOWN;
  }
  if (all.sums.acked == 0) {
    (void)fputs("cannot tell: nothing was acknowledged\n", out);
    return VERIFY_UNKNOWN;
  }
  if (r && (all.flags & ACK_MISSES) != 0) {
    (void)fputs("cannot tell: the log has gaps; every commit that it lists "
                "as acknowledged is there\n",
                out);
    return VERIFY_UNKNOWN;
  }
  if (r) {
    (void)fputs("cannot tell: the log", out);
    if (logs->n > 1)
      (void)fprintf(out, " '%s'", r->path);
    (void)fprintf(out,
                  " ends at %.3f s of the run; every commit that was "
                  "acknowledged until then is there\n",
                  ack_seconds_at(&r->header, r->header.covered_ns));
    return VERIFY_UNKNOWN;
  }
  (void)fputs(warning
                ? "ok: the total is not too low, unless commits with unknown "
                  "outcome are there in place of acknowledged ones\n"
                : "ok: everything that was acknowledged is there\n",
              out);
  return VERIFY_OK;
}

static int ack_verdict_bad(FILE *out, struct ack_faults faults)
{
  const struct {
    uint64_t n;
    const char *name;
  } all[] = {
    { faults.lost, "lost" },
    { faults.phantom, "phantom" },
    { faults.duplicate, "duplicate" },
    { faults.unexpected, "unexpected" },
  };
  const char *gap = " ";

  (void)fputs("FAILED:", out);
  for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
    if (all[i].n == 0)
      continue;
    (void)fprintf(out, "%s%" PRIu64 " %s", gap, all[i].n, all[i].name);
    gap = ", ";
  }
  (void)fputs("\n", out);
  return VERIFY_BAD;
}

/* A replica lacks `missing`. */
static int ack_verdict_behind(FILE *out, double missing)
{
  (void)fprintf(out,
                "cannot tell: at least %.0f %s not on this server, which "
                "is read-only: a replica can still be behind "
                "(--server-role=replica judges it as it is)\n",
                missing, missing > 1 ? "are" : "is");
  return VERIFY_UNKNOWN;
}

/* ---- the report ---- */

/* "": nothing. */
static const char *ack_report_what_misses(const struct ack_header *h)
{
  if (!ack_is_incomplete(h))
    return atomic_load(&h->end_ns) != 0
             ? ""
             : "; the run did not end in the usual way";
  return (h->flags & ACK_MISSES) != 0
           ? "; it has gaps, because its listener was too slow"
           : "; its end has not arrived at the listener";
}

static void ack_report_counts_of(FILE *out, const struct ack_sums *s)
{
  (void)fprintf(out,
                "  %" PRIu64 " acknowledged, %" PRIu64 " aborted, %" PRIu64
                " unknown\n",
                s->acked, s->aborted, s->unknown);
}

static void ack_report_log(FILE *out, const struct ack_log_read *log)
{
  const struct ack_header *h = &log->reader.header;
  const struct ack_sums *s = &log->sums;
  const double took_s = (double)(s->last_ns > s->first_ns
                                   ? s->last_ns - s->first_ns
                                   : 0) /
                        (double)NS_PER_S;

  (void)fprintf(out, "Log '%s': %s, %" PRIu32 " client%s, %.3f s%s\n",
                log->reader.path, h->test, h->clients, fmt_plural(h->clients),
                took_s, ack_report_what_misses(h));
  ack_report_counts_of(out, s);
}

void ack_report_logs(FILE *out, const struct ack_logs *logs)
{
  const struct ack_sums all = ack_logs_whole(logs).sums;
  const size_t runs = ack_logs_runs(logs);

  for (size_t i = 0; i < logs->n; i++)
    ack_report_log(out, logs->of[i]);
  if (logs->n == 1)
    return;
  if (runs == 1)
    (void)fprintf(out, "All %zu logs:\n", logs->n);
  else
    (void)fprintf(out, "All %zu logs, of %zu runs with one query:\n", logs->n,
                  runs);
  ack_report_counts_of(out, &all);
}

/* With the first numbers. */
struct tally {
  uint64_t lost, recovered, phantom, duplicate;
  uint64_t unclear; /* phantoms, unless the log lacks a later attempt */
  uint64_t phantom_ids[ACKS_EXAMPLES], duplicate_ids[ACKS_EXAMPLES];
};

static void ack_report_note(uint64_t *count, uint64_t ids[ACKS_EXAMPLES],
                            uint64_t id)
{
  if (*count < ACKS_EXAMPLES)
    ids[*count] = id;
  ++*count;
}

static void ack_report_count(const struct ack_set *s, bool incomplete,
                             struct tally *t)
{
  for (size_t i = 0; i < s->n; i++) {
    const struct ack_entry *e = &s->of[i];

    if (ack_entry_is_lost(e))
      t->lost += e->acked - e->found;
    t->recovered += ack_entry_is_recovered(e);
    if (ack_entry_is_phantom(e) && incomplete)
      t->unclear++;
    else if (ack_entry_is_phantom(e))
      ack_report_note(&t->phantom, t->phantom_ids, e->id);
    if (ack_entry_is_duplicate(e))
      ack_report_note(&t->duplicate, t->duplicate_ids, e->id);
  }
}

static void ack_report_line(FILE *out, const char *name, uint64_t n,
                            const char *means, const uint64_t *ids)
{
  (void)fprintf(out, "  %-11s %9" PRIu64 "   %s", name, n, means);
  for (uint64_t i = 0; ids && i < n && i < ACKS_EXAMPLES; i++)
    (void)fprintf(out, "%s%" PRIu64, i == 0 ? ": " : ", ", ids[i]);
  (void)fputs(ids && n > ACKS_EXAMPLES ? ", ...\n" : "\n", out);
}

/* By the time from acknowledgement to failure. */
static void ack_report_by_time(FILE *out, const struct losses *l,
                               const char *title)
{
  static const double limits[] = { 0.001, 0.01, 0.1, 1, 10, 100 };
  uint64_t counts[ARRAY_SIZE(limits) + 1] = { 0 };
  double most = 0;

  for (size_t i = 0; i < l->n; i++) {
    const double s = (double)l->of[i].before_ns / (double)NS_PER_S;
    size_t k = 0;

    while (k < ARRAY_SIZE(limits) && s >= limits[k])
      k++;
    counts[k]++;
    most = s > most ? s : most;
  }
  (void)fprintf(out, "%s, by seconds before the failure (at most %.3f):\n",
                title, most);
  for (size_t k = 0; k <= ARRAY_SIZE(limits); k++) {
    if (counts[k] == 0)
      continue;
    if (k < ARRAY_SIZE(limits))
      (void)fprintf(out, "  below %-7g %9" PRIu64 "\n", limits[k], counts[k]);
    else
      (void)fprintf(out, "  %-13s %9" PRIu64 "\n", "more", counts[k]);
  }
}

static void ack_report_examples(FILE *out, const struct ack_logs *logs,
                                const struct losses *l)
{
  for (size_t i = 0; i < l->n && i < ACKS_EXAMPLES; i++) {
    const struct loss *one = &l->of[i];
    const struct ack_reader *r = &logs->of[one->log]->reader;

    (void)fprintf(out, "  number %" PRIu64 " of client %" PRIu32, one->id,
                  one->client);
    if (logs->n > 1)
      (void)fprintf(out, " of '%s'", r->path);
    (void)fprintf(out,
                  ", acknowledged at %.3f s, %.3f s before its failure: %s\n",
                  ack_seconds_at(&r->header, one->acked_ns),
                  (double)one->before_ns / (double)NS_PER_S,
                  one->hole ? "a hole" : "in a suffix");
  }
}

/* Can the database have more than the log? */
static bool ack_report_may_have_others(const struct ack_whole *all)
{
  return (all->flags & ACK_OTHERS) != 0 || all->damaged > 0 ||
         all->incomplete != NULL || all->absent > 0;
}

int ack_report_numbers(FILE *out, const struct ack_logs *logs,
                       const struct ack_set *s, const struct losses *l,
                       bool replica)
{
  const struct ack_whole all = ack_logs_whole(logs);
  const bool others = ack_report_may_have_others(&all);
  const uint64_t unexpected = others ? 0 : s->unexpected;
  struct tally t = { 0 };
  bool behind;

  ack_report_count(s, all.incomplete != NULL, &t);
  behind = replica && t.lost > 0;
  (void)fprintf(out, "Database: %" PRIu64 " row%s\n", s->rows,
                fmt_plural(s->rows));
  (void)fprintf(out,
                "  %-11s %9" PRIu64 "   acknowledged, and not there: "
                "%zu in a suffix, %zu in a hole\n",
                behind ? "missing" : "lost", t.lost, l->n - l->n_holes,
                l->n_holes);
  ack_report_line(out, "recovered", t.recovered,
                  "the outcome was unknown, and it is there", NULL);
  ack_report_line(out, "phantom", t.phantom, "aborted, and it is there",
                  t.phantom_ids);
  if (t.unclear > 0)
    ack_report_line(
      out, "unclear", t.unclear,
      "aborted, and it is there; a later attempt may be missing in the log",
      NULL);
  ack_report_line(out, "duplicate", t.duplicate, "it is there more than once",
                  t.duplicate_ids);
  ack_report_line(out, others ? "others" : "unexpected", s->unexpected,
                  "it is there, and the log does not name it",
                  others ? NULL : s->unexpected_ids);
  if (l->n > 0) {
    ack_report_by_time(out, l, behind ? "Missing" : "Lost");
    ack_report_examples(out, logs, l);
  }
  if (t.phantom + t.duplicate + unexpected > 0 || (t.lost > 0 && !behind))
    return ack_verdict_bad(out, (struct ack_faults){
                                  .lost = behind ? 0 : t.lost,
                                  .phantom = t.phantom,
                                  .duplicate = t.duplicate,
                                  .unexpected = unexpected,
                                });
  return behind ? ack_verdict_behind(out, (double)t.lost)
                : ack_verdict_good(out, logs, false);
}

int ack_report_total(FILE *out, const struct ack_logs *logs, double growth,
                     bool replica)
{
  const struct ack_whole all = ack_logs_whole(logs);
  const double acked = (double)all.sums.acked,
               unknown = (double)all.sums.unknown;
  bool in_doubt;

  (void)fprintf(out, "Database: %.0f since the begin of the run\n", growth);
  if (growth < acked && replica)
    return ack_verdict_behind(out, acked - growth);
  if (growth < acked) {
    (void)fprintf(out, "FAILED: at least %.0f lost\n", acked - growth);
    return VERIFY_BAD;
  }
  if (growth > acked + unknown && !ack_report_may_have_others(&all)) {
    (void)fprintf(out, "FAILED: %.0f unexpected\n", growth - acked - unknown);
    return VERIFY_BAD;
  }
  if (all.incomplete) {
    (void)fputs("cannot tell: the log is not complete\n", out);
    return VERIFY_UNKNOWN;
  }
  (void)fprintf(out, "  recovered   %9.0f   the outcome was unknown\n",
                growth > acked + unknown ? unknown : growth - acked);
  /* Unknown commits, or work of others, can stand in for acknowledged ones. */
  in_doubt = unknown > 0 &&
             (growth < acked + unknown || ack_report_may_have_others(&all));
  return ack_verdict_good(out, logs, in_doubt);
}
