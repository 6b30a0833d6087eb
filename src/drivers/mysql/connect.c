/*
 * connect.c - opens a connection within a time limit.
 *
 * The library limits neither name resolution nor TLS, and MySQL's does not
 * limit the login either.  In these cases, the attempt runs in a thread.  The
 * thread is left behind when the time is over, and cleans up after itself.
 */
#include "drivers/mysql/connect.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/wait.h"
#include "drivers/mysql/cleartext.h"
#include "drivers/mysql/copy.h"
#include "drivers/mysql/error.h"
#include "drivers/mysql/probe.h"

enum {
  LIBRARY_ROOM = 8192, /* the default of the libraries */
  LOGIN_ROOM = 2048,
  FREE_BYTES = 16 << 20,
  GREETING_MS = 2000, /* after that, check for another kind of server */
  PROBE_MS = 1000,
};

/*
 * The number of attempts left behind.  The library must not be shut down while
 * they run.  The code that shuts it down has no other way to know, so this is a
 * count of the process, like the library's own state.
 */
static atomic_int left_behind;

bool mysqld_connect_is_busy(void)
{
  return atomic_load_explicit(&left_behind, memory_order_acquire) > 0;
}

/* An attempt, shared by the caller and the thread, if there is one. */
struct attempt {
  MYSQL *mysql;
  char *host, *socket, *user, *password, *db; /* owned */
  unsigned port;
  bool first;
  uint64_t until_ns;
  bool may_have_tls, must_have_tls;
  struct connect_failure why; /* code 0: it succeeded */

  pthread_mutex_t lock; /* protects the rest */
  bool abandoned;
  _Atomic uint32_t done;    /* waited for */
  char numeric[NI_MAXHOST]; /* [opt] the address of `host` */
};

static void fail(struct connect_failure *why, int code, const char *state,
                 const char *text)
{
  why->code = code;
  memcpy(why->state, state, 5);
  why->state[5] = '\0';
  (void)snprintf(why->text, sizeof(why->text), "%s", text);
}

/* ---- the attempt itself ---- */

/*
 * Sets the size of the library's buffer, which it fills with zeros and keeps.
 * A small one is enough if only the login goes through it, and it grows if it
 * has to.
 */
static int set_room(MYSQL *mysql, const struct mysql_cfg *cfg, bool files)
{
  const unsigned long room = files ? LIBRARY_ROOM : LOGIN_ROOM;

  if (cfg->protocol == PROTOCOL_LIBRARY)
    return 0;
  return mysql_options(mysql, MYSQL_OPT_NET_BUFFER_LENGTH, &room);
}

static bool set_options(MYSQL *mysql, const struct mysql_cfg *cfg,
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
  rc |= set_room(mysql, cfg, files);
  mysqld_copy_refuse(mysql);
  rc |= mysql_options4(mysql, MYSQL_OPT_CONNECT_ATTR_ADD, "program_name",
                       "bench");
  if (rc != 0 || !mysqld_shim_set_tls(mysql, tls) ||
      !mysqld_cleartext_set(mysql, cfg, tls->mode))
    return false;
  return !cfg->compression ||
         mysqld_shim_set_compression(mysql, &cfg->algorithms);
}

/* Did the server send nothing, or nothing that makes sense? */
static bool is_silent(const MYSQL *mysql, int code)
{
  return code == CODE_PROTOCOL ||
         ((code == CODE_LOST || code == CODE_MALFORMED) &&
          strstr(mysql->net.last_error, "initial communication packet"));
}

static void note_failure(struct attempt *a)
{
  const int code = (int)mysql_errno(a->mysql);
  char text[sizeof(a->why.text)];

  (void)snprintf(text, sizeof(text), "%.450s%s", mysql_error(a->mysql),
                 is_silent(a->mysql, code) ? "; is this a MySQL server?" : "");
  fail(&a->why, code, mysql_sqlstate(a->mysql), text);
}

static void try(struct attempt *a)
{
  MYSQL *opened;

  mysqld_shim_bound(a->mysql, a->until_ns);
  opened = mysql_real_connect(a->mysql, a->host, a->user, a->password, a->db,
                              a->port, a->socket, CLIENT_MULTI_STATEMENTS);
  mysqld_shim_bound(a->mysql, 0);
  if (!opened) {
    note_failure(a);
    return;
  }
  /* Connector/C continues without TLS if the server has none. */
  if (a->must_have_tls && !mysql_get_ssl_cipher(a->mysql))
    fail(&a->why, CODE_TLS, "HY000",
         "TLS/SSL error: SSL is required, but the server does not support it");
  /* The server has received the attributes; they take 8 KiB for one word. */
  (void)mysql_options(a->mysql, MYSQL_OPT_CONNECT_ATTR_RESET, NULL);
}

/*
 * Connector/C follows null pointers if memory runs out in the middle of a
 * login.  Therefore much more of it must be free than one login takes, because
 * other logins may run at the same time.  Nothing is reserved.
 */
