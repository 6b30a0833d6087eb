/*
 * pgsql_tls.c - our own login trusts the servers that libpq trusts, and no
 * others: certificates, names, keys, second attempts, and somebody in between.
 */
#include <openssl/ssl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "certificates.h"
#include "db/driver_visit.h"
#include "drivers/pgsql/session.h"
#include "tests/db/pgsql_fixture.h"
#include "tests/unit/loopback.h"
#include "tests/unit/tap.h"

#define HOST "db.example.org"

static const char *const modes[] = { [CHECK_NAME] = "verify-full",
                                     [CHECK_CA] = "verify-ca",
                                     [CHECK_IF_CA] = "require" };

static const struct certificate_files *files;

/* ---- a server that refuses everybody who trusts it ---- */

struct server {
  int fd;
  char port[8];
  pthread_t thread;
  SSL_CTX *ctx;
  /* To the question for TLS: a letter, and what somebody in between adds. */
  const char *answer;
  bool is_broken;         /* no handshake follows */
  const char *alpn;       /* [opt] TLS begins at once, with this protocol */
  char seen[8];           /* T: logins with TLS, p: without, -: neither */
  void *(*serve)(void *); /* [opt] */
  const char *real_port;  /* of a server behind this one */
  bool strips;
  bool accepts; /* the token */
  _Atomic size_t left;
  char how; /* the last login ended: r, l, c or - */
};

static const char accepted[] = "E\0\0\0\x24SFATAL\0VFATAL\0C28000\0Maccepted\0";

static char serve_tls(const struct server *s, int fd)
{
  const size_t n = strlen(s->answer);
  SSL *ssl = SSL_new(s->ctx);
  char how = '-', bytes[1024];

  (void)SSL_set_fd(ssl, fd);
  if (send(fd, s->answer, n, 0) == (ssize_t)n && !s->is_broken &&
      SSL_accept(ssl) == 1 && SSL_read(ssl, bytes, sizeof(bytes)) > 0) {
    how = 'T';
    (void)SSL_write(ssl, accepted, sizeof(accepted));
  }
  SSL_free(ssl);
  return how;
}

static void *serve(void *arg)
{
  struct server *s = arg;
  int fd;

  while ((fd = accept(s->fd, NULL, NULL)) >= 0) {
    const size_t n = strlen(s->seen);
    char how = '-', bytes[1024];
    ssize_t got = recv(fd, bytes, sizeof(bytes), 0);

    if (got == 8 && *s->answer != 'N') {
      how = serve_tls(s, fd);
    } else {
      if (got == 8 && send(fd, s->answer, 1, 0) == 1)
        got = recv(fd, bytes, sizeof(bytes), 0);
      if (got > 8 && send(fd, accepted, sizeof(accepted), 0) > 0)
        how = 'p';
    }
    if (n + 1 < sizeof(s->seen))
      s->seen[n] = how;
    (void)close(fd);
  }
  return NULL;
}

static void server_open(struct server *s, const struct certificate *o)
{
  const struct sockaddr_in at = loopback_listen(&s->fd);

  s->ctx = certificates_server(o);
  if (!s->answer)
    s->answer = "S";
  (void)snprintf(s->port, sizeof(s->port), "%u", ntohs(at.sin_port));
  MUST(pthread_create(&s->thread, NULL, s->serve ? s->serve : serve, s) == 0);
}

static void server_close(struct server *s)
{
  (void)shutdown(s->fd, SHUT_RDWR);
  (void)pthread_join(s->thread, NULL);
  (void)close(s->fd);
  SSL_CTX_free(s->ctx);
}

/* ---- the comparison ---- */

static enum visit_rc own_fails(struct conn *c, struct outcome *out)
{
  const uint64_t until_ns = clock_now_ns() + 20 * NS_PER_S;
  struct visit v = { .sql = "SELECT 1", .len = 8, .until_ns = until_ns };
  const enum visit_rc rc = pgsql_visit(c->session, &v, out);

