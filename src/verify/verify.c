#include "verify/verify.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/err.h"
#include "base/strbuf.h"

/* In the order of enum level. */
static const char *const levels[VERIFY_LEVELS + 1] = {
  "read-committed", "repeatable-read", "snapshot", "serializable", NULL
};

const struct opt verify_opts[] = {
  {
    OPT_STRING(struct verify_cfg, query),
    .name = "query",
    .def = "",
    .flags = OPT_OWN,
    .show_as = "=SQL",
    .help = "acknowledgement logs: the query that reads all numbers, one per "
            "row; empty = the one in the log",
  },
  {
    OPT_WORD(struct verify_cfg, expect),
    .name = "expect",
    .def = "serializable",
    .flags = OPT_OWN,
    .words = levels,
    .help = "histories: the level of isolation that the run should have had",
    .man = "Lists which anomalies are found, and which of them the level "
           "excludes. If there is one of these, the exit status is 1.",
  },
  {
    OPT_STRING(struct verify_cfg, export_edn),
    .name = "export-edn",
    .def = "",
    .flags = OPT_OWN | OPT_PATH,
    .show_as = "=FILE",
    .help = "histories: write the history to FILE as EDN, for Elle's "
            "command-line checker",
  },
  {
    OPT_STRING(struct verify_cfg, export_json),
    .name = "export-json",
    .def = "",
    .flags = OPT_OWN | OPT_PATH,
    .show_as = "=FILE",
    .help = "histories: write the history to FILE as JSON, for the same",
  },
  OPT_END,
};

enum {
  MAGIC_SIZE = 128
};

static int verify_read_magic(const char *path, char line[MAGIC_SIZE],
                             struct err *err)
{
  struct stat st;
  FILE *f;
  size_t n;
  char *end;
  int rc = 0;

  /* Opening a pipe would wait for its writer. */
  if (stat(path, &st) == 0 && !S_ISREG(st.st_mode))
    return err_set(err, -EINVAL, "'%.400s' is not a regular file", path);
  f = fopen(path, "re");
  if (!f)
    return err_sys(err, "cannot read '%.400s',", path);
  n = fread(line, 1, MAGIC_SIZE - 1, f);
  if (ferror(f))
    rc = err_sys(err, "cannot read '%.400s',", path);
  (void)fclose(f);
  line[n] = '\0';
  end = strchr(line, '\n');
  *(end ? end : line) = '\0';
  return rc;
}

static int verify_refuse(const struct verify_kind *const *kinds,
                         const char *path, struct err *err)
{
  struct strbuf known = { 0 };

  for (; *kinds; kinds++)
    strbuf_addf(&known, "%s%s", known.len > 0 ? ", or " : " (expected ",
                (*kinds)->title);
  strbuf_adds(&known, known.len > 0 ? ")" : "");
  (void)err_set(err, -EINVAL, "'%.400s' is not a file that verify can judge%s",
                path, strbuf_str(&known));
  strbuf_done(&known);
  return -EINVAL;
}

int verify_find(const struct verify_kind *const *kinds, const char *path,
                const struct verify_kind **ret, struct err *err)
{
  char line[MAGIC_SIZE];
  const int rc = verify_read_magic(path, line, err);

  if (rc < 0)
    return rc;
  for (const struct verify_kind *const *k = kinds; *k; k++) {
    if (strcmp(line, (*k)->magic) == 0) {
      *ret = *k;
      return 0;
    }
  }
  return verify_refuse(kinds, path, err);
}

bool verify_has_option(const struct verify_kind *kind, const char *name)
{
  for (size_t i = 0; i < VERIFY_OPTIONS && kind->options[i]; i++) {
    if (strcmp(kind->options[i], name) == 0)
      return true;
  }
  return false;
}

const struct verify_kind *const verify_kinds[] = { &verify_acks, &verify_lists,
                                                   &verify_registers, NULL };
