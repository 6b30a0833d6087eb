/*
 * parse.h - a file while it is parsed: what the parts of the parser
 * share.
 */
#ifndef BENCH_SQLFILE_PARSE_H
#define BENCH_SQLFILE_PARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "sqlfile/sqlfile.h"

enum {
  READING_IFS = 32, /* conditions in each other, at most */
};

/* A condition that waits for its \endif. */
struct open_if {
  const char *at;
  bool has_else;
  unsigned unless; /* the step that jumps to the next branch; NO_STEP: none */
  unsigned jumps;  /* the last jump to the end; each one names the one before */
};

#define NO_STEP (~0u)

struct reading {
  const char *text, *end;
  const char *p; /* what was not read yet */
  unsigned dialect;
  struct sqlfile *file;
  size_t steps_room, statements_room, variables_room;
  struct open_if open[READING_IFS];
  unsigned n_open;
  bool after_statement; /* what was read last is one */
  struct err *err;
};

/* -EINVAL and a message about the place `at`. */
int reading_fail(struct reading *r, const char *at, const char *fmt, ...)
  PRINTF_LIKE(3, 4);
int reading_no_memory(struct reading *r);

/* The place as a number. */
static inline uint32_t reading_at(const struct reading *r, const char *at)
{
  return (uint32_t)(at - r->text);
}

/* Skips blanks of a command: its line ends at a line feed that has no backslash
 * before it. */
void reading_skip_blanks(struct reading *r);
/* The command has ended. */
bool reading_at_line_end(const struct reading *r);

/* The length of the name of a variable or function that begins at `p`; 0: none
 * does. */
size_t reading_name(const struct reading *r, const char *p);

/* The number of a variable; -1: there is none. */
int reading_find(const struct reading *r, const char *name, size_t len);
/* The same, or that of a new one, which is unset; negative: no memory, or too
 * many. */
int reading_variable(struct reading *r, const char *name, size_t len);

/* The number of the variable whose name begins at `at`, which a statement or an
 * expression uses; negative: there is none, and the message is complete. */
int reading_use(struct reading *r, const char *at, size_t len);

/* Adds a zeroed step or statement; NULL: no memory, and the message is
 * complete. */
struct sqlfile_step *reading_add_step(struct reading *r, enum sqlfile_code code,
                                      const char *at);
struct sqlfile_statement *reading_add_statement(struct reading *r);

/* The parts; each returns 0 or a negative errno value. */

/* An expression, to the end of the line. */
int reading_expr(struct reading *r, struct expr *ret);
/* One operand: a number, which letters may follow, or a variable. */
int reading_operand(struct reading *r, struct expr *ret);
/* The names of the columns of a statement, for \gset and \aset at `at`: makes
 * them variables, whose names begin with the prefix. */
int reading_columns(struct reading *r, struct sqlfile_statement *s,
                    const char *at, const char *prefix, size_t prefix_len);

#endif
