/*
 * mysql_tls.c - certificates, names of servers, versions and ciphers: our own
 * login of MySQL accepts those that MariaDB's client library accepts, and no
 * others.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "certificates.h"
#include "db/driver_visit.h"
#include "drivers/mysql/options.h"
#include "suite.h"
#include "tests/unit/loopback.h"
#include "tests/unit/tap.h"

static const char *const modes[] = { [CHECK_NAME] = "VERIFY_IDENTITY",
                                     [CHECK_CA] = "VERIFY_CA",
                                     [CHECK_IF_CA] = "REQUIRED" };

static const char surplus[] = "\x10\0\0\2\xff\x16\4#28000injected";

enum when {
  NEVER,
  EARLY,
  LATE
};

static bool begin(int fd, enum when when)
{
  char bytes[128 + sizeof(surplus)];
  char greeting[] =
    "\0\0\0\0\x0a"
    "8.0.1\0\1\0\0\0saltsalt\0\0\xaa\x21\2\0\x1b\0\x15\0\0\0\0\0\0\0\0\0\0"
    "saltsaltsalt\0mysql_native_password";
  char request[36];

  const size_t more = when == EARLY ? sizeof(surplus) - 1 : 0;

  greeting[0] = (char)(sizeof(greeting) - 4);
  memcpy(bytes, greeting, sizeof(greeting));
  memcpy(bytes + sizeof(greeting), surplus, more);
  return send(fd, bytes, sizeof(greeting) + more, 0) > 0 &&
         recv(fd, request, sizeof(request), MSG_WAITALL) == sizeof(request) &&
         (when != LATE ||
          send(fd, surplus, sizeof(surplus) - 1, 0) == sizeof(surplus) - 1);
}

/* Its error names version and cipher. */
static void refuse(SSL *ssl)
{
  char packet[128] = "\0\0\0\3\xff\x16\4#28000";
  const int n = 13 + snprintf(packet + 13, sizeof(packet) - 13,
                              "accepted %s %s", SSL_get_version(ssl),
                              SSL_get_cipher_name(ssl));

  packet[0] = (char)(n - 4);
  (void)SSL_write(ssl, packet, n);
}

struct server {
  int fd;
  char port[8];
  pthread_t thread;
  SSL_CTX *ctx;
  enum when when;
  bool logs_in; /* the last client */
};

static void *serve(void *arg)
{
  struct server *s = arg;
  int fd;

  while ((fd = accept(s->fd, NULL, NULL)) >= 0) {
    SSL *ssl = SSL_new(s->ctx);
    char first[1024];

    (void)SSL_set_fd(ssl, fd);
    s->logs_in = begin(fd, s->when) && SSL_accept(ssl) == 1 &&
                 SSL_read(ssl, first, sizeof(first)) > 0;
    if (s->logs_in)
      refuse(ssl);
    SSL_free(ssl);
    (void)close(fd);
  }
  return NULL;
}

static void server_open(struct server *s, const struct certificate *c)
{
  const struct sockaddr_in at = loopback_listen(&s->fd);

  (void)signal(SIGPIPE, SIG_IGN);
  s->when = NEVER;
  s->ctx = certificates_server(c);
  (void)snprintf(s->port, sizeof(s->port), "%u", ntohs(at.sin_port));
  MUST(pthread_create(&s->thread, NULL, serve, s) == 0);
}

static void server_close(struct server *s)
{
  (void)shutdown(s->fd, SHUT_RDWR);
  (void)pthread_join(s->thread, NULL);
  (void)close(s->fd);
  SSL_CTX_free(s->ctx);
}

/* A session that is not open yet, and its settings. */
struct client {
  struct rig rig;
  struct server server;
  struct mysql_cfg made; /* of the options */
  const char *host[1], *port[1];
};

static struct mysql_cfg *client_open(struct client *c,
                                     const struct certificate *o)
{
  char *argv[] = { (char[]){ "" }, (char[]){ "--driver=mysql" },
                   (char[]){ "--mysql-dry-run=on" } };
  const struct rig_settings set = { .argc = 3, .argv = argv };
  struct mysql_cfg *cfg;
  struct err err;

  server_open(&c->server, o);
  MUST(rig_open(&c->rig, &set));
  cfg = c->rig.cfg;
  c->made = *cfg;
  cfg->dry_run = false;
  c->host[0] = o->host;
  c->port[0] = c->server.port;
  cfg->hosts = (struct opt_list){ 1, c->host };
  cfg->ports = (struct opt_list){ 1, c->port };
  cfg->tls = modes[o->check];
  MUST(c->rig.config.driver->global_init(cfg, &err) == 0);
  return cfg;
}

static void client_close(struct client *c)
{
  *(struct mysql_cfg *)c->rig.cfg = c->made;
  rig_close(&c->rig);
  server_close(&c->server);
}

