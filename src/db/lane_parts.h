/*
 * lane_parts.h - what a lane consists of (for src/db/lane*.c only).
 */
#ifndef BENCH_DB_LANE_PARTS_H
#define BENCH_DB_LANE_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"
#include "db/driver.h"
#include "db/env.h"
#include "db/line_parts.h"

#define LANE_UNSUITABLE "--pipeline cannot be used on this connection: %s"

/* The driver, and the one whose sessions it shares. */
struct lane_driver {
  struct driver driver; /* first */
  const struct driver *real;
};

struct lane {
  struct session base; /* first */
  struct line *line;   /* NULL: not connected yet */
  unsigned generation; /* of the session that it has */
  bool open;
  uint64_t event;    /* the number of the one that has had its statement */
  uint64_t attempts; /* that events had then: see db_env */
  bool used;         /* there was one, and it has succeeded */

  struct strbuf rows; /* of the last answer */
  size_t row_at;
  uint64_t rows_left;
  uint32_t nfields;
  sql_value *values; /* owned; while rows are copied */
  uint32_t values_room;

  char text[512]; /* of the last failure */
  struct lane_words words;
};

struct lane_prepared {
  struct prepared base;      /* first */
  struct prepared *prepared; /* owned; of the real session; NULL: none */
};

static inline struct lane *lane_of(const struct session *s)
{
  return (struct lane *)(void *)(uintptr_t)s;
}
static inline struct lane_prepared *lane_prepared_of(struct prepared *p)
{
  return (struct lane_prepared *)(void *)p;
}
static inline const struct driver *lane_real(const struct session *s)
{
  return ((const struct lane_driver *)(const void *)s->driver)->real;
}

/* A statement, as a text or prepared. */
struct lane_call {
  struct lane *lane;
  struct lane_prepared *prepared; /* NULL: a text */
  const char *sql;
  size_t len;
  struct outcome *out;
};

/* lane_open.c: see driver.h. */
int lane_connect(struct session *s, uint64_t until_ns, struct outcome *out);
void lane_disconnect(struct session *s);
void lane_shutdown(struct session *s);
/* It has the line alone: what was left to be closed is.  WAITS. */
void lane_tidy_line(struct lane *lane);

/* lane_words.c: see driver.h. */
void lane_connect_message(const struct session *s, const struct outcome *out,
                          struct strbuf *lines);
void lane_connect_reason(const struct session *s, const struct outcome *out,
                         struct strbuf *line);
void lane_target(const struct session *s, struct strbuf *line);
/* Where the session goes; and why it could not be opened.  -1. */
void lane_note_target(struct lane *lane);
int lane_keep_reason(struct lane *lane, struct outcome *out);

/* lane_run.c: see driver.h. */
int lane_query(struct session *s, const char *sql, size_t len,
               struct outcome *out);
int lane_execute(struct prepared *p, struct outcome *out);
int lane_fetch(struct session *s, sql_value *values);
/* The session of the lane has gone: is it so, and what a call says then. */
bool lane_is_stale(const struct lane *lane);
int lane_lost(struct lane *lane, struct outcome *out);
/* Nothing comes from the session any more, as the first witness says. */
void lane_break(const struct lane *lane, const struct outcome *why);
/* A call of the real session has failed.  -1. */
int lane_failed(struct lane *lane, struct outcome *out);
/* The text of a failure gets a place of its own. */
void lane_keep_text(struct lane *lane, struct outcome *out);
/* The call could not wait for the line.  -1. */
int lane_cannot_wait(struct outcome *out);
/* Its rows could not be kept.  -1. */
int lane_no_memory(const struct lane_call *call);
/* What the real session needs to know for a call of this lane; returns it. */
struct session *lane_lend(const struct lane *lane);

/*
 * --db-query-timeout is the time of a statement since its own send.  A cancel
 * ends the statement that the server executes, so nothing of a lane is
 * cancelled while others are before it: the time is held, and counts when its
 * answer is the next one.  Those before it have been sent earlier, so they are
 * due before it.  All three do nothing where there is no limit.
 */
void lane_hold_time(const struct lane *lane);
/* Now; 0 without a limit. */
uint64_t lane_time(const struct lane *lane);
/* It counts from that moment on; 0: now. */
void lane_count_time(const struct lane *lane, uint64_t since_ns);

/* lane_flight.c: a statement of an event. */
int lane_execute_in_flight(const struct lane_call *call);

/* lane_rows.c: the rows of an answer, which the real session has until its next
 * call.  False: no memory. */
bool lane_keep_rows(struct lane *lane, const struct outcome *out);
void lane_forget_rows(struct lane *lane);

/*
 * lane_check.c: is the statement allowed?  -1: it is not, and *out says so.
 * And after it: a success that has left a transaction open is none.
 */
int lane_check(const struct lane_call *call);
int lane_check_after(const struct lane_call *call, int rc);

#endif
