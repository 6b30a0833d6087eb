/*
 * result_file.c - files of results: a run, or a sweep with its steps.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "tools/result.h"

static int cannot_read(const char *path, int error, struct err *err)
{
  return err_set(err, -error, "cannot read '%.400s': %s", path,
                 strerror(error));
}

/* One line of what Jansson says; it may quote a piece of the file. */
static int refuse_text(const char *path, const json_error_t *e, struct err *err)
{
  if (json_error_code(e) == json_error_premature_end_of_input)
    return err_set(
      err, -EINVAL,
      "'%.400s' is truncated or empty: not a complete JSON document", path);
  return err_set(err, -EINVAL, "'%.400s' is no JSON document (line %d)", path,
                 e->line);
}

static int check_schema(struct result_file *f, struct err *err)
{
  const char *schema = result_text_at(f->json, "schema");

  if (!schema || strncmp(schema, "bench", 5) != 0)
    return err_set(err, -EINVAL, "'%.400s' is no result of bench", f->path);
  f->is_sweep = strcmp(schema, RESULT_SCHEMA_SWEEP) == 0;
  f->has_parts = f->is_sweep && json_is_true(result_at(f->json, "sweep.parts"));
  if (!f->is_sweep && strcmp(schema, RESULT_SCHEMA) != 0)
    return err_set(err, -EINVAL,
                   "'%.400s' has the schema \"%.50s\" (expected "
                   "\"" RESULT_SCHEMA "\" or \"" RESULT_SCHEMA_SWEEP "\")",
                   f->path, schema);
  return 0;
}

/* Steps with the same values belong together. */
static size_t combination_of(const struct result_file *f, size_t step)
{
  for (size_t i = 0; i < step; i++) {
    if (json_equal(f->steps[i].values, f->steps[step].values))
      return f->steps[i].combination;
  }
  return f->n_combinations;
}

static int read_step(struct result_file *f, size_t i, const json_t *json,
                     struct err *err)
{
  struct result_step *s = &f->steps[i];
  const json_t *run = json_object_get(json, "result");
  int rc;

  s->values = json_object_get(json, "values");
  s->exit_status = (int)json_integer_value(
    json_object_get(json, "exit_status"));
  if (!json_is_object(s->values))
    return err_set(err, -EINVAL,
                   "'%.400s' is not a complete result: step %zu has "
                   "no values",
                   f->path, i + 1);
  s->combination = combination_of(f, i);
  if (s->combination == f->n_combinations)
    f->n_combinations++;
  f->n_steps = i + 1;
  if (!json_is_object(run))
    return 0;
  s->run = calloc(1, sizeof(*s->run));
  if (!s->run)
    return err_set(err, -ENOMEM, "not enough memory for '%.400s'", f->path);
  rc = result_read(s->run, f->path, run, err);
  return rc;
}

static int read_sweep(struct result_file *f, struct err *err)
{
  const json_t *list = json_object_get(f->json, "steps");
  const size_t n = json_array_size(list);

  f->steps = calloc(n + 1, sizeof(*f->steps));
  if (!f->steps)
    return err_set(err, -ENOMEM, "not enough memory for '%.400s'", f->path);
  for (size_t i = 0; i < n; i++) {
    const int rc = read_step(f, i, json_array_get(list, i), err);

    if (rc < 0)
      return rc;
  }
  return 0;
}

/* A folder, for one, can be opened, but not read. */
static int load_json(struct result_file *f, struct err *err)
{
  FILE *stream = fopen(f->path, "re");
  json_error_t error;
  int rc = 0;

  if (!stream)
    return cannot_read(f->path, errno, err);
  errno = 0;
  f->json = json_loadf(stream, 0, &error);
  if (!f->json)
    rc = ferror(stream) && errno != 0 ? cannot_read(f->path, errno, err)
                                      : refuse_text(f->path, &error, err);
  (void)fclose(stream);
  return rc;
}

/* Takes the document over. */
static int read_file(struct result_file *ret, struct result_file f,
                     struct err *err)
{
  int rc = check_schema(&f, err);

  if (rc == 0)
    rc = f.is_sweep ? read_sweep(&f, err)
                    : result_read(&f.run, f.path, f.json, err);
  if (rc < 0) {
    result_file_done(&f);
    return rc;
  }
  *ret = f;
  return 0;
}

int result_load(struct result_file *ret, const char *path, struct err *err)
{
  struct result_file f = { .path = path };
  const int rc = load_json(&f, err);

  return rc < 0 ? rc : read_file(ret, f, err);
}

int result_load_text(struct result_file *ret, const char *path,
                     const char *text, size_t len, struct err *err)
{
  struct result_file f = { .path = path };
  json_error_t error;

  f.json = json_loadb(text, len, 0, &error);
  return f.json ? read_file(ret, f, err) : refuse_text(path, &error, err);
}

void result_file_done(struct result_file *f)
{
  if (!f)
    return;
  for (size_t i = 0; i < f->n_steps; i++) {
    result_done(f->steps[i].run);
    free(f->steps[i].run);
  }
  free(f->steps);
  result_done(&f->run);
  json_decref(f->json);
  *f = (struct result_file){ 0 };
}
