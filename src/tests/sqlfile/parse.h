/*
 * parse.h - a file while it is parsed, shared by the parts of the parser.
 */
#ifndef BENCH_SQLFILE_PARSE_H
#define BENCH_SQLFILE_PARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "tests/sqlfile/sqlfile.h"

enum {
  READING_IFS = 32,
};

/* A condition without its \endif. */
struct open_if {
  const char *at;
  bool has_else;
  unsigned unless; /* the step that jumps to the next branch; NO_STEP: none */
  unsigned jumps;  /* the last jump to the end; each names the one before */
};

#define NO_STEP (~0u)

struct reading {
  const char *text, *end;
  const char *p; /* the rest */
  unsigned dialect;
  struct sqlfile *file;
  size_t steps_room, statements_room, variables_room;
  struct open_if open[READING_IFS];
  unsigned n_open;
  bool after_statement; /* the last item was a statement */
  struct err *err;
};

/* -EINVAL and a message about the place `at`. */
int reading_fail(struct reading *r, const char *at, const char *fmt, ...)
  PRINTF_LIKE(3, 4);
int reading_no_memory(struct reading *r);

static inline uint32_t reading_at(const struct reading *r, const char *at)
{
  return (uint32_t)(at - r->text);
}

/* A line of a command ends at a line feed without a backslash before. */
void reading_skip_blanks(struct reading *r);
bool reading_at_line_end(const struct reading *r);

/* The length of a name at `p`, or 0. */
size_t reading_name(const struct reading *r, const char *p);

/* The number of a variable, or -1. */
int reading_find(const struct reading *r, const char *name, size_t len);
/* The same, or a new unset variable; negative: no memory, or too many. */
int reading_variable(struct reading *r, const char *name, size_t len);

/* The variable whose name begins at `at`; negative: unknown, with a message. */
int reading_use(struct reading *r, const char *at, size_t len);

/* Zeroed; NULL: no memory, with a message. */
struct sqlfile_step *reading_add_step(struct reading *r, enum sqlfile_code code,
                                      const char *at);
struct sqlfile_statement *reading_add_statement(struct reading *r);

/* The parts; each returns 0 or a negative errno value. */

/* To the end of the line. */
int reading_expr(struct reading *r, struct expr *ret);
/* A variable, or a number, which letters may follow. */
int reading_operand(struct reading *r, struct expr *ret);
/* For \gset and \aset at `at`: makes the names of the columns variables, with
 * the prefix. */
int reading_columns(struct reading *r, struct sqlfile_statement *s,
                    const char *at, const char *prefix, size_t prefix_len);

#endif
