/*
 * load_profile.c - reads --load-profile, and gives the run its length.
 */
#include "run/load_profile.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/err.h"
#include "opt/file.h"
#include "opt/optset.h"
#include "run/load_curve.h"
#include "run/options.h"

static bool is_file(const char *value)
{
  static const char suffix[] = ".csv";
  const size_t len = strlen(value), n = sizeof(suffix) - 1;

  return len > n && strcasecmp(value + len - n, suffix) == 0;
}

static int read_file(struct load_curve **ret, const char *path, struct err *err)
{
  char *text = NULL, buf[128];
  size_t len = 0;
  int rc = opt_file_load(path, &text, &len);

  if (rc == -EFBIG)
    return err_set(err, -EINVAL, "a file of at most %d bytes", OPT_FILE_MAX);
  if (rc < 0)
    return err_set(err, -EINVAL, "a file that can be read, errno = %d (%s)",
                   -rc, err_text(-rc, buf, sizeof(buf)));
  rc = strlen(text) == len ? load_curve_points(ret, text, err)
                           : err_set(err, -EINVAL, "a file of text");
  free(text);
  return rc;
}

int load_profile_read(struct load_curve **ret, const char *value,
                      struct err *err)
{
  return is_file(value) ? read_file(ret, value, err)
                        : load_curve_parse(ret, value, err);
}

/* The time limit of a run whose user gave none. */
static int set_time(struct optset *set, double length_s, struct err *err)
{
  const struct opt_entry *time = optset_find(set, "time");
  char text[32];

  if (time->source != OPT_SOURCE_DEFAULT || isinf(length_s))
    return 0;
  (void)snprintf(text, sizeof(text), "%.15g", length_s);
  return optset_set_text(set, "time", text, err);
}

int load_profile_settle(const struct run_cfg *cfg, struct optset *set,
                        struct err *err)
{
  const struct opt_entry *e = optset_find(set, "load-profile");
  struct err why = { "" };
  struct load_curve *curve = NULL;
  double length_s;
  int rc;

  if (!*cfg->load_profile)
    return 0;
  if (cfg->rate > 0)
    return err_set(err, -EINVAL,
                   "--rate cannot be used with --load-profile (use one "
                   "of them)");
  rc = load_profile_read(&curve, cfg->load_profile, &why);
  if (rc == -EINVAL)
    return opt_refuse(e, NULL, why.text, err);
  if (rc < 0) {
    *err = why;
    return rc;
  }
  length_s = load_curve_length_s(curve);
  load_curve_free(curve);
  if (isinf(length_s) && cfg->events == 0 &&
      optset_find(set, "time")->source == OPT_SOURCE_DEFAULT)
    return opt_refuse(e, NULL,
                      "--time or --events, because its last segment has no "
                      "end",
                      err);
  return set_time(set, length_s, err);
}