  MUST(rc != VISIT_DONE);
  return rc;
}

static void library_fails(struct conn *c, struct outcome *out)
{
  c->session->may_be_raw = false;
  *out = (struct outcome){ 0 };
  MUST(c->driver->connect(c->session, clock_now_ns() + 20 * NS_PER_S, out) < 0);
}

static bool own_trusts(struct conn *c)
{
  struct outcome out = { 0 };

  MUST(own_fails(c, &out) == VISIT_FAILED);
  if (strstr(out.msg, "accepted"))
    return true;
  OK(strstr(out.msg, "certificate") && out.permanent, "it says why not");
  return false;
}

static bool library_trusts(struct conn *c)
{
  struct outcome out = { 0 };

  library_fails(c, &out);
  return strstr(out.msg, "accepted") != NULL;
}

/* A session that is not open, and that `f` leads to `port`. */
static struct conn *client_open(struct fixture *f, const char *mode,
                                const char *host, const char *port)
{
  struct conn *c;

  fixture_init(f);
  fixture_open(f);
  c = fixture_conn(f);
  c->driver->disconnect(c->session);
  f->host[0] = host;
  f->port[0] = port;
  for (f->cfg.sslmode = 0; strcmp(pgsql_sslmodes[f->cfg.sslmode], mode) != 0;)
    f->cfg.sslmode++;
  return c;
}

static void compare(const struct certificate *o)
{
  struct server s = { 0 };
  const bool good = (o->good & LIBPQ) != 0;
  struct fixture f;
  struct conn *c;
  bool own, library;

  server_open(&s, o);
  c = client_open(&f, modes[o->check], o->host, s.port);
  f.cfg.sslrootcert = files->ca;
  f.cfg.sslcrl = o->flaw == REVOKED ? files->crl : NULL;
  own = own_trusts(c);
  library = library_trusts(c);
  OK(own == library && own == good, o->what);
  if (own != library || own != good)
    printf("# own %d, library %d, expected %d\n", own, library, good);
  fixture_done(&f);
  server_close(&s);
}

static const struct certificate usual = { .cn = HOST };

/* ---- second attempts, and bytes in front of the handshake ---- */

static const struct {
  const char *what, *mode, *answer;
  bool is_broken;
  const char *seen;
  const char *text; /* of our own login */
} turns[] = {
  { "disable", "disable", "S", false, "p", "accepted" },
  { "allow: with TLS in the end", "allow", "S", false, "pT", "accepted" },
  { "prefer: without TLS in the end", "prefer", "S", false, "Tp", "accepted" },
  { "prefer: after no handshake", "prefer", "S", true, "-p", "accepted" },
  { "prefer: the server has no TLS", "prefer", "N", false, "p", "accepted" },
  { "require", "require", "S", false, "T", "accepted" },
  { "require: no handshake", "require", "S", true, "-", "closed" },
  { "require: no TLS", "require", "N", false, "-", "not support SSL" },
  { "bytes in front of the handshake", "require", "SE", false, "-",
    "unencrypted data after SSL response" },
  { "an answer in front of it", "require",
    "SE\1\1\1\1SFATAL\1C28000\1Maccepted\1", false, "-",
    "unencrypted data after SSL response" },
  { "an error before it is not shown", "require",
    "E\1\1\1\x24SFATAL\1VFATAL\1C28000\1Maccepted\1", true, "-",
    "error response during SSL exchange" },
  { "prefer: nor is it", "prefer", "E", true, "-",
    "error response during SSL exchange" },
};

static void take_turns(size_t i, bool own)
{
  struct server s = { .answer = turns[i].answer,
                      .is_broken = turns[i].is_broken };
  struct outcome out = { 0 };
  struct fixture f;
  struct conn *c;

  server_open(&s, &usual);
  c = client_open(&f, turns[i].mode, HOST, s.port);
  if (!own)
    library_fails(c, &out);
  else
    MUST(own_fails(c, &out) == VISIT_FAILED);
  server_close(&s);
  OK((own && strstr(out.msg, turns[i].text)) ||
       (!own &&
        !strstr(out.msg, "accepted") == (strcmp(turns[i].seen, "-") == 0)),
     turns[i].what);
  OK_STR(s.seen, turns[i].seen, own ? "as expected" : "as the library");
  fixture_done(&f);
}

