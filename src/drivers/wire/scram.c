/*
 * scram.c - SCRAM-SHA-256 for clients.
 */
#include "drivers/wire/scram.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/clock.h"
#include "base/wait.h"
#include "drivers/wire/base64.h"
#include "loop/loop.h"

enum {
  NONCE_BYTES = SCRAM_NONCE / 4 * 3
};

/* No other user to act for. */
static const char head_plain[] = "n,,", head_not_offered[] = "y,,",
                  head_bound[] = "p=tls-server-end-point,,";

int scram_nonce(char ret[SCRAM_NONCE + 1])
{
  uint8_t bytes[NONCE_BYTES];

  if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes))
    return -errno;
  base64_encode(bytes, sizeof(bytes), ret);
  ret[SCRAM_NONCE] = '\0';
  return 0;
}

bool scram_is_plain(const char *password)
{
  for (; *password; password++) {
    if (*password < ' ' || *password > '~')
      return false;
  }
  return true;
}

void scram_bind(struct scram *s, const uint8_t *end_point, size_t n)
{
  s->head = n > 0 ? head_bound : head_not_offered;
  s->binding_len = n;
  memcpy(s->binding, end_point, n);
}

size_t scram_begin(struct scram *s, const char *user, const char *nonce,
                   char to[SCRAM_ROOM])
{
  (void)snprintf(s->nonce, sizeof(s->nonce), "%s", nonce);
  (void)snprintf(s->first, sizeof(s->first), "n=%.*s,r=%s", SCRAM_USER_MAX,
                 user, s->nonce);
  if (!s->head)
    s->head = head_plain;
  return (size_t)snprintf(to, SCRAM_ROOM, "%s%s", s->head, s->first);
}

struct challenge {
  const char *nonce;
  size_t nonce_len;
  uint8_t salt[SCRAM_SALT_MAX];
  size_t salt_len;
  unsigned long iterations;
};

/* Of the attribute at *at, which moves behind; NULL: another letter. */
static const char *scram_value(const char **at, const char *end, char letter,
                               size_t *ret_len)
{
  const char *const begin = *at;
  const char *comma;

  if (end - begin < 2 || begin[0] != letter || begin[1] != '=')
    return NULL;
  comma = memchr(begin, ',', (size_t)(end - begin));
  *at = comma ? comma + 1 : end;
  *ret_len = (size_t)((comma ? comma : end) - begin) - 2;
  return begin + 2;
}

static bool scram_read_number(const char *text, size_t len, unsigned long *ret)
{
  unsigned long n = 0;

  if (len == 0 || len > 10)
    return false;
  for (size_t i = 0; i < len; i++) {
    if (text[i] < '0' || text[i] > '9')
      return false;
    n = n * 10 + (unsigned long)(text[i] - '0');
  }
  *ret = n;
  return n > 0;
}

static const char *scram_read_challenge(struct challenge *c,
                                        const struct scram *s, const char *said,
                                        size_t len)
{
  const size_t own = strlen(s->nonce);
  const char *const end = said + len;
  const char *text;
  ssize_t salt;
  size_t n;

  if (len > SCRAM_MESSAGE_MAX)
    return "malformed SCRAM message (too long)";
  for (size_t i = 0; i < len; i++) {
    if (said[i] <= ' ' || said[i] > '~')
      return "malformed SCRAM message (it is not printable)";
  }
  text = scram_value(&said, end, 'r', &c->nonce_len);
  if (!text)
    return "malformed SCRAM message (no nonce)";
  c->nonce = text;
  if (c->nonce_len <= own || c->nonce_len > SCRAM_NONCE_MAX ||
      memcmp(text, s->nonce, own) != 0)
    return "invalid SCRAM response (nonce mismatch)";
  text = scram_value(&said, end, 's', &n);
  salt = text ? base64_decode(text, n, c->salt, sizeof(c->salt)) : -1;
  if (salt <= 0)
    return "malformed SCRAM message (invalid salt)";
  c->salt_len = (size_t)salt;
  text = scram_value(&said, end, 'i', &n);
  if (!text || !scram_read_number(text, n, &c->iterations))
    return "malformed SCRAM message (invalid iteration count)";
  return said == end ? NULL : "malformed SCRAM message (garbage at its end)";
}

