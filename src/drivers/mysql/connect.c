/*
 * connect.c - connections of the library: open within a time limit, close,
 * cancel.
 *
 * Where the library has no time limit, the attempt runs in a thread, which is
 * left behind, and cleans up.
 */
#include "drivers/mysql/connect.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/compiler.h"
#include "base/mem.h"
#include "base/parse.h"
#include "base/stream.h"
#include "base/wait.h"
#include "db/env.h"
#include "db/relay.h"
#include "db/url.h"
#include "drivers/mysql/cleartext.h"
#include "drivers/mysql/session.h"

/* A PostgreSQL server answers a request for TLS with S or N alone; MySQL's
 * greeting is longer. */
static bool connect_is_to_pgsql(const char *address, unsigned port,
                                uint64_t until_ns)
{
  static const uint8_t request[] = { 0, 0, 0, 8, 4, 210, 22, 47 };
  const struct addrinfo hints = { .ai_socktype = SOCK_STREAM,
                                  .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV };
  const struct stream_limit limit = { .until_ns = until_ns };
  struct addrinfo *list = NULL;
  char service[16], answer[16];
  bool found = false;
  size_t n = 0;
  int fd;

  (void)snprintf(service, sizeof(service), "%u", port);
  if (getaddrinfo(address, service, &hints, &list) != 0)
    return false;
  if (stream_open(&fd, list->ai_addr, list->ai_addrlen, &limit) == 0) {
    found = stream_send(fd, request, sizeof(request), &limit) == 0 &&
            stream_receive(fd, answer, sizeof(answer), &n, &limit) == 0 &&
            n == 1 && (answer[0] == 'S' || answer[0] == 'N');
    (void)close(fd);
  }
  freeaddrinfo(list);
  return found;
}

static unsigned connect_port_number(const char *text)
{
  int64_t n = 0;

  (void)parse_int(text, &n);
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

  a.password = session_password(s);
  if (!a.password)
    a.password = mysqld_options_password(cfg);
  a.first = s->number == 0 && s->attempt == 0;
  a.files = s->env && s->env->process && !s->env->process->in_run;
  if (own) {
    a.socket = p->socket;
    a.host = p->host ? p->host : cfg->hosts.n ? cfg->hosts.items[0] : "";
    a.tcp = cfg->tcp && !p->host && !p->socket;
    a.port = connect_port_number(p->port        ? p->port
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
    a.tcp = cfg->tcp;
    a.port = connect_port_number(cfg->ports.items[t.port]);
    a.skips_port = mysqld_connect_is_here(&a) && a.port != 3306;
  }
  return a;
}

bool mysqld_connect_is_here(const struct address *to)
{
  return !to->host || !*to->host ||
         (!to->tcp && strcmp(to->host, "localhost") == 0);
}

int mysqld_connect_relay(const struct session *s, struct address *to,
                         uint64_t until_ns, struct err *err)
{
  const char *path = to->socket;
  const struct relay_place *via;
  char port[8];
  int rc;

  if (!env_relay(s))
    return 0;
  if ((!path || !*path) && mysqld_connect_is_here(to))
    path = mysqld_shim_socket();
  if (path && *path) {
    rc = relay_to_path(env_relay(s), path, until_ns, &via, err);
    if (rc == 0)
      to->socket = via->path;
    return rc;
  }
  (void)snprintf(port, sizeof(port), "%u", to->port);
  rc = relay_to_host(env_relay(s), to->host, port, until_ns, &via, err);
  if (rc == 0)
    to->port = connect_port_number(via->port);
  return rc;
}

size_t mysqld_connect_servers(const void *cfg)
{
  const struct mysql_cfg *c = cfg;

  return c->sockets.n > 0 ? c->sockets.n : c->hosts.n * c->ports.n;
}

static void connect_limit(int fd)
{
  const struct timeval second = { .tv_sec = 1 };

  (void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &second, sizeof(second));
  (void)setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &second, sizeof(second));
}

void mysqld_connect_close(MYSQL *mysql, bool broken)
{
  const int fd = mysqld_shim_fd(mysql);

  /* With TLS the library waits for an answer to its farewell. */
  if (fd >= 0 && broken)
    (void)shutdown(fd, SHUT_RDWR);
  else if (fd >= 0)
    connect_limit(fd);
  mysql_close(mysql);
}

enum {
  LIBRARY_ROOM = 8192,
  LOGIN_ROOM = 2048,
  FREE_BYTES = 16 << 20,
  GREETING_MS = 2000, /* then another kind of server is looked for */
  PROBE_MS = 1000,
};

