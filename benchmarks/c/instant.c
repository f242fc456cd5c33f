/* A bot that answers at once: it counts the entries of `legal` and draws one of them. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ROOM (1 << 19)

static char line[ROOM];
static size_t held;

/* Read one line into `line`, without its newline; return its length, or -1 at the end. */
static ssize_t next_line(void) {
    static size_t used;
    memmove(line, line + used, held - used);
    held -= used;
    used = 0;
    for (;;) {
        char *end = memchr(line, '\n', held);
        if (end) {
            *end = 0;
            used = (size_t)(end - line) + 1;
            return end - line;
        }
        ssize_t got = read(0, line + held, ROOM - 1 - held);
        if (got <= 0)
            return -1;
        held += (size_t)got;
    }
}

/* Count the objects of the list that begins at `at`. */
static unsigned count(const char *at) {
    unsigned depth = 0, found = 0;
    for (; *at; at++) {
        if (*at == '{' || *at == '[') {
            if (depth++ == 1)
                found++;
        } else if (*at == '}' || *at == ']') {
            if (--depth == 0)
                break;
        }
    }
    return found;
}

int main(void) {
    uint64_t state = 88172645463325252ull;
    char out[64];
    while (next_line() >= 0) {
        int size = 0;
        if (!strncmp(line, "{\"type\":\"decide\"", 16)) {
            const char *id = strstr(line, "\"id\":"), *legal = strstr(line, "\"legal\":");
            state ^= state << 13, state ^= state >> 7, state ^= state << 17;
            unsigned choice = (unsigned)(state % count(legal + 8));
            size = snprintf(out, sizeof out, "{\"id\":%ld,\"choice\":%u}\n",
                            strtol(id + 5, NULL, 10), choice);
        } else if (!strncmp(line, "{\"type\":\"start\"", 15)) {
            state ^= strtoull(strstr(line, "\"seed\":") + 7, NULL, 10) * 2654435761u;
        } else if (!strncmp(line, "{\"type\":\"hello\"", 15)) {
            size = snprintf(out, sizeof out, "{\"type\":\"ready\",\"protocol\":1}\n");
        } else if (!strncmp(line, "{\"type\":\"quit\"", 14)) {
            return 0;
        }
        if (size && write(1, out, (size_t)size) != size)
            return 1;
    }
    return 0;
}