/* ---- TLS without a question ---- */

static int choose_protocol(SSL *ssl, const unsigned char **ret,
                           unsigned char *ret_n, const unsigned char *offered,
                           unsigned n, void *arg)
{
  const struct server *s = arg;

  (void)ssl;
  MUST(n == 11 && memcmp(offered, "\x0apostgresql", n) == 0);
  *ret = (const unsigned char *)s->alpn;
  *ret_n = (unsigned char)strlen(s->alpn);
  return *s->alpn ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_NOACK;
}

static void *serve_direct(void *arg)
{
  struct server *s = arg;
  int fd;

  SSL_CTX_set_alpn_select_cb(s->ctx, choose_protocol, s);
  while ((fd = accept(s->fd, NULL, NULL)) >= 0) {
    s->seen[strlen(s->seen)] = serve_tls(s, fd);
    (void)close(fd);
  }
  return NULL;
}

static const struct {
  const char *what, *alpn, *cn, *seen, *text;
} directs[] = {
  { "direct: the server chooses our protocol", "postgresql", HOST, "T",
    "accepted" },
  { "direct: the server chooses none", "", HOST, "-", "without ALPN" },
  { "direct: another protocol", "http/1.1", HOST, "-", "SSL" },
  { "direct: another host", "postgresql", "other.example.org", "-",
    "does not match host name" },
};

static void begin_at_once(size_t i)
{
  struct server s = { .answer = "",
                      .serve = serve_direct,
                      .alpn = directs[i].alpn };
  const struct certificate o = { .cn = directs[i].cn };
  struct outcome out = { 0 };
  struct fixture f;
  struct conn *c;

  server_open(&s, &o);
  c = client_open(&f, "verify-full", HOST, s.port);
  f.cfg.sslrootcert = files->ca;
  f.cfg.sslnegotiation = PGSQL_DIRECT;
  OK(own_fails(c, &out) == VISIT_FAILED && strstr(out.msg, directs[i].text),
     directs[i].what);
  server_close(&s);
  OK_STR(s.seen, directs[i].seen, "no password for others");
  fixture_done(&f);
}

static void begin_too_soon(const char *answer)
{
  struct server s = { .answer = answer };
  struct outcome out = { 0 };
  struct fixture f;
  struct conn *c;

  server_open(&s, &usual);
  c = client_open(&f, "require", HOST, s.port);
  f.cfg.sslnegotiation = PGSQL_DIRECT;
  OK(own_fails(c, &out) == VISIT_FAILED && !strstr(out.msg, "unencrypted"),
     "direct: a server that waits for the question");
  server_close(&s);
  fixture_done(&f);
}

/* ---- a server that asks for a token ---- */

#define TOKEN "secret.token"

static const char asks[] = "R\0\0\0\x15\0\0\0\x0aOAUTHBEARER\0\0",
                  lets_in[] = "R\0\0\0\x08\0\0\0\0"
                              "S\0\0\0\x18server_version\0"
                              "18.1\0"
                              "Z\0\0\0\5I",
                  answers[] = "T\0\0\0\6\0\1"
                              "D\0\0\0\x0b\0\1\0\0\0\1"
                              "1C\0\0\0\x0dSELECT 1\0Z\0\0\0\5I",
                  refuses[] =
                    "R\0\0\0\x22\0\0\0\x0b{\"status\":\"invalid_token\"}",
                  error[] = "E\0\0\0\x17SFATAL\0C28000\0Mno\0\0";

struct token_peer {
  SSL *ssl; /* [opt] */
  int fd;
  size_t left; /* bytes, before the server hangs up */
};

