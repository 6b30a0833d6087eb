/*
 * test_scram.c - the messages of a login with SCRAM-SHA-256: the example of
 * RFC 7677, keys that are kept, and servers that lie.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/err.h"
#include "base/wait.h"
#include "drivers/wire/scram.h"
#include "loop/loop.h"
#include "tests/unit/tap.h"

#define NONCE "rOprNGfwEbeRWgbNEkqO"
#define NONCES NONCE "%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0"
#define SALT ",s=W22ZaJ0SNY7soEsUEjb6gQ==,i="

static char said[SCRAM_ROOM], why[256];
static struct scram_keys keys;
static struct scram login;

static size_t answer(const char *text, uint64_t until_ns)
{
  memset(said, 0, sizeof(said));
  *why = '\0';
  (void)scram_begin(&login, "user", NONCE, said);
  return scram_answer(&login, &keys, "pencil", text, strlen(text), until_ns,
                      said, why, sizeof(why));
}

static bool is_right(const char *text)
{
  return scram_is_right(&login, text, strlen(text));
}

static void test_example(void)
{
  static const char expected[] =
    "c=biws,r=" NONCES ",p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=";
  size_t n = scram_begin(&login, "user", NONCE, said);

  OK(n == strlen(said) && strcmp(said, "n,,n=user,r=" NONCE) == 0,
     "the first message");
  n = answer("r=" NONCES SALT "4096", WAIT_FOREVER);
  OK(n == sizeof(expected) - 1 && memcmp(said, expected, n) == 0,
     "the second message");
  OK(is_right("v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4="),
     "the signature of the server");
  OK(!is_right("v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G8="),
     "not that of another one");
  OK(!is_right("v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95A=="),
     "nor a part of it");
  OK(!is_right("e=invalid-proof") && !is_right("v=") && !is_right(""),
     "nor none");
}

/* Nothing that takes time is done again: the time limit has come already. */
static void test_keys(void)
{
  OK(answer("r=" NONCES SALT "9999", WAIT_FOREVER) > 0, "other iterations");
  OK(answer("r=" NONCES SALT "9999", 1) > 0, "their keys are kept");
  OK(answer("r=" NONCES SALT "9998", 1) == 0 && !*why,
     "others take time, of which there is none");
  OK(answer("r=" NONCES ",s=W22ZaJ0SNY7soEsUEjb6gA==,i=9999", 1) == 0 && !*why,
     "and so does another salt");
}

static void forget(struct login_keys *shared)
{
  for (int i = 0; i < LOGIN_KEYS; i++)
    free(atomic_load(&shared->of[i]));
}

static size_t answer_iterations(int n, uint64_t until_ns)
{
  char text[128];

  (void)snprintf(text, sizeof(text), "%s%d", "r=" NONCES SALT, n);
  return answer(text, until_ns);
}

/* Another session needs no time for the keys that the first ones have made. */
static void test_shared_keys(void)
{
  struct login_keys shared = { .busy = 0 };
  bool right = true;

  scram_keys_done(&keys);
  keys = (struct scram_keys){ .shared = &shared };
  for (int i = 0; i <= LOGIN_KEYS; i++)
    right &= answer_iterations(4096 + i, WAIT_FOREVER) > 0;
  OK(right && answer_iterations(4096 + LOGIN_KEYS, 1) > 0,
     "a session keeps its own besides the shared ones");
  scram_keys_done(&keys);
  keys = (struct scram_keys){ .shared = &shared };
  for (int i = 0; i < LOGIN_KEYS; i++)
    right &= answer_iterations(4096 + i, 1) > 0;
  OK(right, "the first ones are used by another session");
  OK(answer_iterations(4096, 1) > 0 &&
       is_right("v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4="),
     "and they are right");
  OK(answer_iterations(4096 + LOGIN_KEYS, 1) == 0, "others are not shared");
  OK(!atomic_load(&shared.busy), "nobody computes any more");
  atomic_store(&shared.busy, 2); /* a name that no keys have */
  OK(answer_iterations(5000, WAIT_FOREVER) > 0,
     "who computes other keys is not waited for");
  OK(atomic_load(&shared.busy) == 2, "nor disturbed");
  atomic_store(&shared.busy, 0);
  forget(&shared);
  scram_keys_done(&keys);
}

