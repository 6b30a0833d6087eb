/*
 * connect_socket.c - the target of a connection, and its socket.
 */
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/time.h>

#include "base/compiler.h"
#include "base/parse.h"
#include "db/env.h"
#include "db/target.h"
#include "drivers/mysql/connect.h"

static unsigned port_number(const char *text)
{
  int64_t n = 0;

  (void)parse_int(text, &n); /* the row has checked it */
  return n > 0 && n <= UINT16_MAX ? (unsigned)n : 0;
}

struct address mysqld_connect_address(const struct session *s)
{
  const struct mysql_cfg *cfg = s->cfg;
  const struct conn_params *p = s->params;
  const bool own = p->host || p->socket || p->port;
  struct address a = { .user = p->user ? p->user : cfg->user,
                       .db = p->db ? p->db : cfg->db };
  struct target t = { 0 };

  a.password = p->password ? p->password : mysqld_options_password(cfg);
  a.first = s->number == 0 && s->attempt == 0;
  a.files = s->env && s->env->process && !s->env->process->in_run;
  if (own) {
    a.socket = p->socket;
    a.host = p->host ? p->host : cfg->hosts.n ? cfg->hosts.items[0] : "";
    a.port = port_number(p->port        ? p->port
                         : cfg->ports.n ? cfg->ports.items[0]
                                        : "3306");
    return a;
  }
  t = target_pick(cfg->sockets.n, cfg->hosts.n, cfg->ports.n, s->number,
                  s->attempt);
  if (cfg->sockets.n > 0) {
    a.socket = cfg->sockets.items[t.socket];
  } else {
    a.host = cfg->hosts.items[t.host];
    a.port = port_number(cfg->ports.items[t.port]);
  }
  return a;
}

size_t mysqld_connect_servers(const void *cfg)
{
  const struct mysql_cfg *c = cfg;

  return c->sockets.n > 0 ? c->sockets.n : c->hosts.n * c->ports.n;
}

void mysqld_connect_peer(int fd, char *to, size_t size)
{
  struct sockaddr_storage peer;
  socklen_t len = sizeof(peer);
  char host[NI_MAXHOST], port[NI_MAXSERV];

  if (getpeername(fd, (struct sockaddr *)&peer, &len) == 0 &&
      getnameinfo((struct sockaddr *)&peer, len, host, sizeof(host), port,
                  sizeof(port), NI_NUMERICHOST | NI_NUMERICSERV) == 0)
    (void)snprintf(to, size, "tcp %s port %s", host, port);
  else
    (void)snprintf(to, size, "tcp");
}

void mysqld_connect_close(MYSQL *mysql, bool broken)
{
  const struct timeval second = { .tv_sec = 1 };
  const int fd = mysqld_shim_fd(mysql);

  /* With TLS the library says good-bye and waits for an answer. */
  if (fd >= 0 && broken) {
    (void)shutdown(fd, SHUT_RDWR);
  } else if (fd >= 0) {
    (void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &second, sizeof(second));
    (void)setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &second, sizeof(second));
  }
  mysql_close(mysql);
}