static bool has_memory(void)
{
  void *p = mmap(NULL, FREE_BYTES, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

  if (p == MAP_FAILED)
    return false;
  (void)munmap(p, FREE_BYTES);
  return true;
}

static char *copy(const char *text)
{
  return text && text[0] ? mem_strdup(text) : NULL;
}

static void attempt_free(struct attempt *a)
{
  if (!a)
    return;
  if (a->mysql)
    mysql_close(a->mysql);
  if (a->password)
    explicit_bzero(a->password, strlen(a->password));
  free(a->host);
  free(a->socket);
  free(a->user);
  free(a->password);
  free(a->db);
  (void)pthread_mutex_destroy(&a->lock);
  free(a);
}

static struct attempt *attempt_new(const struct mysql_cfg *cfg,
                                   const struct address *to, uint64_t until_ns,
                                   struct connect_failure *ret_why)
{
  const struct tls_settings tls = mysqld_tls_settings(cfg);
  struct attempt *a = mem_new(1, sizeof(*a));

  if (!a || !has_memory() || !(a->mysql = mysql_init(NULL))) {
    free(a);
    fail(ret_why, CODE_NO_MEMORY, "HY000", "Client run out of memory");
    return NULL;
  }
  (void)pthread_mutex_init(&a->lock, NULL);
  a->host = copy(to->host);
  a->socket = copy(to->socket);
  a->user = copy(to->user);
  a->password = copy(to->password);
  a->db = copy(to->db);
  a->port = to->port;
  a->until_ns = until_ns;
  a->may_have_tls = tls.mode != TLS_DISABLED;
  a->first = to->first && !a->socket && a->host &&
             strcmp(a->host, "localhost") != 0;
  a->must_have_tls = tls.mode >= TLS_REQUIRED;
  if (set_options(a->mysql, cfg, &tls, to->files, until_ns))
    return a;
  fail(ret_why, CODE_TLS, "HY000",
       "the client library refuses an option of this connection");
  attempt_free(a);
  return NULL;
}

/* ---- with a thread ---- */

/* The library does not report the address that it has connected to. */
static void note_address(struct attempt *a)
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

static void *attempt_thread(void *arg)
{
  struct attempt *a = arg;
  bool abandoned;

  (void)mysql_thread_init();
  if (a->first)
    note_address(a);
  try(a);
  (void)pthread_mutex_lock(&a->lock);
  atomic_store_explicit(&a->done, 1, memory_order_release);
  abandoned = a->abandoned;
  wait_wake_all(&a->done); /* with the lock: then it is not freed yet */
  (void)pthread_mutex_unlock(&a->lock);
  if (abandoned)
    attempt_free(a);
  mysql_thread_end();
  if (abandoned)
    (void)atomic_fetch_sub_explicit(&left_behind, 1, memory_order_release);
  return NULL;
}

/*
 * True: it has ended; false: the time is over, and with `abandon` the thread
 * now owns the attempt.
 */
static bool wait_for(struct attempt *a, uint64_t until_ns, bool abandon)
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

/* Nothing has happened for a while: is it a PostgreSQL server? */
static bool is_pgsql(struct attempt *a, uint64_t until_ns)
{
  const uint64_t now = clock_now_ns();
  char numeric[NI_MAXHOST];

  if (!a->first || until_ns < now + (GREETING_MS + PROBE_MS) * NS_PER_MS ||
      wait_for(a, now + GREETING_MS * NS_PER_MS, false))
    return false;
  (void)pthread_mutex_lock(&a->lock);
  memcpy(numeric, a->numeric, sizeof(numeric));
  (void)pthread_mutex_unlock(&a->lock);
  return numeric[0] != '\0' &&
         mysqld_probe_is_pgsql(numeric, a->port,
                               clock_now_ns() + PROBE_MS * NS_PER_MS);
}

/* False: *ret_why holds the reason, and the thread now owns the attempt. */
static bool try_in_thread(struct attempt *a, uint64_t until_ns,
                          struct connect_failure *ret_why)
{
  pthread_t thread;
  char text[sizeof(ret_why->text)];
  bool other;
  const int rc = pthread_create(&thread, NULL, attempt_thread, a);

  if (rc != 0) {
    (void)snprintf(text, sizeof(text), "cannot start a thread: %s",
                   strerror(rc));
    fail(ret_why, CODE_NO_MEMORY, "HY000", text);
    attempt_free(a);
    return false;
  }
  (void)snprintf(text, sizeof(text), "Can't connect to server on '%s' (%d)",
                 a->host     ? a->host
                 : a->socket ? a->socket
                             : "",
                 ETIMEDOUT);
  other = is_pgsql(a, until_ns);
  if (wait_for(a, other ? 0 : until_ns, true)) {
    (void)pthread_join(thread, NULL);
    return true;
  }
  (void)pthread_detach(thread);
  if (other)
    fail(ret_why, CODE_PROTOCOL, "HY000",
         "a PostgreSQL server answers there: see --mysql-port, or use "
         "--db-driver=pgsql");
  else
    fail(ret_why, CODE_NO_HOST, "HY000", text);
  return false;
}

static bool needs_resolution(const struct attempt *a)
{
  unsigned char address[sizeof(struct in6_addr)];

  return !a->socket && a->host && strcmp(a->host, "localhost") != 0 &&
         inet_pton(AF_INET, a->host, address) != 1 &&
         inet_pton(AF_INET6, a->host, address) != 1;
}

MYSQL *mysqld_connect_open(const struct mysql_cfg *cfg,
                           const struct address *to, uint64_t until_ns,
                           struct connect_failure *ret_why)
{
  struct attempt *a = attempt_new(cfg, to, until_ns, ret_why);
  MYSQL *mysql = NULL;

  if (!a)
    return NULL;
  if (mysqld_shim_limits_login() && !a->may_have_tls && !needs_resolution(a) &&
      !a->first)
    try(a);
  else if (!try_in_thread(a, until_ns, ret_why))
    return NULL;
  if (a->why.code != 0) {
    *ret_why = a->why;
  } else {
    mysql = a->mysql;
    a->mysql = NULL;
  }
  attempt_free(a);
  return mysql;
}