static void scram_identify(const char *password, const struct challenge *c,
                           uint8_t ret[SHA256_BYTES])
{
  const uint64_t numbers[2] = { c->salt_len, c->iterations };
  struct sha256 h;

  sha256_begin(&h);
  sha256_add(&h, numbers, sizeof(numbers));
  sha256_add(&h, c->salt, c->salt_len);
  sha256_add(&h, password, strlen(password));
  sha256_end(&h, ret);
}

struct scram_made {
  uint8_t of[SHA256_BYTES]; /* scram_identify() */
  struct hmac_sha256 stored, server;
  uint8_t client[SHA256_BYTES];
};

void scram_keys_done(struct scram_keys *k)
{
  free(k->own);
  *k = (struct scram_keys){ NULL };
}

static bool scram_is_for(const struct scram_made *k,
                         const uint8_t of[SHA256_BYTES])
{
  return k && memcmp(of, k->of, SHA256_BYTES) == 0;
}

static const struct scram_made *find_shared(struct login_keys *shared,
                                            const uint8_t of[SHA256_BYTES])
{
  for (int i = 0; shared && i < LOGIN_KEYS; i++) {
    const struct scram_made *k = atomic_load_explicit(&shared->of[i],
                                                      memory_order_acquire);

    if (scram_is_for(k, of))
      return k;
  }
  return NULL;
}

/* False: no place is left. */
static bool scram_share(struct login_keys *shared, struct scram_made *k)
{
  for (int i = 0; shared && i < LOGIN_KEYS; i++) {
    void *expected = NULL;

    /* Pairs with the acquire of find_shared(). */
    if (atomic_compare_exchange_strong_explicit(&shared->of[i], &expected, k,
                                                memory_order_release,
                                                memory_order_relaxed))
      return true;
  }
  return false;
}

/* A name for the turn; not 0. */
static uint32_t scram_turn_name(const uint8_t of[SHA256_BYTES])
{
  uint32_t name;

  memcpy(&name, of, sizeof(name));
  return name | 1;
}

/* One thread computes keys, and others wait for the same, not for other keys:
 * the salt may differ at each login.  False: the time is over. */
static bool scram_take_turn(struct login_keys *shared, uint32_t name,
                            uint64_t until_ns, bool *ret_mine)
{
  uint32_t now = 0;

  while (!atomic_compare_exchange_strong_explicit(
    &shared->busy, &now, name, memory_order_acquire, memory_order_relaxed)) {
    if (now != name)
      return true;
    if (clock_now_ns() >= until_ns)
      return false;
    loop_wait_while(&shared->busy, name, until_ns);
    now = 0;
  }
  *ret_mine = true;
  return true;
}

static void scram_end_turn(struct login_keys *shared)
{
  atomic_store_explicit(&shared->busy, 0, memory_order_release);
  loop_wake_all(&shared->busy);
}

struct wish {
  struct scram_keys *chain;
  const char *password;
  const struct challenge *c;
  const uint8_t *of;
  uint64_t until_ns;
  const struct scram_made *keys;
  bool mine;
  bool no_memory; /* else the time is over */
};

static void scram_compute(struct wish *w)
{
  struct scram_made *k = malloc(sizeof(*k));
  uint8_t key[SHA256_BYTES];
  struct hmac_sha256 salted;

  w->no_memory = !k;
  if (k && !sha256_pbkdf2(w->password, strlen(w->password), w->c->salt,
                          w->c->salt_len, (uint32_t)w->c->iterations,
                          w->until_ns, key)) {
    free(k);
    k = NULL;
  }
  if (!k)
    return;
  hmac_sha256_key(&salted, key, sizeof(key));
  hmac_sha256(&salted, "Client Key", 10, k->client);
  sha256(k->client, sizeof(k->client), key);
  hmac_sha256_key(&k->stored, key, sizeof(key));
  hmac_sha256(&salted, "Server Key", 10, key);
  hmac_sha256_key(&k->server, key, sizeof(key));
  memcpy(k->of, w->of, sizeof(k->of));
  w->keys = k;
  if (scram_share(w->chain->shared, k))
    return;
  free(w->chain->own);
  w->chain->own = k;
}