static bool peer_hears(const struct token_peer *p, const char *text)
{
  char bytes[1024];
  const int n = p->ssl ? SSL_read(p->ssl, bytes, sizeof(bytes))
                       : (int)recv(p->fd, bytes, sizeof(bytes), 0);

  return n > 0 && memmem(bytes, (size_t)n, text, strlen(text)) != NULL;
}

static bool peer_says(struct token_peer *p, const char *bytes, size_t n)
{
  const size_t some = n < p->left ? n : p->left;

  p->left -= some;
  if (some > 0 && p->ssl)
    return SSL_write(p->ssl, bytes, (int)some) == (int)some && some == n;
  return some == n && send(p->fd, bytes, n, 0) == (ssize_t)n;
}

static char peer_logs_in(struct token_peer *p, bool accepts)
{
  if (!peer_hears(p, "user") || !peer_says(p, asks, sizeof(asks) - 1))
    return 'c';
  if (!peer_hears(p, "auth=Bearer " TOKEN "\1\1"))
    return '-';
  if (!accepts)
    return peer_says(p, refuses, sizeof(refuses) - 1) && peer_hears(p, "\1") &&
               peer_says(p, error, sizeof(error) - 1)
             ? 'r'
             : 'c';
  if (!peer_says(p, lets_in, sizeof(lets_in) - 1))
    return 'c';
  while (peer_hears(p, "SELECT") && peer_says(p, answers, sizeof(answers) - 1))
    ;
  return 'l';
}

static void *serve_token(void *arg)
{
  struct server *s = arg;
  int fd;

  while ((fd = accept(s->fd, NULL, NULL)) >= 0) {
    struct token_peer p = { .fd = fd, .left = s->left };
    char request[8];
    bool open = recv(fd, request, 8, MSG_WAITALL) == 8 &&
                send(fd, s->answer, 1, 0) == 1;

    if (open && *s->answer == 'S') {
      p.ssl = SSL_new(s->ctx);
      (void)SSL_set_fd(p.ssl, fd);
      open = SSL_accept(p.ssl) == 1;
    }
    s->how = open ? peer_logs_in(&p, s->accepts) : '?';
    SSL_free(p.ssl);
    (void)close(fd);
  }
  return NULL;
}

static struct conn *token_client(struct fixture *f, struct server *s,
                                 const char *mode)
{
  struct conn *c;

  s->serve = serve_token;
  s->left = s->left ? s->left : SIZE_MAX;
  server_open(s, &usual);
  c = client_open(f, mode, HOST, s->port);
  f->host[0] = "127.0.0.1";
  f->cfg.password = TOKEN;
  return c;
}

static enum visit_rc token_visit(struct conn *c, struct outcome *out)
{
  struct visit v = { .sql = "SELECT 1",
                     .len = 8,
                     .until_ns = clock_now_ns() + 20 * NS_PER_S };

  return pgsql_visit(c->session, &v, out);
}

static void token_is_refused(void)
{
  struct server s = { 0 };
  struct outcome out = { 0 };
  struct fixture f;
  struct conn *c = token_client(&f, &s, "prefer");

  OK(token_visit(c, &out) == VISIT_FAILED && out.permanent &&
       strstr(out.msg, "FATAL:  no\nDETAIL:  {\"status\":\"invalid_token\"}"),
     "token: the reason of a refusal");
  OK(!strstr(out.msg, TOKEN), "token: not shown");
  server_close(&s);
  OK(s.how == 'r', "token: no second attempt without TLS");
  fixture_done(&f);
}

static void token_in_the_clear(bool allowed)
{
  struct server s = { .answer = "N", .accepts = true };
  struct outcome out = { 0 };
  struct fixture f;
  struct conn *c = token_client(&f, &s, "prefer");
  enum visit_rc rc;

  f.cfg.cleartext = allowed;
  rc = token_visit(c, &out);
  server_close(&s);
  if (allowed)
    OK(rc == VISIT_DONE && s.how == 'l', "token: without TLS if allowed");
  else
    OK(rc == VISIT_FAILED && s.how == '-' && out.permanent &&
         strstr(out.msg, "a token, without TLS"),
       "token: a server without TLS does not get it");
  fixture_done(&f);
}

