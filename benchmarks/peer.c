/* A peer for the benchmarks: answers every ask after so many milliseconds, over its standard streams or to all who
   connect to a port. It acts 1 whatever it sees.

       cc -O2 -o peer peer.c && ./peer            standard streams
       ./peer 7001 100                            port 7001 (0: any, which it prints), 100 ms an answer */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#define LINE 65536
struct Peer { char *line; int used, generation; };
struct Due { double at; int to, generation, size; char text[64]; };
static struct Peer peers[65536];
static struct Due *queue;
static size_t first, last, room = 1 << 16;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec * 1e-9;
}

/* The answer to the ask in a line. */
static int answer(const char *line, char *text) {
    long id = atol(strstr(line, "\"id\":") + 5);
    const char *ask = strstr(line, "\"ask\":\"") + 7, *value = "null";
    if (*ask == 'h') value = "{\"version\":1}";
    else if (*ask == 'a') value = "1";
    return sprintf(text, "{\"id\":%ld,\"value\":%s}\n", id, value);
}

/* Cuts what came into lines and lets each be answered: at once, or later. */
static int take(int from, int to, double delay) {
    struct Peer *p = &peers[from];
    if (!p->line) p->line = malloc(LINE + 1);
    int got = read(from, p->line + p->used, LINE - p->used);
    if (got <= 0) return 0;
    p->used += got;
    char *start = p->line, *end;
    while ((end = memchr(start, '\n', p->line + p->used - start))) {
        *end = 0;
        struct Due due = {now() + delay, to, peers[to].generation, 0, ""};
        due.size = answer(start, due.text);
        if (delay == 0.0) { if (write(to, due.text, due.size) < 0) return 0; }
        else {
            if (last - first == room) exit(1);
            queue[last++ % room] = due;
        }
        start = end + 1;
    }
    p->used -= start - p->line;
    memmove(p->line, start, p->used);
    return 1;
}

int main(int count, char **words) {
    if (count < 3) { while (take(0, 1, 0.0)); return 0; }
    double delay = atof(words[2]) / 1000;
    queue = malloc(room * sizeof *queue);
    int one = 1, server = socket(AF_INET, SOCK_STREAM, 0), poll = epoll_create1(0);
    struct sockaddr_in place = {AF_INET, htons(atoi(words[1])), {htonl(INADDR_LOOPBACK)}, {0}};
    socklen_t size = sizeof place;
    setsockopt(server, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (bind(server, (void *)&place, size) || listen(server, 1024)) { perror("peer"); return 1; }
    getsockname(server, (void *)&place, &size);
    printf("%d\n", ntohs(place.sin_port));
    fflush(stdout);
    struct epoll_event event = {EPOLLIN, {.fd = server}}, events[256];
    epoll_ctl(poll, EPOLL_CTL_ADD, server, &event);
    for (;;) {
        int wait = -1;
        if (first < last) {
            double left = queue[first % room].at - now();
            wait = left > 0 ? (int)(left * 1000) + 1 : 0;
        }
        int n = epoll_wait(poll, events, 256, wait);
        for (int i = 0; i < n; i++) {
            int fd = events[i].data.fd;
            if (fd == server) {
                fd = accept(server, 0, 0);
                setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
                peers[fd].used = 0;
                event.data.fd = fd;
                epoll_ctl(poll, EPOLL_CTL_ADD, fd, &event);
            } else if (!take(fd, fd, delay)) {
                peers[fd].generation++;
                close(fd);
            }
        }
        for (double t = now(); first < last && queue[first % room].at <= t; first++) {
            struct Due *due = &queue[first % room];
            if (peers[due->to].generation == due->generation && write(due->to, due->text, due->size) < 0) continue;
        }
    }
}
