/*
 * sweep_check.c - what is checked before the first step of a sweep.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/err.h"
#include "base/strbuf.h"
#include "run/runner.h"
#include "tools/scratch.h"
#include "tools/sweep_internal.h"

static int no_memory(struct err *err)
{
  return err_set(err, -ENOMEM, "not enough memory for the sweep");
}

/* "1-8" */
static bool looks_like_range(const char *text)
{
  static const char digits[] = "0123456789";
  const size_t from = strspn(text, digits);

  return from > 0 && text[from] == '-' && text[from + 1] != '\0' &&
         strspn(text + from + 1, digits) == strlen(text + from + 1);
}

/* Print what a check has reported, in the same words as without a sweep. */
static void show_complaint(const struct sweep *s, FILE *complaint,
                           size_t combination)
{
  struct strbuf what = { 0 };

  sweep_show_file(complaint);
  sweep_plan_describe(&s->plan, combination, &what);
  if (s->plan.n_specs > 0 && !sweep_finds(s))
    (void)fprintf(stderr, "Sweep step %s is not valid; nothing was run\n",
                  strbuf_str(&what));
  strbuf_done(&what);
  for (size_t i = 0; i < s->plan.n_specs; i++) {
    if (looks_like_range(sweep_plan_value(&s->plan, combination, i)))
      (void)fprintf(stderr, "ranges are written 1..8, and not 1-8\n");
  }
}

/* Returns -EINVAL if the step was refused, which was printed. */
static int check_command(struct sweep *s, size_t combination,
                         const char *command, struct err *err)
{
  FILE *complaint = scratch_file();
  const struct sweep_process p = { .combination = combination,
                                   .command = command,
                                   .role = "check" };
  struct child_command how = { .out = CHILD_OUT_NONE };
  int status = 0, rc;

  if (!complaint)
    return err_sys(err, "cannot make a temporary file");
  how.err_fd = fileno(complaint);
  rc = sweep_command(s, &p, how, &status, err);
  if (rc == 0 && status != EXIT_OK) {
    show_complaint(s, complaint, combination);
    rc = -EINVAL;
  }
  (void)fclose(complaint);
  return rc;
}

int sweep_check_steps(struct sweep *s, struct err *err)
{
  int rc = 0;

  for (size_t i = 0; i < s->plan.n_combinations && rc == 0; i++) {
    rc = check_command(s, i, "run", err);
    if (rc == 0 && s->prepares)
      rc = check_command(s, i, "prepare", err);
    if (rc == 0 && s->prepares)
      rc = check_command(s, i, "cleanup", err);
    if (s->children.signal != 0)
      return 0;
  }
  return rc;
}

/*
 * Adds to `found` the tables in the output of a cleanup that drops nothing, the
 * first ones with their names.  Scripts without --dry-run have printed none.
 */
static void sweep_add_tables(FILE *output, struct strbuf *found)
{
  enum {
    NAMED = 3
  };
  static const char *const begins[] = { "Would drop ", "Would keep " };
  char *line = NULL;
  size_t size = 0, n = 0;

  rewind(output);
  while (getline(&line, &size, output) > 0) {
    for (size_t i = 0; i < ARRAY_SIZE(begins); i++) {
      const size_t len = strlen(begins[i]);

      if (strncmp(line, begins[i], len) != 0 || n++ >= NAMED)
        continue;
      strbuf_addf(found, "%s%.*s", n > 1 ? ", " : "",
                  (int)strcspn(line + len, "\n"), line + len);
    }
  }
  if (n > NAMED)
    strbuf_addf(found, ", and %zu more", n - NAMED);
  free(line);
}

/*
 * Each step would replace tables that are there before the first one.  Whether
 * the user wants that is not known.
 */
int sweep_check_data(struct sweep *s, struct err *err)
{
  struct strbuf found = { 0 };
  int rc = 0;

  for (size_t i = 0; i < s->plan.n_combinations && rc == 0 && found.len == 0;
       i++) {
    const struct sweep_process p = {
      .combination = i, .command = "cleanup", .role = "step", .dry_run = true
    };
    FILE *output = scratch_file();
    struct child_command how = { .out = CHILD_OUT_ERR_FD };
    int status;

    if (!output)
      return err_sys(err, "cannot make a temporary file");
    how.err_fd = fileno(output);
    rc = sweep_command(s, &p, how, &status, err);
    if (rc == 0)
      sweep_add_tables(output, &found);
    (void)fclose(output);
  }
  if (rc == 0 && found.len > 0)
    rc = err_set(err, -EEXIST,
                 "each step would replace data that exists: %.400s; use "
                 "--sweep-prepare=on if they may, or off to run on this data",
                 strbuf_str(&found));
  strbuf_done(&found);
  return rc;
}

int sweep_check_file(const char *name, struct err *err)
{
  struct whole_file f = { 0 };
  const int rc = whole_file_probe(&f, name, err);

  whole_file_abort(&f);
  return rc;
}

int sweep_check_files(const struct sweep *s, struct err *err)
{
  int rc = 0;

  for (size_t i = 0; i < s->in->n_files && rc == 0; i++) {
    struct strbuf name = { 0 };

    sweep_file_name(s->in->files[i].path, 1, &name);
    rc = name.failed ? no_memory(err)
                     : sweep_check_file(strbuf_str(&name), err);
    strbuf_done(&name);
  }
  return rc;
}
