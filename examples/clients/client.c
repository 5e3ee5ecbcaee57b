/* A random agent that speaks Mensura's protocol over its standard streams, for discrete actions.

       cc -O2 -o client client.c
       mensura assess cmd:./client

   It needs no JSON library: Mensura writes id, ask and seat first and without spaces. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
    int start, n;                /* the actions */
    unsigned long long state;    /* of xorshift64 */
} seats[1000];

/* The number behind a word, or nothing. */
static unsigned long long number(const char *line, const char *word) {
    const char *found = strstr(line, word);
    return found ? strtoull(found + strlen(word), NULL, 10) : 0;
}

static int act(int seat) {
    unsigned long long x = seats[seat].state;
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    seats[seat].state = x;
    return seats[seat].start + (int)((x >> 33) % seats[seat].n);
}

int main(void) {
    char *line = NULL, ask[16];
    size_t room = 0;
    long id;
    while (getline(&line, &room, stdin) > 0) {
        int seat = 0;
        if (sscanf(line, "{\"id\":%ld,\"ask\":\"%15[a-z]\",\"seat\":%d", &id, ask, &seat) < 2) {
            fputs(line, stderr);    /* why Mensura hangs up */
            return 1;
        }
        if (!strcmp(ask, "begin")) {
            const char *space = strstr(line, "\"action_space\":{\"kind\":\"discrete\"");
            if (space == NULL || seat < 0 || seat >= 1000) {
                printf("{\"id\":%ld,\"error\":\"only discrete actions are known\"}\n", id);
                fflush(stdout);
                continue;
            }
            seats[seat].n = (int)number(space, "\"n\":");
            seats[seat].start = (int)number(space, "\"start\":");
            seats[seat].state = number(line, "\"seed\":") | 1;
        }
        if (!strcmp(ask, "hello")) printf("{\"id\":%ld,\"value\":{\"version\":1}}\n", id);
        else if (!strcmp(ask, "act")) printf("{\"id\":%ld,\"value\":%d}\n", id, act(seat));
        else printf("{\"id\":%ld,\"value\":null}\n", id);
        fflush(stdout);
    }
    return 0;
}