/* ---- fibers ---- */

/* Several clients of a thread log in at the same time. */
struct guests {
  struct login_keys shared;
  unsigned began, ended, first_saw; /* ... that so many had begun */
};

static void log_in(void *arg)
{
  static const char text[] = "r=" NONCES SALT "4096";
  struct guests *g = arg;
  struct scram_keys own = { .shared = &g->shared };
  struct scram s;
  char to[SCRAM_ROOM], reason[256];

  g->began++;
  (void)scram_begin(&s, "user", NONCE, to);
  if (scram_answer(&s, &own, "pencil", text, strlen(text), WAIT_FOREVER, to,
                   reason, sizeof(reason)) == 0)
    return;
  if (g->ended++ == 0)
    g->first_saw = g->began;
}

static void test_fibers(void)
{
  const struct loop_setup setup = { .stack_bytes = 64 * 1024 };
  struct guests g = { .began = 0 };
  struct loop *l = NULL;
  struct err err;

  MUST(loop_new(&l, &setup, &err) == 0);
  for (int i = 0; i < 3; i++)
    MUST(loop_add(l, log_in, &g, &err) == 0);
  loop_run(l);
  loop_free(l);
  OK(g.ended == 3, "clients of a thread log in");
  OK(g.first_saw == 3, "the thread goes on while keys are computed");
  OK(atomic_load(&g.shared.of[0]) && !atomic_load(&g.shared.of[1]),
     "they are computed once");
  forget(&g.shared);
}

static void test_lies(void)
{
  static const struct {
    const char *text, *why;
  } cases[] = {
    { "", "no nonce" },
    { "v=x", "no nonce" },
    { "r=" NONCE SALT "4096", "nonce mismatch" },
    { "r=xOprNGfwEbeRWgbNEkqO%hvY" SALT "4096", "nonce mismatch" },
    { "r=" NONCES, "invalid salt" },
    { "r=" NONCES ",s=,i=4096", "invalid salt" },
    { "r=" NONCES ",s=W2,i=4096", "invalid salt" },
    { "r=" NONCES SALT, "invalid iteration count" },
    { "r=" NONCES SALT "0", "invalid iteration count" },
    { "r=" NONCES SALT "-1", "invalid iteration count" },
    { "r=" NONCES SALT "99999999999", "invalid iteration count" },
    { "r=" NONCES SALT "4096,x=y", "garbage at its end" },
    { "r=" NONCES " " SALT "4096", "not printable" },
    { "r=" NONCES SALT "1000001",
      "the server asks for 1000001 iterations of SCRAM, more than 1000000 are "
      "refused" },
  };
  char text[SCRAM_MESSAGE_MAX + 2];

  for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
    OK(answer(cases[i].text, WAIT_FOREVER) == 0 &&
         strstr(why, cases[i].why) != NULL,
       cases[i].why);
  }
  memset(text, 'a', sizeof(text) - 1);
  text[sizeof(text) - 1] = '\0';
  OK(answer(text, WAIT_FOREVER) == 0 && strstr(why, "too long"), "too long");
  (void)snprintf(text, sizeof(text), "r=" NONCE "%0300d" SALT "4096", 0);
  OK(answer(text, WAIT_FOREVER) == 0 && strstr(why, "nonce mismatch"),
     "a nonce that is too long");
}

static void test_nonces(void)
{
  char a[SCRAM_NONCE + 1], b[SCRAM_NONCE + 1];

  OK(scram_nonce(a) == 0 && scram_nonce(b) == 0 && strcmp(a, b) != 0 &&
       strlen(a) == SCRAM_NONCE && !strchr(a, ','),
     "nonces differ");
  OK(scram_is_plain("pencil 1!~") && !scram_is_plain("p\xc3\xa4") &&
       !scram_is_plain("\t"),
     "which passwords need no other form");
}

int main(void)
{
  test_example();
  test_keys();
  test_shared_keys();
  test_fibers();
  test_lies();
  test_nonces();
  return TAP_EXIT();
}
