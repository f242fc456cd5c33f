/* The floor: what a referee written in C would take that only moves the bytes.
   control BOT SEATS REQUESTS BYTES: ask SEATS bots in turn, each time a line of about BYTES, with a
   poll and a deadline for every answer; print requests a second and its own CPU a request in µs. */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static double now(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

int main(int argc, char **argv) {
    if (argc != 5)
        return 2;
    int seats = atoi(argv[2]), requests = atoi(argv[3]), bytes = atoi(argv[4]);
    int to[8], from[8];
    for (int seat = 0; seat < seats; seat++) {
        int in[2], out[2];
        if (pipe(in) || pipe(out))
            return 1;
        if (fork() == 0) {
            dup2(in[0], 0), dup2(out[1], 1);
            for (int fd = 3; fd < 64; fd++)
                close(fd);
            execl(argv[1], argv[1], (char *)NULL);
            _exit(127);
        }
        close(in[0]), close(out[1]);
        to[seat] = in[1], from[seat] = out[0];
    }
    char *line = malloc((size_t)bytes + 256), answer[4096];
    double begun = now(CLOCK_MONOTONIC), used = now(CLOCK_PROCESS_CPUTIME_ID);
    for (int i = 1; i <= requests; i++) {
        int seat = i % seats;
        int size = sprintf(line, "{\"type\":\"decide\",\"id\":%d,\"kind\":\"card\",\"pad\":\"", i);
        memset(line + size, 'x', (size_t)(bytes > size ? bytes - size : 0));
        size = bytes > size ? bytes : size;
        size += sprintf(line + size, "\",\"legal\":[{\"card\":\"1\"},{\"card\":\"2\"}]}\n");
        double deadline = now(CLOCK_MONOTONIC) + 5;
        if (write(to[seat], line, (size_t)size) != size)
            return 1;
        struct pollfd one = {from[seat], POLLIN, 0};
        if (poll(&one, 1, (int)((deadline - now(CLOCK_MONOTONIC)) * 1000)) != 1)
            return 1;
        ssize_t got = read(from[seat], answer, sizeof answer - 1);
        if (got <= 0 || answer[got - 1] != '\n')
            return 1;
    }
    begun = now(CLOCK_MONOTONIC) - begun, used = now(CLOCK_PROCESS_CPUTIME_ID) - used;
    printf("%.1f %.3f\n", requests / begun, used / requests * 1e6);
    return 0;
}