/* Attempts left behind; the library is one for the process. */
static atomic_int left_behind;

bool mysqld_connect_is_busy(void)
{
  return atomic_load_explicit(&left_behind, memory_order_acquire) > 0;
}

/* Shared by the caller and the thread, if any. */
struct attempt {
  MYSQL *mysql;
  char *host, *socket, *user, *password, *db; /* owned */
  unsigned port;
  bool here, first;
  uint64_t until_ns;
  bool may_have_tls, must_have_tls;
  struct connect_failure why; /* code 0: success */

  pthread_mutex_t lock;
  bool abandoned;
  _Atomic uint32_t done;    /* futex */
  char numeric[NI_MAXHOST]; /* [opt] address of `host` */
};

static void connect_fail(struct connect_failure *why, int code,
                         const char *state, const char *text)
{
  why->code = code;
  memcpy(why->state, state, 5);
  why->state[5] = '\0';
  (void)snprintf(why->text, sizeof(why->text), "%s", text);
}

/* The library keeps its buffer, and enlarges it if need be. */
static int connect_set_room(MYSQL *mysql, const struct mysql_cfg *cfg,
                            bool files)
{
  const unsigned long room = files ? LIBRARY_ROOM : LOGIN_ROOM;

  if (cfg->protocol == PROTOCOL_LIBRARY)
    return 0;
  return mysql_options(mysql, MYSQL_OPT_NET_BUFFER_LENGTH, &room);
}

static bool connect_set_options(MYSQL *mysql, const struct mysql_cfg *cfg,
                                const struct tls_settings *tls, bool files,
                                uint64_t until_ns)
{
  const uint64_t now = clock_now_ns();
  const uint64_t left = until_ns > now ? until_ns - now : 0;
  const unsigned seconds = (unsigned)((left + NS_PER_S - 1) / NS_PER_S);
  const unsigned timeout = seconds ? seconds : 1;
  const unsigned local_infile = files;
  int rc = 0;

  rc |= mysql_options(mysql, MYSQL_OPT_CONNECT_TIMEOUT, &timeout);
  rc |= mysql_options(mysql, MYSQL_OPT_LOCAL_INFILE, &local_infile);
  rc |= connect_set_room(mysql, cfg, files);
  mysqld_copy_refuse(mysql);
  rc |= mysql_options4(mysql, MYSQL_OPT_CONNECT_ATTR_ADD, "program_name",
                       "bench");
  if (rc != 0 || !mysqld_shim_set_tls(mysql, tls) ||
      !mysqld_cleartext_set(mysql, cfg, tls->mode))
    return false;
  return !cfg->compression ||
         mysqld_shim_set_compression(mysql, &cfg->algorithms);
}

static bool connect_is_silent(const MYSQL *mysql, int code)
{
  return code == CODE_PROTOCOL ||
         ((code == CODE_LOST || code == CODE_MALFORMED) &&
          strstr(mysql->net.last_error, "initial communication packet"));
}

/* The library has CODE_TLS for them, too. */
static bool connect_is_cut(const MYSQL *mysql, int code)
{
  const char *text = mysql->net.last_error;

  return code == CODE_TLS && (strstr(text, "unexpected eof") ||
                              strstr(text, "non-properly terminated") ||
                              strstr(text, "reset by peer"));
}

static void connect_note_failure(struct attempt *a)
{
  const int told = (int)mysql_errno(a->mysql);
  const int code = connect_is_cut(a->mysql, told) ? CODE_LOST : told;
  char text[sizeof(a->why.text)];

  (void)snprintf(text, sizeof(text), "%.450s%s", mysql_error(a->mysql),
                 connect_is_silent(a->mysql, code) ? "; is this a MySQL server?"
                                                   : "");
  connect_fail(&a->why, code, mysql_sqlstate(a->mysql), text);
}

static void connect_try(struct attempt *a)
{
  MYSQL *opened;

  mysqld_shim_bound(a->mysql, a->until_ns);
  opened = mysql_real_connect(a->mysql, a->host, a->user, a->password, a->db,
                              a->port, a->socket, CLIENT_MULTI_STATEMENTS);
  mysqld_shim_bound(a->mysql, 0);
  if (!opened) {
    connect_note_failure(a);
    return;
  }
  /* Connector/C continues without. */
  if (a->must_have_tls && !mysql_get_ssl_cipher(a->mysql))
    connect_fail(
      &a->why, CODE_TLS, "HY000",
      "TLS/SSL error: SSL is required, but the server does not support it");
  /* The attributes were sent; they take 8 KiB. */
  (void)mysql_options(a->mysql, MYSQL_OPT_CONNECT_ATTR_RESET, NULL);
}