/* What our own login says, and what the library says. */
static void say(struct client *c, char own[512], char library[512])
{
  const uint64_t until_ns = clock_now_ns() + 20 * NS_PER_S;
  struct visit v = { .sql = "SELECT 1", .len = 8, .until_ns = until_ns };
  struct session *s = c->rig.con->session;
  struct outcome out = { 0 };

  MUST(s->driver->visit(s, &v, &out) == VISIT_FAILED);
  (void)snprintf(own, 512, "%s", out.msg);
  MUST(s->driver->connect(s, until_ns, &out) < 0);
  (void)snprintf(library, 512, "%s", out.msg);
}

static void compare(const struct certificate *o, const char *ca)
{
  const bool good = (o->good & CONNECTOR) != 0;
  struct client c;
  struct mysql_cfg *cfg = client_open(&c, o);
  char own[512], library[512];

  cfg->tls_ca = ca;
  say(&c, own, library);
  OK((strstr(own, "accepted") != NULL) == good, o->what);
  OK_STR(own, library, "as the library says");
  client_close(&c);
}

static const struct certificate usual = {
  "usual", CHECK_IF_CA, "db.example.org", "x", NULL, BY_ITSELF, EXPIRED, BOTH
};

static void without_ca(void)
{
  struct certificate strict = usual;

  compare(&usual, NULL);
  strict.what = "no authority but those of the system";
  strict.check = CHECK_NAME;
  strict.good = NOBODY;
  compare(&strict, "");
}

/* `ciphers`, `versions`: the options. */
static void agree(const char *ciphers, const char *versions)
{
  struct client c;
  struct mysql_cfg *cfg = client_open(&c, &usual);
  struct opt_list list = { 0 };
  char own[512], library[512], *copy = strdup(versions);
  const char *items[4];

  for (char *at = strtok(copy, ","); at; at = strtok(NULL, ","))
    items[list.n++] = at;
  list.items = items;
  cfg->tls_cipher = ciphers;
  cfg->tls_versions = list;
  say(&c, own, library);
  OK_STR(own, library, "ciphers and versions");
  cfg->tls_versions = (struct opt_list){ 0 };
  client_close(&c);
  free(copy);
}

static void ciphers_and_versions(void)
{
  static const char *const ciphers[] = {
    "", "TLS_AES_128_GCM_SHA256", "ECDHE-ECDSA-AES128-GCM-SHA256",
    "TLS_AES_128_GCM_SHA256:ECDHE-ECDSA-CHACHA20-POLY1305", "HIGH"
  };
  static const char *const versions[] = { "", "TLSv1.2", "TLSv1.3",
                                          "TLSv1.2,TLSv1.3" };

  for (size_t i = 0; i < ARRAY_SIZE(ciphers); i++) {
    for (size_t j = 0; j < ARRAY_SIZE(versions); j++)
      agree(ciphers[i], versions[j]);
  }
}

static void resumes(struct client *c, enum visit_step step, const char *says,
                    const char *what)
{
  const uint64_t until_ns = clock_now_ns() + 20 * NS_PER_S;
  struct visit v = { .sql = "SELECT 1", .len = 8, .until_ns = until_ns };
  struct session *s = c->rig.con->session;
  struct outcome out = { 0 };

  OK(s->driver->visit(s, &v, &out) == VISIT_FAILED && strstr(out.msg, says),
     what);
  OK(v.failed == step || v.took_ns[step] > 0, "... in the step that says so");
}

/* The name is checked against the certificate of the first login. */
static void resume(const char *ca)
{
  const char *wrong[] = { "other.example.org" };
  struct certificate o = usual;
  struct mysql_cfg *cfg;
  struct client c;

  o.check = CHECK_NAME;
  o.cn = o.host;
  o.by = BY_CA;
  o.flaw = NONE;
  cfg = client_open(&c, &o);
  cfg->tls_ca = ca;
  cfg->tls_resume = true;
  resumes(&c, VISIT_TLS, "accepted", "the first handshake is whole");
  resumes(&c, VISIT_TLS_RESUMED, "accepted", "the second resumes it");
  cfg->hosts = (struct opt_list){ 1, wrong };
  resumes(&c, VISIT_TLS_RESUMED, "Validation", "not for another name");
  client_close(&c);
}

static void inject(enum when when, const char *what, const char *text)
{
  const uint64_t until_ns = clock_now_ns() + 20 * NS_PER_S;
  struct visit v = { .sql = "SELECT 1", .len = 8, .until_ns = until_ns };
  struct outcome out = { 0 };
  struct session *s;
  struct client c;

  (void)client_open(&c, &usual);
  c.server.when = when;
  s = c.rig.con->session;
  OK(s->driver->visit(s, &v, &out) == VISIT_FAILED && strstr(out.msg, text),
     what);
  client_close(&c);
  OK(!c.server.logs_in, "... and nobody logs in");
}

int main(void)
{
  const struct certificate_files *files = certificates_make();

  for (const struct certificate *c = certificates; c->what; c++)
    compare(c, files->ca);
  without_ca();
  inject(EARLY, "bytes behind the greeting", "unencrypted data");
  inject(LATE, "bytes in place of the handshake", "TLS/SSL error");
  ciphers_and_versions();
  resume(files->ca);
  certificates_unmake();
  return TAP_EXIT();
}
