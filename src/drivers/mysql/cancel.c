/*
 * cancel.c - ends a statement of another connection: sends KILL QUERY over a
 * separate connection to the same target.
 */
#include "drivers/mysql/cancel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>

#include "base/clock.h"
#include "base/mem.h"
#include "drivers/mysql/connect.h"

/* Everything that a cancellation needs, independent of the session. */
struct token {
  const struct mysql_cfg *cfg;
  unsigned long id;
  unsigned port;
  char *host, *socket, *user, *password; /* owned */
};

static bool copied(char **to, const char *from)
{
  *to = from ? mem_strdup(from) : NULL;
  return *to || !from;
}

void *mysqld_cancel_token(struct mysql_session *s)
{
  struct token *t = mem_new(1, sizeof(*t));

  if (!t)
    return NULL;
  t->cfg = cfg_of(s);
  t->port = s->to.port;
  t->id = s->id;
  if (copied(&t->host, s->to.host) && copied(&t->socket, s->to.socket) &&
      copied(&t->user, s->to.user) && copied(&t->password, s->to.password))
    return t;
  mysqld_cancel_free(t);
  return NULL;
}

void mysqld_cancel_send(void *token)
{
  const struct token *t = token;
  const struct address to = { .host = t->host,
                              .socket = t->socket,
                              .port = t->port,
                              .user = t->user,
                              .password = t->password };
  const struct timeval second = { .tv_sec = 1 };
  struct connect_failure why;
  char sql[64];
  MYSQL *mysql;
  int fd, n;

  if (t->id == 0)
    return;
  (void)mysql_thread_init();
  mysql = mysqld_connect_open(t->cfg, &to, clock_now_ns() + NS_PER_S, &why);
  if (mysql) {
    fd = mysqld_shim_fd(mysql);
    (void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &second, sizeof(second));
    (void)setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &second, sizeof(second));
    mysqld_shim_bound(mysql, clock_now_ns() + NS_PER_S);
    n = snprintf(sql, sizeof(sql), "KILL QUERY %lu", t->id);
    (void)mysql_real_query(mysql, sql, (unsigned long)n);
    mysqld_shim_bound(mysql, 0);
    mysqld_connect_close(mysql, false);
  }
  mysql_thread_end();
}

void mysqld_cancel_free(void *token)
{
  struct token *t = token;

  if (!t)
    return;
  if (t->password)
    explicit_bzero(t->password, strlen(t->password));
  free(t->host);
  free(t->socket);
  free(t->user);
  free(t->password);
  free(t);
}