static void scram_compute_in_turn(void *arg)
{
  struct wish *w = arg;

  scram_compute(w);
  if (w->mine)
    scram_end_turn(w->chain->shared);
}

/* WAITS: computes, or another thread does. */
static void scram_grant(struct wish *w)
{
  struct login_keys *const shared = w->chain->shared;

  if (shared &&
      !scram_take_turn(shared, scram_turn_name(w->of), w->until_ns, &w->mine))
    return;
  w->keys = find_shared(shared, w->of);
  if (!w->keys)
    loop_aside(scram_compute_in_turn, w, LOOP_ASIDE_CONNECT);
  else if (w->mine)
    scram_end_turn(shared);
}

/* NULL: see *why. */
static const struct scram_made *
scram_get_keys(struct scram_keys *chain, const char *password,
               const struct challenge *c, uint64_t until_ns, const char **why)
{
  uint8_t of[SHA256_BYTES];
  struct wish w = {
    .chain = chain, .password = password, .c = c, .of = of, .until_ns = until_ns
  };

  scram_identify(password, c, of);
  w.keys = find_shared(chain->shared, of);
  if (!w.keys && scram_is_for(chain->own, of))
    w.keys = chain->own;
  if (!w.keys)
    scram_grant(&w);
  *why = w.no_memory ? "not enough memory" : "";
  return w.keys;
}

/* The last message without its proof; its length. */
static size_t scram_put_final(const struct scram *s, const struct challenge *c,
                              char to[SCRAM_ROOM])
{
  const size_t n = strlen(s->head);
  uint8_t channel[sizeof(head_bound) + SCRAM_BINDING_MAX];
  char text[BASE64_LENGTH(sizeof(channel)) + 1];

  memcpy(channel, s->head, n);
  memcpy(channel + n, s->binding, s->binding_len);
  base64_encode(channel, n + s->binding_len, text);
  text[BASE64_LENGTH(n + s->binding_len)] = '\0';
  return (size_t)snprintf(to, SCRAM_ROOM, "c=%s,r=%.*s", text,
                          (int)c->nonce_len, c->nonce);
}

size_t scram_answer(struct scram *s, struct scram_keys *chain,
                    const char *password, const char *said, size_t len,
                    uint64_t until_ns, char to[SCRAM_ROOM], char *why,
                    size_t why_size)
{
  /* Both first messages without their heads, and the last one without its
   * proof. */
  char all[SCRAM_ROOM + SCRAM_MESSAGE_MAX + SCRAM_ROOM];
  struct challenge c;
  uint8_t proof[SHA256_BYTES];
  size_t at, n;
  const struct scram_made *keys;
  const char *wrong = scram_read_challenge(&c, s, said, len);

  if (wrong) {
    (void)snprintf(why, why_size, "%s", wrong);
    return 0;
  }
  if (c.iterations > SCRAM_ITERATIONS) {
    (void)snprintf(why, why_size,
                   "the server asks for %lu iterations of SCRAM, more than %d "
                   "are refused",
                   c.iterations, SCRAM_ITERATIONS);
    return 0;
  }
  keys = scram_get_keys(chain, password, &c, until_ns, &wrong);
  if (!keys) {
    (void)snprintf(why, why_size, "%s", wrong);
    return 0;
  }
  at = scram_put_final(s, &c, to);
  n = (size_t)snprintf(all, sizeof(all), "%s,%.*s,%s", s->first, (int)len, said,
                       to);
  hmac_sha256(&keys->server, all, n, s->expected);
  hmac_sha256(&keys->stored, all, n, proof);
  for (size_t i = 0; i < sizeof(proof); i++)
    proof[i] ^= keys->client[i];
  memcpy(to + at, ",p=", 3);
  base64_encode(proof, sizeof(proof), to + at + 3);
  return at + 3 + BASE64_LENGTH(sizeof(proof));
}

bool scram_is_right(const struct scram *s, const char *said, size_t len)
{
  const char *const end = said + len;
  uint8_t signature[SHA256_BYTES + 1];
  size_t n;
  const char *text = scram_value(&said, end, 'v', &n);

  return text && said == end &&
         base64_decode(text, n, signature, sizeof(signature)) == SHA256_BYTES &&
         memcmp(signature, s->expected, SHA256_BYTES) == 0;
}
