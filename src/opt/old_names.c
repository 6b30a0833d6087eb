/*
 * old_names.c - option names that bench does not have.
 *
 * The scripts of oltp_legacy declare no options and take their old names; these
 * rows are for tests that know the new ones.
 */
#include "opt/old_names.h"

#include <stddef.h>

#include "base/compiler.h"
#include "opt/suggest.h"

#define NOT_NEEDED "is no longer needed: remove it"
#define NO_SUCCESSOR "is gone, and has no successor: remove it"

static const struct old_name old_names[] = {
  { "oltp-table-size", .now = "table-size" },
  { "oltp-tables-count", .now = "tables" },
  { "oltp-range-size", .now = "range-size" },
  { "oltp-point-selects", .now = "point-selects" },
  { "oltp-simple-ranges", .now = "simple-ranges" },
  { "oltp-sum-ranges", .now = "sum-ranges" },
  { "oltp-order-ranges", .now = "order-ranges" },
  { "oltp-distinct-ranges", .now = "distinct-ranges" },
  { "oltp-index-updates", .now = "index-updates" },
  { "oltp-non-index-updates", .now = "non-index-updates" },
  { "oltp-delete-inserts", .now = "delete-inserts" },
  { "oltp-skip-trx", .now = "skip-trx" },
  { "oltp-auto-inc", .now = "auto-inc" },
  { "oltp-secondary", .now = "secondary" },
  { "oltp-create-secondary", .now = "create-secondary" },
  { "oltp-reconnect", .now = "reconnect" },
  { "oltp-dist-type", .now = "rand-type" },
  { "oltp-dist-iter", .now = "rand-spec-iter" },
  { "oltp-dist-pct", .now = "rand-spec-pct" },
  { "oltp-dist-res", .now = "rand-spec-res" },
  { "oltp-read-only", .advice = "is now a test: oltp_read_only" },
  { "oltp-write-only", .advice = "is now a test: oltp_write_only" },
  { "oltp-test-mode",
    .advice = "is now a choice of tests: oltp_read_write, oltp_read_only, "
              "oltp_point_select and others (see 'list')" },
  { "oltp-nontrx-mode",
    .advice = "is now a choice of tests: oltp_point_select, oltp_update_index, "
              "oltp_insert and others (see 'list')" },
  { "oltp-range-selects", .now = "range-selects" },
  { "oltp-table-name", .advice = NO_SUCCESSOR " (tables are sbtest1, ...)" },
  { "oltp-sp-name", .advice = NO_SUCCESSOR },
  { "oltp-connect-delay", .advice = NO_SUCCESSOR },
  { "oltp-user-delay-min", .advice = NO_SUCCESSOR },
  { "oltp-user-delay-max", .advice = NO_SUCCESSOR },
  { "oltp-avoid-deadlocks", .advice = NO_SUCCESSOR },
  { "oltp-reconnect-mode", .now = "reconnect" },
  { "mysql-table-engine", .now = "mysql-storage-engine" },
  { "mysql-table-type", .now = "mysql-storage-engine" },
  { "mysql-table-options", .now = "create-table-options" },
  { "mysql-engine-trx", .advice = NOT_NEEDED },
  { "myisam-max-rows", .now = "create-table-options=MAX_ROWS=N" },
  { "rand-init", .advice = NOT_NEEDED " (--rand-seed sets the seed)" },
  { "init-rng", .advice = NOT_NEEDED " (--rand-seed sets the seed)" },
  { "seed-rng", .now = "rand-seed" },
  { "rand-seq", .advice = NO_SUCCESSOR },
  { "tx-jitter", .advice = NOT_NEEDED " (--rate draws the gaps at random)" },
  { "batch", .now = "report-interval" },
  { "batch-delay", .now = "report-interval" },

  { "output", true, .now = "json=FILE" },
  { "format", true, .now = "json=FILE" },
  { "duration", true, .now = "time" },
  { "runtime", true, .now = "time" },
  { "clients", true, .now = "threads" },
  { "connections", true, .now = "threads" },
  { "concurrency", true, .now = "threads" },
  { "jobs", true, .now = "threads" },
  { "interval", true, .now = "report-interval" },
  { "host", true, .advice = "is --mysql-host or --pgsql-host" },
  { "port", true, .advice = "is --mysql-port or --pgsql-port" },
  { "user", true, .advice = "is --mysql-user or --pgsql-user" },
  { "password", true, .advice = "is --mysql-password or --pgsql-password" },
  { "database", true, .advice = "is --mysql-db, --pgsql-db or --sqlite-db" },
};

const struct old_name *old_name_find(const char *name)
{
  for (size_t i = 0; i < ARRAY_SIZE(old_names); i++) {
    if (opt_name_equal(old_names[i].name, name))
      return &old_names[i];
  }
  return NULL;
}
