/*
 * fuzz_sqlfile.c - whatever a file of SQL holds: it is refused with its place,
 * or its program stays inside its arrays, jumps only forwards, and has
 * statements whose placeholders the SQL layer finds as well.
 *
 * Input: a byte for the dialect, the file.
 */
#include "base/err.h"
#include "db/emul.h"
#include "input.h"
#include "tests/sqlfile/sqlfile.h"

static const unsigned dialects[] = {
  EMUL_MYSQL,  EMUL_MYSQL_PLAIN, EMUL_PGSQL, EMUL_PGSQL | EMUL_BACKSLASH,
  EMUL_SQLITE,
};

static void check_statement(const struct sqlfile *file, unsigned i,
                            unsigned dialect)
{
  const struct sqlfile_statement *s = &file->statement[i];
  struct emul_scan scan = { 0 };

  MUST(s->len > 0 && strlen(s->text) == s->len);
  MUST(emul_scan(&scan, s->text, s->len, dialect) == 0);
  MUST(scan.n_params == s->n_params);
  emul_scan_done(&scan);
  for (unsigned n = 0; n < s->n_params; n++)
    MUST(s->param[n] < file->n_variables);
  for (unsigned n = 0; n < s->n_columns; n++)
    MUST(s->column[n] < file->n_variables);
}

/* Execute the program without its statements.  It ends, since it has no way
 * back. */
static void execute(const struct sqlfile *file, unsigned dialect)
{
  struct value *value = calloc(file->n_variables, sizeof(*value));
  struct rng rng;
  struct draw draws = { .rng = &rng };
  struct expr_env env = { .variables = value, .draws = &draws };
  struct expr_failure fail;
  size_t i = 0;

  MUST(value);
  rng_seed(&rng, 1, RNG_WORKLOAD, 0);
  for (size_t n = 0; n < file->n_variables; n++)
    value[n] = file->variable[n].initial;
  value[SQLFILE_CLIENT_ID] = value_int(3);
  while (i < file->n_steps) {
    const struct sqlfile_step *step = &file->step[i++];
    struct value v = value_null();

    if (step->code == SQLFILE_SQL)
      check_statement(file, step->statement, dialect);
    else if (step->code != SQLFILE_JUMP &&
             expr_eval(&step->expr, &env, &v, &fail) < 0)
      MUST(fail.why && fail.at <= strlen(file->source));
    if (step->code == SQLFILE_SET)
      value[step->variable] = v;
    if (step->code == SQLFILE_JUMP ||
        (step->code == SQLFILE_UNLESS && !value_is_true(&v))) {
      MUST(step->to >= i && step->to <= file->n_steps);
      i = step->to;
    }
  }
  free(value);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  struct input in = { data, size };
  const unsigned dialect =
    dialects[input_byte(&in) % (sizeof(dialects) / sizeof(dialects[0]))];
  size_t len;
  char *text = (char *)input_bytes(&in, 8192, &len);
  const struct sqlfile_setup setup = {
    .name = "f",
    .text = text,
    .len = len,
    .dialect = dialect,
    .defines = "n=1\ne=5",
  };
  struct err err = { "" };
  struct sqlfile *file = NULL;

  if (sqlfile_parse(&file, &setup, &err) < 0) {
    MUST(err.text[0] != '\0' && !file);
  } else {
    MUST(file->n_statements > 0);
    execute(file, dialect);
    sqlfile_free(file);
  }
  free(text);
  return 0;
}