/* Of a thread, too: libpq has no token. */
static void token_session(void)
{
  struct server s = { .accepts = true };
  struct outcome out = { 0 };
  struct fixture f;
  struct conn *c = token_client(&f, &s, "require");
  PGresult *result;

  OK(c->driver->connect(c->session, clock_now_ns() + 20 * NS_PER_S, &out) ==
         0 &&
       pgsql_of(c->session)->raw,
     "token: a session of a thread");
  result = pgsql_ask(pgsql_of(c->session), "SELECT 1");
  OK(PQntuples(result) == 1 && PQnfields(result) == 1, "token: a question");
  OK_STR(PQgetvalue(result, 0, 0), "1", "token: its answer");
  OK_STR(pgsql_of(c->session)->version, "18.1", "token: the server's version");
  PQclear(result);
  c->driver->disconnect(c->session);
  OK(c->driver->connect(c->session, clock_now_ns() + 20 * NS_PER_S, &out) == 0,
     "token: the next one");
  c->driver->disconnect(c->session);
  f.cfg.protocol = PGSQL_LIBRARY;
  OK(c->driver->connect(c->session, clock_now_ns() + 20 * NS_PER_S, &out) < 0,
     "token: the library alone cannot");
  server_close(&s);
  fixture_done(&f);
}

static void token_cut(void)
{
  const size_t all = sizeof(asks) + sizeof(lets_in) + sizeof(answers) - 3;
  struct server s = { .accepts = true };
  size_t failed = 0;
  struct fixture f;
  struct conn *c = token_client(&f, &s, "require");

  for (size_t i = 1; i <= all; i++) {
    struct outcome out = { 0 };

    s.left = i;
    failed += token_visit(c, &out) == VISIT_FAILED && !strstr(out.msg, TOKEN);
  }
  OK(failed == all - 1, "token: cut at each byte");
  server_close(&s);
  fixture_done(&f);
}

/* ---- permissions of the client's key ---- */

static void key_with(mode_t permissions)
{
  char cert[96], key[96], what[64];
  struct server s = { 0 };
  struct outcome out = { 0 };
  enum visit_rc own;
  struct fixture f;
  struct conn *c;

  (void)snprintf(cert, sizeof(cert), "%s/client", files->folder);
  (void)snprintf(key, sizeof(key), "%s/key", files->folder);
  certificates_write(cert, key);
  MUST(chmod(key, permissions) == 0);
  server_open(&s, &usual);
  c = client_open(&f, "require", HOST, s.port);
  f.cfg.sslcert = cert;
  f.cfg.sslkey = key;
  own = own_fails(c, &out);
  library_fails(c, &out);
  (void)snprintf(what, sizeof(what), "a key with the permissions %03o",
                 (unsigned)permissions);
  OK((own == VISIT_FAILED) == (strstr(out.msg, "accepted") != NULL), what);
  if (permissions == 0600 || permissions == 0644)
    OK((own == VISIT_FAILED) == (permissions == 0600), "as expected");
  fixture_done(&f);
  server_close(&s);
  MUST(unlink(cert) == 0 && unlink(key) == 0);
}

/* ---- somebody in between ---- */

static bool relay_ask(int fd)
{
  static const char question[] = { 0, 0, 0, 8, 4, (char)210, 22, 47 };
  char letter;

  return send(fd, question, 8, 0) == 8 && recv(fd, &letter, 1, 0) == 1 &&
         letter == 'S';
}

static bool relay_pass(SSL *from, SSL *to, bool strips)
{
  static const char plus[] = "SCRAM-SHA-256-PLUS";
  char bytes[16 * 1024], *at;
  int n;

  do {
    n = SSL_read(from, bytes, sizeof(bytes));
    if (n <= 0)
      return false;
    at = strips ? memmem(bytes, (size_t)n, plus, sizeof(plus)) : NULL;
    if (at) { /* the first of the mechanisms in a short message */
      n -= (int)sizeof(plus);
      memmove(at, at + sizeof(plus), (size_t)(bytes + n - at));
      bytes[4] = (char)(bytes[4] - (char)sizeof(plus));
    }
    if (SSL_write(to, bytes, n) != n)
      return false;
  } while (SSL_pending(from) > 0);
  return true;
}