/* Connector/C follows null pointers if a login runs out of memory. */
static bool connect_has_memory(void)
{
  void *p = mmap(NULL, FREE_BYTES, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

  if (p == MAP_FAILED)
    return false;
  (void)munmap(p, FREE_BYTES);
  return true;
}

static char *connect_copy(const char *text)
{
  return text && text[0] ? mem_strdup(text) : NULL;
}

static void connect_attempt_free(struct attempt *a)
{
  if (!a)
    return;
  if (a->mysql)
    mysql_close(a->mysql);
  free(a->host);
  free(a->socket);
  free(a->user);
  mem_free_secret(a->password);
  free(a->db);
  (void)pthread_mutex_destroy(&a->lock);
  free(a);
}

static struct attempt *connect_attempt_new(const struct mysql_cfg *cfg,
                                           const struct address *to,
                                           uint64_t until_ns,
                                           struct connect_failure *ret_why)
{
  const struct tls_settings tls = mysqld_tls_settings(cfg);
  const unsigned tcp = MYSQL_PROTOCOL_TCP;
  struct attempt *a = mem_new(1, sizeof(*a));

  if (!a || !connect_has_memory() || !(a->mysql = mysql_init(NULL))) {
    free(a);
    connect_fail(ret_why, CODE_NO_MEMORY, "HY000", "Client run out of memory");
    return NULL;
  }
  (void)pthread_mutex_init(&a->lock, NULL);
  a->host = connect_copy(to->host);
  a->socket = connect_copy(to->socket);
  a->user = connect_copy(to->user);
  a->password = connect_copy(to->password);
  a->db = connect_copy(to->db);
  a->port = to->port;
  a->until_ns = until_ns;
  a->may_have_tls = tls.mode != TLS_DISABLED;
  a->here = a->socket || mysqld_connect_is_here(to);
  a->first = to->first && !a->here;
  a->must_have_tls = tls.mode >= TLS_REQUIRED;
  if (to->tcp)
    (void)mysql_options(a->mysql, MYSQL_OPT_PROTOCOL, &tcp);
  if (connect_set_options(a->mysql, cfg, &tls, to->files, until_ns))
    return a;
  connect_fail(ret_why, CODE_TLS, "HY000",
               "the client library refuses an option of this connection");
  connect_attempt_free(a);
  return NULL;
}

static void connect_note_address(struct attempt *a)
{
  const struct addrinfo hints = { .ai_socktype = SOCK_STREAM };
  struct addrinfo *list = NULL;
  char text[NI_MAXHOST];

  if (getaddrinfo(a->host, NULL, &hints, &list) != 0)
    return;
  if (getnameinfo(list->ai_addr, list->ai_addrlen, text, sizeof(text), NULL, 0,
                  NI_NUMERICHOST) == 0) {
    (void)pthread_mutex_lock(&a->lock);
    memcpy(a->numeric, text, sizeof(text));
    (void)pthread_mutex_unlock(&a->lock);
  }
  freeaddrinfo(list);
}

static void *connect_attempt_thread(void *arg)
{
  struct attempt *a = arg;
  bool abandoned;

  (void)mysql_thread_init();
  if (a->first)
    connect_note_address(a);
  connect_try(a);
  (void)pthread_mutex_lock(&a->lock);
  atomic_store_explicit(&a->done, 1, memory_order_release);
  abandoned = a->abandoned;
  wait_wake_all(&a->done); /* under the lock, so not freed yet */
  (void)pthread_mutex_unlock(&a->lock);
  if (abandoned)
    connect_attempt_free(a);
  mysql_thread_end();
  if (abandoned)
    (void)atomic_fetch_sub_explicit(&left_behind, 1, memory_order_release);
  return NULL;
}

/* False: the time is over; with `abandon`, the thread owns the attempt. */
static bool connect_wait_for(struct attempt *a, uint64_t until_ns, bool abandon)
{
  bool done;

  while (!atomic_load_explicit(&a->done, memory_order_acquire) &&
         clock_now_ns() < until_ns)
    wait_while(&a->done, 0, until_ns);
  (void)pthread_mutex_lock(&a->lock);
  done = atomic_load_explicit(&a->done, memory_order_relaxed) != 0;
  if (!done && abandon) {
    a->abandoned = true;
    (void)atomic_fetch_add_explicit(&left_behind, 1, memory_order_release);
  }
  (void)pthread_mutex_unlock(&a->lock);
  return done;
}

/* After a silence. */
static bool connect_is_pgsql(struct attempt *a, uint64_t until_ns)
{
  const uint64_t now = clock_now_ns();
  char numeric[NI_MAXHOST];

  if (!a->first || until_ns < now + (GREETING_MS + PROBE_MS) * NS_PER_MS ||
      connect_wait_for(a, now + GREETING_MS * NS_PER_MS, false))
    return false;
  (void)pthread_mutex_lock(&a->lock);
  memcpy(numeric, a->numeric, sizeof(numeric));
  (void)pthread_mutex_unlock(&a->lock);
  return numeric[0] != '\0' &&
         connect_is_to_pgsql(numeric, a->port,
                             clock_now_ns() + PROBE_MS * NS_PER_MS);
}

/* False: the thread owns the attempt. */
static bool connect_try_in_thread(struct attempt *a, uint64_t until_ns,
                                  struct connect_failure *ret_why)
{
  pthread_t thread;
  char text[sizeof(ret_why->text)];
  bool other;
  const int rc = pthread_create(&thread, NULL, connect_attempt_thread, a);

  if (rc != 0) {
    (void)snprintf(text, sizeof(text), "cannot start a thread: %s",
                   strerror(rc));
    connect_fail(ret_why, CODE_NO_MEMORY, "HY000", text);
    connect_attempt_free(a);
    return false;
  }
  (void)snprintf(text, sizeof(text), "Can't connect to server on '%s' (%d)",
                 a->host     ? a->host
                 : a->socket ? a->socket
                             : "",
                 ETIMEDOUT);
  other = connect_is_pgsql(a, until_ns);
  if (connect_wait_for(a, other ? 0 : until_ns, true)) {
    (void)pthread_join(thread, NULL);
    return true;
  }
  (void)pthread_detach(thread);
  if (other)
    connect_fail(ret_why, CODE_PROTOCOL, "HY000",
                 "a PostgreSQL server answers there: see --mysql-port, or use "
                 "--db-driver=pgsql");
  else
    connect_fail(ret_why, CODE_NO_HOST, "HY000", text);
  return false;
}

static bool connect_needs_resolution(const struct attempt *a)
{
  unsigned char address[sizeof(struct in6_addr)];

  return !a->here && inet_pton(AF_INET, a->host, address) != 1 &&
         inet_pton(AF_INET6, a->host, address) != 1;
}

MYSQL *mysqld_connect_open(const struct mysql_cfg *cfg,
                           const struct address *to, uint64_t until_ns,
                           struct connect_failure *ret_why)
{
  struct attempt *a = connect_attempt_new(cfg, to, until_ns, ret_why);
  MYSQL *mysql = NULL;

  if (!a)
    return NULL;
  if (mysqld_shim_limits_login() && !a->may_have_tls &&
      !connect_needs_resolution(a) && !a->first)
    connect_try(a);
  else if (!connect_try_in_thread(a, until_ns, ret_why))
    return NULL;
  if (a->why.code != 0) {
    *ret_why = a->why;
  } else {
    mysql = a->mysql;
    a->mysql = NULL;
  }
  connect_attempt_free(a);
  return mysql;
}

struct token {
  const struct mysql_cfg *cfg;
  unsigned long id;
  unsigned port;
  bool tcp;
  char *host, *socket, *user, *password; /* owned */
};

static bool connect_cancel_copied(char **to, const char *from)
{
  *to = from ? mem_strdup(from) : NULL;
  return *to || !from;
}

void *mysqld_cancel_token(struct session *base)
{
  const struct mysql_session *s = session_of(base);
  struct token *t = mem_new(1, sizeof(*t));

  if (!t)
    return NULL;
  t->cfg = cfg_of(s);
  t->port = s->to.port;
  t->tcp = s->to.tcp;
  t->id = s->id;
  if (connect_cancel_copied(&t->host, s->to.host) &&
      connect_cancel_copied(&t->socket, s->to.socket) &&
      connect_cancel_copied(&t->user, s->to.user) &&
      connect_cancel_copied(&t->password, s->to.password))
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
                              .tcp = t->tcp,
                              .user = t->user,
                              .password = t->password };
  struct connect_failure why;
  char sql[64];
  MYSQL *mysql;
  int n;

  if (t->id == 0)
    return;
  (void)mysql_thread_init();
  mysql = mysqld_connect_open(t->cfg, &to, clock_now_ns() + NS_PER_S, &why);
  if (mysql) {
    connect_limit(mysqld_shim_fd(mysql));
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
  free(t->host);
  free(t->socket);
  free(t->user);
  mem_free_secret(t->password);
  free(t);
}
