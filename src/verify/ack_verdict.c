/*
 * ack_verdict.c - see ack_verdict.h.
 */
#include "verify/ack_verdict.h"

#include <inttypes.h>

#include "base/clock.h"
#include "base/compiler.h"
#include "base/fmt.h"
#include "verify/verify.h"

double ack_seconds_at(const struct ack_header *h, uint64_t ns)
{
  return ns > h->start_ns ? (double)(ns - h->start_ns) / (double)NS_PER_S : 0.0;
}

int ack_verdict_good(FILE *out, const struct ack_logs *logs, bool warning)
{
  const struct ack_reader *r = ack_logs_incomplete(logs);
  const uint64_t damaged = ack_logs_damaged(logs);
  uint32_t rank = 0;
  const uint32_t absent = ack_logs_absent(logs, &rank);

  if (damaged > 0) {
    (void)fprintf(out,
                  "Nobody can tell: %" PRIu64 " part%s of the log %s damaged\n",
                  damaged, fmt_plural(damaged), damaged == 1 ? "is" : "are");
    return VERIFY_UNKNOWN;
  }
  if (absent > 0) {
    (void)fprintf(out,
                  "Nobody can tell: the logs of %" PRIu32 " of %" PRIu32
                  " processes are not here, such as that of process %" PRIu32
                  "\n",
                  absent, logs->of[0]->reader.header.ranks, rank);
    return VERIFY_UNKNOWN;
  }
  if (ack_logs_sums(logs).acked == 0) {
    (void)fputs("Nobody can tell: nothing was acknowledged\n", out);
    return VERIFY_UNKNOWN;
  }
  if (r && (ack_logs_flags(logs) & ACK_MISSES) != 0) {
    (void)fputs("Nobody can tell what is not in the log; all that is "
                "acknowledged in it is there\n",
                out);
    return VERIFY_UNKNOWN;
  }
  if (r) {
    (void)fprintf(out, "Nobody can tell what came after %.3f s of the run",
                  ack_seconds_at(&r->header, r->header.covered_ns));
    if (logs->n > 1)
      (void)fprintf(out, " in '%s'", r->path);
    (void)fputs("; all that was acknowledged until then is there\n", out);
    return VERIFY_UNKNOWN;
  }
  (void)fputs(warning
                ? "ok: the total is not too low, unless commits with unknown "
                  "outcome are there in place of acknowledged ones\n"
                : "ok: everything that was acknowledged is there\n",
              out);
  return VERIFY_OK;
}

int ack_verdict_bad(FILE *out, struct ack_faults faults)
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

int ack_verdict_behind(FILE *out, double missing)
{
  (void)fprintf(out,
                "Nobody can tell: at least %.0f %s not on this server, which "
                "is read-only: a replica may not have everything yet "
                "(--target=replica takes it as it is)\n",
                missing, missing > 1 ? "are" : "is");
  return VERIFY_UNKNOWN;
}