static void relay_session(const struct server *s, int near, int far)
{
  SSL_CTX *ctx = SSL_CTX_new(TLS_client_method());
  SSL *client = SSL_new(s->ctx), *server = SSL_new(ctx);
  struct pollfd fds[] = { { .fd = near, .events = POLLIN },
                          { .fd = far, .events = POLLIN } };
  char question[8];
  bool open;

  (void)SSL_set_fd(client, near);
  (void)SSL_set_fd(server, far);
  open = recv(near, question, 8, MSG_WAITALL) == 8 &&
         send(near, "S", 1, 0) == 1 && SSL_accept(client) == 1 &&
         relay_ask(far) && SSL_connect(server) == 1;
  while (open && poll(fds, 2, -1) > 0)
    open = (!fds[0].revents || relay_pass(client, server, false)) &&
           (!fds[1].revents || relay_pass(server, client, s->strips));
  SSL_free(client);
  SSL_free(server);
  SSL_CTX_free(ctx);
}

static void *relay(void *arg)
{
  const struct server *s = arg;
  struct sockaddr_in at = { .sin_family = AF_INET,
                            .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
                            .sin_port = htons((uint16_t)atoi(s->real_port)) };
  int near, far;

  while ((near = accept(s->fd, NULL, NULL)) >= 0) {
    far = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(far, (const struct sockaddr *)&at, sizeof(at)) == 0)
      relay_session(s, near, far);
    (void)close(near);
    (void)close(far);
  }
  return NULL;
}

/* Only the binding to the channel shows the other certificate. */
static void bind_to_channel(bool own, bool strips)
{
  struct server s = { .serve = relay,
                      .real_port = fixture_env("PG_PORT", "5432"),
                      .strips = strips };
  struct outcome out = { 0 };
  struct fixture f;
  struct conn *c;

  server_open(&s, &usual);
  c = client_open(&f, "require", HOST, s.port);
  f.cfg.user = "sbpass";
  f.cfg.password = "secret";
  if (strips)
    MUST(setenv("PGCHANNELBINDING", "require", 1) == 0);
  if (own)
    OK(own_fails(c, &out) == (strips ? VISIT_CANNOT : VISIT_FAILED),
       "another certificate in between");
  if (!own || strips)
    library_fails(c, &out);
  MUST(unsetenv("PGCHANNELBINDING") == 0);
  OK(strstr(out.msg, strips ? "channel binding is required"
                            : "channel binding check failed") != NULL,
     strips ? "is refused if the mechanism is taken away" : "is noticed");
  server_close(&s);
  fixture_done(&f);
}

int main(void)
{
  (void)signal(SIGPIPE, SIG_IGN); /* of the server */
  files = certificates_make();
  for (const struct certificate *c = certificates; c->what; c++)
    compare(c);
  for (size_t i = 0; i < sizeof(turns) / sizeof(turns[0]); i++) {
    take_turns(i, true);
    if (*turns[i].answer != 'E') /* libpq 14 shows it */
      take_turns(i, false);
  }
  for (size_t i = 0; i < sizeof(directs) / sizeof(directs[0]); i++)
    begin_at_once(i);
  begin_too_soon("S");
  begin_too_soon("N");
  token_is_refused();
  token_in_the_clear(false);
  token_in_the_clear(true);
  token_session();
  token_cut();
  for (size_t i = 0; i < 5; i++)
    key_with((const mode_t[]){ 0600, 0640, 0644, 0660, 0604 }[i]);
  bind_to_channel(true, false);
  bind_to_channel(false, false);
  bind_to_channel(true, true);
  certificates_unmake();
  return TAP_EXIT();
}
