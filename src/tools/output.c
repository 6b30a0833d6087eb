#include "tools/output.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "results/kept.h"
#include "results/outfile.h"
#include "results/outname.h"
#include "tools/tool.h"

int output_take_any(struct output *o, const struct tool_args *args,
                    struct err *err)
{
  o->files = calloc(args->n_files + 1, sizeof(*o->files));
  if (!o->files)
    return err_set(err, -ENOMEM, "not enough memory for the arguments");
  o->n = 0;
  for (size_t i = 0; i < args->n_files; i++) {
    if (strcmp(args->files[i], "-o") == 0) {
      if (i + 1 == args->n_files)
        return err_set(err, -EINVAL, "-o needs the name of a file");
      o->path = args->files[++i];
    } else {
      o->files[o->n++] = args->files[i];
    }
  }
  return 0;
}

int output_take(struct output *o, const struct tool_args *args, struct err *err)
{
  const int rc = output_take_any(o, args, err);

  return rc < 0 || o->n > 0
           ? rc
           : err_set(err, -EINVAL, "%s needs a file", args->tool_name);
}

int output_check(const struct output *o, const char *what, struct err *err)
{
  char kept[PATH_MAX];

  for (size_t i = 0; i < o->n; i++) {
    if (outname_same(o->path, kept_or_file(o->files[i], kept)))
      return err_set(err, -EINVAL,
                     "%s would replace the result '%.400s' (expected another "
                     "file)",
                     what, o->files[i]);
  }
  return 0;
}

int output_put(const char *path, const char *text, size_t len, struct err *err)
{
  struct whole_file f;
  int rc;

  rc = whole_file_open(&f, path, err);
  if (rc < 0)
    return rc;
  if (fwrite(text, 1, len, f.stream) != len) {
    rc = err_sys(err, "cannot write to '%s',", path);
    whole_file_abort(&f);
    return rc;
  }
  return whole_file_commit(&f, err);
}

bool output_json(const json_t *json, FILE *to)
{
  return json_dumpf(json, to, JSON_INDENT(1) | JSON_REAL_PRECISION(15)) == 0 &&
         fputs("\n", to) >= 0;
}

int output_put_json(const char *path, const json_t *json, struct err *err)
{
  struct whole_file f;
  int rc = whole_file_open(&f, path, err);

  if (rc < 0)
    return rc;
  if (output_json(json, f.stream))
    return whole_file_commit(&f, err);
  rc = err_sys(err, "cannot write to '%s',", path);
  whole_file_abort(&f);
  return rc;
}

bool output_keep(const json_t *json)
{
  struct kept_file f;
  bool whole;

  if (!json || kept_open(&f) < 0)
    return false;
  whole = output_json(json, f.stream);
  kept_close(&f, whole);
  return whole;
}
