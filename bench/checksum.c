/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How fast the checksums of batches are computed, beside plainly reading the same memory: a Markdown table on standard
 * output. Batches of ordinary size lie in the processor's cache when they are verified, captures do not.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "wire/crc.h"

#define RUNS      5
#define READ_SIZE ((size_t)4 << 30) /* bytes for each figure */

/* Of the processor's time: other programs do not count. */
static double seconds(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

/* Four sums at a time, so that the memory is what limits it. */
static uint64_t read_plainly(const uint8_t *data, size_t size)
{
    uint64_t sums[4] = {0};

    for (size_t i = 0; i + sizeof sums <= size; i += sizeof sums) {
        uint64_t words[4];
        memcpy(words, data + i, sizeof words);
        for (size_t k = 0; k < 4; k++) {
            sums[k] += words[k];
        }
    }
    return sums[0] ^ sums[1] ^ sums[2] ^ sums[3];
}

static uint64_t crc32(const uint8_t *data, size_t size)
{
    return kafka_crc(KAFKA_CRC32, data, size);
}

static uint64_t crc32c(const uint8_t *data, size_t size)
{
    return kafka_crc(KAFKA_CRC32C, data, size);
}

/* The best of some runs, in 10^9 bytes a second. */
static double speed(uint64_t (*work)(const uint8_t *, size_t), const uint8_t *data, size_t size)
{
    double best = 0;
    volatile uint64_t result = 0;

    for (int run = 0; run < RUNS; run++) {
        double start = seconds();
        size_t done = 0;
        for (; done < READ_SIZE / RUNS; done += size) {
            result ^= work(data, size);
        }
        double rate = (double)done / (seconds() - start) / 1e9;
        best = rate > best ? rate : best;
    }
    return best;
}

int main(void)
{
    static const struct {
        const char *name;
        size_t size;
    } memories[] = {{"16 KiB, in cache", (size_t)16 << 10}, {"512 MiB, in memory", (size_t)512 << 20}};
    size_t largest = memories[1].size;
    uint8_t *data = malloc(largest);

    if (data == NULL) {
        fputs("not enough memory\n", stderr);
        return 1;
    }
    for (size_t i = 0; i < largest; i++) {
        data[i] = (uint8_t)(i * 2654435761U >> 13);
    }
    puts("| GB/s | plain read | CRC-32C | CRC-32 |\n|---|--:|--:|--:|");
    for (size_t i = 0; i < sizeof memories / sizeof memories[0]; i++) {
        printf("| %s | %.1f | %.1f | %.1f |\n", memories[i].name, speed(read_plainly, data, memories[i].size),
               speed(crc32c, data, memories[i].size), speed(crc32, data, memories[i].size));
    }
    free(data);
    return 0;
}
