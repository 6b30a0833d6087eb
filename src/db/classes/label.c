/*
 * label.c - finding or adding the label of a text.
 */
#include "db/classes/label.h"

#include <stdio.h>
#include <string.h>

void labels_init(struct labels *l)
{
  (void)pthread_mutex_init(&l->lock, NULL);
  l->n = 0;
  (void)snprintf(l->of[LABELS_MAX].text, LABEL_BYTES, "(other)");
}

void labels_done(struct labels *l)
{
  (void)pthread_mutex_destroy(&l->lock);
}

struct label *labels_get(struct labels *l, const char *text)
{
  struct label *found = &l->of[LABELS_MAX];
  size_t i = 0;

  (void)pthread_mutex_lock(&l->lock);
  while (i < l->n && strcmp(l->of[i].text, text) != 0)
    i++;
  if (i < LABELS_MAX) {
    found = &l->of[i];
    if (i == l->n) {
      (void)snprintf(found->text, LABEL_BYTES, "%s", text);
      l->n++;
    }
  }
  (void)pthread_mutex_unlock(&l->lock);
  return found;
}
