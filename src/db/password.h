/*
 * password.h - --password-command: passwords that expire, such as tokens of
 * cloud services.
 */
#ifndef BENCH_DB_PASSWORD_H
#define BENCH_DB_PASSWORD_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct limiter;
struct outcome;
struct session;

struct password_command {
  const char *command; /* borrowed; NULL or "": none */
  uint64_t ttl_ns;     /* how long a password is used */
  _Atomic uint32_t runs;
  pthread_mutex_t lock; /* protects the rest */
  char *last;           /* owned; [opt] */
  uint64_t at_ns;
  int rc;
  struct err err;
};

void password_init(struct password_command *p, const char *command,
                   double ttl_s);
void password_done(struct password_command *p);

/* Ends a running command. */
void password_stop(void);

/* Opens the session, with the command's password if it has none.  WAITS. */
int password_connect(struct password_command *p, struct session *s,
                     const struct limiter *l, bool again, uint64_t until_ns,
                     struct outcome *out);

#endif
