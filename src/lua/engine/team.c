/*
 * team.c - texts that the threads of a parallel command give each other.
 */
#include "lua/engine/team.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

struct team_text {
  struct team_text *next;
  char *name; /* owned */
  size_t len;
  char text[]; /* zero-terminated */
};

void team_init(struct team *t)
{
  (void)pthread_mutex_init(&t->lock, NULL);
  (void)pthread_cond_init(&t->news, NULL);
}

void team_done(struct team *t)
{
  while (t->texts) {
    struct team_text *first = t->texts;

    t->texts = first->next;
    free(first->name);
    free(first);
  }
  (void)pthread_cond_destroy(&t->news);
  (void)pthread_mutex_destroy(&t->lock);
}

static struct team_text *find(const struct team *t, const char *name)
{
  struct team_text *found = t->texts;

  while (found && strcmp(found->name, name) != 0)
    found = found->next;
  return found;
}

static struct team_text *new_text(const char *name, const char *text,
                                  size_t len)
{
  struct team_text *made = malloc(sizeof(*made) + len + 1);

  if (!made)
    return NULL;
  made->name = mem_strdup(name);
  made->len = len;
  memcpy(made->text, text, len);
  made->text[len] = '\0';
  if (!made->name) {
    free(made);
    return NULL;
  }
  return made;
}

int team_give(struct team *t, const char *name, const char *text, size_t len)
{
  struct team_text *made = new_text(name, text, len);
  int rc = 0;

  if (!made)
    return -ENOMEM;
  (void)pthread_mutex_lock(&t->lock);
  if (find(t, name)) {
    rc = -EEXIST;
  } else {
    made->next = t->texts;
    t->texts = made;
    (void)pthread_cond_broadcast(&t->news);
  }
  (void)pthread_mutex_unlock(&t->lock);
  if (rc < 0) {
    free(made->name);
    free(made);
  }
  return rc;
}

const char *team_await(struct team *t, const char *name, size_t *ret_len)
{
  const struct team_text *found;

  (void)pthread_mutex_lock(&t->lock);
  while (!(found = find(t, name)) && !t->left)
    (void)pthread_cond_wait(&t->news, &t->lock);
  (void)pthread_mutex_unlock(&t->lock);
  if (!found)
    return NULL;
  *ret_len = found->len;
  return found->text;
}

void team_leave(struct team *t)
{
  (void)pthread_mutex_lock(&t->lock);
  t->left = true;
  (void)pthread_cond_broadcast(&t->news);
  (void)pthread_mutex_unlock(&t->lock);
}
