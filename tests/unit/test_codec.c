/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "builder.h"

#include <lz4frame.h>
#include <snappy-c.h>
#include <zlib.h>
#include <zstd.h>

#include "wire/codec.h"

static const struct kafka_unpack_limits ample = {KAFKA_UNPACK_DEFAULT_OUTPUT, KAFKA_UNPACK_DEFAULT_ZSTD_WINDOW_LOG};

/* Text that packs about as well as records do, with no run longer than a window. */
#define TEXT_SIZE ((size_t)400000)
static uint8_t text[TEXT_SIZE];

struct packed {
    uint8_t data[2 << 20];
    size_t size;
};

static struct packed packed;

static int make_text(void **state)
{
    uint32_t random = 7;

    (void)state;
    for (size_t i = 0; i < TEXT_SIZE; i++) {
        random = random * 1664525 + 1013904223;
        text[i] = (uint8_t)("abcdefgh"[random >> 29]);
    }
    return 0;
}

static void add_gzip(const uint8_t *data, size_t size)
{
    z_stream stream = {0};

    assert_int_equal(deflateInit2(&stream, 6, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY), Z_OK);
    stream.next_in = (Bytef *)data;
    stream.avail_in = (uInt)size;
    stream.next_out = packed.data + packed.size;
    stream.avail_out = (uInt)(sizeof packed.data - packed.size);
    assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
    packed.size += stream.total_out;
    assert_int_equal(deflateEnd(&stream), Z_OK);
}

static void add_snappy_block(const uint8_t *data, size_t size)
{
    size_t made = sizeof packed.data - packed.size;

    assert_int_equal(snappy_compress((const char *)data, size, (char *)packed.data + packed.size, &made), SNAPPY_OK);
    packed.size += made;
}

static void add(const void *data, size_t size)
{
    memcpy(packed.data + packed.size, data, size);
    packed.size += size;
}

static void add_xerial(const uint8_t *data, size_t size, size_t block_size, const char *version_words)
{
    add("\x82SNAPPY\0", 8);
    add(version_words, 8);
    for (size_t at = 0; at < size; at += block_size) {
        size_t length_at = packed.size;
        size_t part = size - at < block_size ? size - at : block_size;
        packed.size += 4;
        add_snappy_block(data + at, part);
        size_t length = packed.size - length_at - 4;
        for (int i = 0; i < 4; i++) {
            packed.data[length_at + (size_t)i] = (uint8_t)(length >> (24 - 8 * i));
        }
    }
}

static void add_lz4(const uint8_t *data, size_t size, LZ4F_preferences_t *preferences)
{
    size_t made =
        LZ4F_compressFrame(packed.data + packed.size, sizeof packed.data - packed.size, data, size, preferences);

    assert_false(LZ4F_isError(made));
    packed.size += made;
}

static void add_zstd(const uint8_t *data, size_t size, bool with_content_size, bool with_checksum)
{
    ZSTD_CCtx *context = ZSTD_createCCtx();
    ZSTD_inBuffer in = {data, size, 0};
    ZSTD_outBuffer out = {packed.data + packed.size, sizeof packed.data - packed.size, 0};

    (void)ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, with_content_size);
    (void)ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, with_checksum);
    if (with_content_size) {
        (void)ZSTD_CCtx_setPledgedSrcSize(context, size);
    } else {
        /* A first step without an end: the size is then not known when the header is written. */
        ZSTD_inBuffer first = {data, size / 2, 0};
        while (first.pos < first.size) {
            assert_false(ZSTD_isError(ZSTD_compressStream2(context, &out, &first, ZSTD_e_continue)));
        }
        in.pos = first.pos;
    }
    assert_int_equal(ZSTD_compressStream2(context, &out, &in, ZSTD_e_end), 0);
    packed.size += out.pos;
    (void)ZSTD_freeCCtx(context);
}

/* Unpacks a copy in memory of just the size, so that sanitizers see any read past it. */
static bool unpack_part(enum kafka_codec codec, size_t size, const struct kafka_unpack_limits *limits,
                        struct kafka_buffer *output, struct kafka_unpack_result *result)
{
    uint8_t *copy = test_malloc(size > 0 ? size : 1);

    memcpy(copy, packed.data, size);
    bool ok = kafka_unpack(codec, copy, size, limits, output, result);
    test_free(copy);
    assert_int_equal(ok, result->fault == KAFKA_UNPACK_NONE);
    assert_true(result->consumed <= size);
    assert_true(result->fault_offset <= size);
    return ok;
}

/* What was packed unpacks to the first size bytes of the text. */
static void check_whole(enum kafka_codec codec, size_t size, unsigned parts, unsigned notes)
{
    struct kafka_buffer output = {0};
    struct kafka_unpack_result result;

    assert_true(unpack_part(codec, packed.size, &ample, &output, &result));
    assert_int_equal(output.size, size);
    if (size > 0) {
        assert_memory_equal(output.data, text, size);
    }
    assert_int_equal(result.parts, parts);
    assert_int_equal(result.notes, notes);
    kafka_buffer_free(&output);
}

/* A limit of just the size holds; one byte less gives nothing up to the reader, and no memory. */
static void check_limit(enum kafka_codec codec, size_t size)
{
    struct kafka_unpack_limits limits = ample;
    struct kafka_buffer output = {0};
    struct kafka_unpack_result result;

    limits.output = size;
    assert_true(unpack_part(codec, packed.size, &limits, &output, &result));
    assert_int_equal(output.size, size);
    limits.output = size - 1;
    assert_false(unpack_part(codec, packed.size, &limits, &output, &result));
    assert_int_equal(result.fault, KAFKA_UNPACK_LIMIT);
    assert_null(output.data);
    assert_int_equal(output.size, 0);
    limits.output = 0;
    assert_false(unpack_part(codec, packed.size, &limits, &output, &result));
    assert_int_equal(result.fault, KAFKA_UNPACK_LIMIT);
    kafka_buffer_free(&output);
}

/* Cut after each of many sizes: truncated, and what came out is the beginning of the text; at least `least` of it in
 * the end. */
static void check_truncated(enum kafka_codec codec, size_t least)
{
    struct kafka_buffer output = {0};
    struct kafka_unpack_result result;
    size_t most = 0;

    for (size_t size = 0; size < packed.size; size++) {
        bool is_edge = size < 64 || packed.size - size <= 64;
        if (!is_edge && size % 997 != 0) {
            continue;
        }
        assert_false(unpack_part(codec, size, &ample, &output, &result));
        assert_int_equal(result.fault, KAFKA_UNPACK_TRUNCATED);
        assert_true(output.size <= TEXT_SIZE);
        if (output.size > 0) {
            assert_memory_equal(output.data, text, output.size);
        }
        most = output.size > most ? output.size : most;
    }
    assert_true(most >= least);
    kafka_buffer_free(&output);
}

/* A byte in the last quarter is wrong: the first half of the text is there all the same. */
static void check_corrupt(enum kafka_codec codec)
{
    struct kafka_buffer output = {0};
    struct kafka_unpack_result result;
    size_t at = packed.size - packed.size / 4;

    memset(packed.data + at, 0xff, 64);
    assert_false(unpack_part(codec, packed.size, &ample, &output, &result));
    assert_int_not_equal(result.fault, KAFKA_UNPACK_LIMIT);
    assert_true(output.size >= TEXT_SIZE / 2);
    assert_memory_equal(output.data, text, TEXT_SIZE / 2);
    assert_true(result.fault_offset <= packed.size);
    kafka_buffer_free(&output);
}

static void test_names(void **state)
{
    (void)state;
    assert_string_equal(kafka_codec_name(KAFKA_CODEC_ZSTD), "zstd");
    assert_string_equal(kafka_codec_name((enum kafka_codec)5), "unknown");
    assert_string_equal(kafka_unpack_fault_text(KAFKA_UNPACK_NONE), "no fault");
    assert_string_equal(kafka_unpack_fault_text((enum kafka_unpack_fault)99), "unknown fault");
}

static void test_none_and_unknown(void **state)
{
    struct kafka_buffer output = {0};
    struct kafka_unpack_result result;

    (void)state;
    assert_true(kafka_unpack(KAFKA_CODEC_NONE, text, 10, &ample, &output, &result));
    assert_int_equal(output.size, 0);
    for (int codec = 5; codec < 8; codec++) {
        assert_false(kafka_unpack((enum kafka_codec)codec, text, 10, &ample, &output, &result));
        assert_int_equal(result.fault, KAFKA_UNPACK_UNKNOWN_CODEC);
    }
    assert_null(output.data);
}

static void test_gzip(void **state)
{
    (void)state;
    packed.size = 0;
    add_gzip(text, TEXT_SIZE);
    check_whole(KAFKA_CODEC_GZIP, TEXT_SIZE, 1, 0);
    check_limit(KAFKA_CODEC_GZIP, TEXT_SIZE);
    check_truncated(KAFKA_CODEC_GZIP, TEXT_SIZE);
    check_corrupt(KAFKA_CODEC_GZIP);
}

/* A fault that the end of the input brings must not be told beyond it. */
static void test_gzip_garbage(void **state)
{
    static const uint8_t header[] = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3};
    struct kafka_buffer output = {0};
    struct kafka_unpack_result result;
    uint32_t random = 1;

    (void)state;
    for (int run = 0; run < 20000; run++) {
        packed.size = 0;
        add(header, sizeof header);
        size_t size = sizeof header + 1 + (size_t)run % 24;
        while (packed.size < size) {
            random = random * 1664525 + 1013904223;
            packed.data[packed.size++] = (uint8_t)(random >> 24);
        }
        (void)unpack_part(KAFKA_CODEC_GZIP, packed.size, &ample, &output, &result);
    }
    kafka_buffer_free(&output);
}

static void test_gzip_members(void **state)
{
    (void)state;
    packed.size = 0;
    add_gzip(text, 1000);
    add_gzip(text + 1000, 0);
    add_gzip(text + 1000, 500);
    check_whole(KAFKA_CODEC_GZIP, 1500, 3, 0);
    add("rest", 4);
    check_whole(KAFKA_CODEC_GZIP, 1500, 3, KAFKA_UNPACK_NOTE_LEFT_OVER);
}

static void test_gzip_checksum(void **state)
{
    struct kafka_buffer output = {0};
    struct kafka_unpack_result result;

    (void)state;
    packed.size = 0;
    add_gzip(text, 1000);
    packed.data[packed.size - 8] ^= 1;
    assert_false(unpack_part(KAFKA_CODEC_GZIP, packed.size, &ample, &output, &result));
    assert_int_equal(result.fault, KAFKA_UNPACK_CHECKSUM);
    assert_int_equal(output.size, 1000);
    packed.data[0] = 0;
    assert_false(unpack_part(KAFKA_CODEC_GZIP, packed.size, &ample, &output, &result));
    assert_int_equal(result.fault, KAFKA_UNPACK_CORRUPT);
    assert_non_null(result.detail);
    kafka_buffer_free(&output);
}

/* Most of 100 MB of zeros in 100 KB. */
static void test_gzip_bomb(void **state)
{
    static uint8_t zeros[1 << 20];
    z_stream stream = {0};
    struct kafka_buffer output = {0};
    struct kafka_unpack_result result;

    (void)state;
    assert_int_equal(deflateInit2(&stream, 9, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY), Z_OK);
    stream.next_out = packed.data;
    stream.avail_out = sizeof packed.data;
    for (int i = 0; i < 100; i++) {
        stream.next_in = zeros;
        stream.avail_in = sizeof zeros;
        (void)deflate(&stream, i == 99 ? Z_FINISH : Z_NO_FLUSH);
    }
    packed.size = stream.total_out;
    (void)deflateEnd(&stream);
    assert_true(packed.size < 200000);
    assert_false(unpack_part(KAFKA_CODEC_GZIP, packed.size, &ample, &output, &result));
    assert_int_equal(result.fault, KAFKA_UNPACK_LIMIT);
    assert_null(output.data);
}

static void test_snappy_raw(void **state)
{
    struct kafka_buffer output = {0};
    struct kafka_unpack_result result;

    (void)state;
    packed.size = 0;
    add_snappy_block(text, TEXT_SIZE);
    check_whole(KAFKA_CODEC_SNAPPY, TEXT_SIZE, 1, 0);
    check_limit(KAFKA_CODEC_SNAPPY, TEXT_SIZE);
    assert_false(unpack_part(KAFKA_CODEC_SNAPPY, packed.size - 1, &ample, &output, &result));
    assert_int_equal(result.fault, KAFKA_UNPACK_CORRUPT);
    assert_int_equal(output.size, 0);
    packed.size = 0;
    assert_false(unpack_part(KAFKA_CODEC_SNAPPY, 0, &ample, &output, &result));
    assert_int_equal(result.fault, KAFKA_UNPACK_TRUNCATED);
    kafka_buffer_free(&output);
}

static void test_snappy_lying_length(void **state)
{
    struct kafka_buffer output = {0};
    struct kafka_unpack_result result;

    (void)state;
    packed.size = 0;
    add("\xff\xff\xff\x0f\x00x", 6); /* 32 MiB out of one byte */
    assert_false(unpack_part(KAFKA_CODEC_SNAPPY, packed.size, &ample, &output, &result));
    assert_int_equal(result.fault, KAFKA_UNPACK_CORRUPT);
    assert_null(output.data);
}

/* Runs of one byte pack best: a block of the best ratio is no lie. */
static void test_snappy_best_ratio(void **state)
{
    static uint8_t zeros[1 << 20];
    struct kafka_buffer output = {0};
    struct kafka_unpack_result result;

    (void)state;
    packed.size = 0;
    add_snappy_block(zeros, sizeof zeros);
    assert_true(unpack_part(KAFKA_CODEC_SNAPPY, packed.size, &ample, &output, &result));
    assert_int_equal(output.size, sizeof zeros);
    kafka_buffer_free(&output);
}

static void test_snappy_xerial(void **state)
{
    static const size_t block_sizes[] = {TEXT_SIZE, 32768, 1024, 33};

    (void)state;
    for (size_t i = 0; i < sizeof block_sizes / sizeof block_sizes[0]; i++) {
        size_t blocks = (TEXT_SIZE + block_sizes[i] - 1) / block_sizes[i];
        packed.size = 0;
        add_xerial(text, TEXT_SIZE, block_sizes[i], "\0\0\0\1\0\0\0\1");
        check_whole(KAFKA_CODEC_SNAPPY, TEXT_SIZE, (unsigned)blocks, KAFKA_UNPACK_NOTE_XERIAL);
        check_limit(KAFKA_CODEC_SNAPPY, TEXT_SIZE);
    }
    packed.size = 0;
    add_xerial(text, 5000, 1000, "\1\0\0\0\1\0\0\0");
    check_whole(KAFKA_CODEC_SNAPPY, 5000, 5, KAFKA_UNPACK_NOTE_XERIAL | KAFKA_UNPACK_NOTE_XERIAL_SWAPPED);
    add_xerial(text + 5000, 1000, 1000, "\0\0\0\1\0\0\0\1"); /* another stream right behind */
    check_whole(KAFKA_CODEC_SNAPPY, 6000, 6, KAFKA_UNPACK_NOTE_XERIAL | KAFKA_UNPACK_NOTE_XERIAL_SWAPPED);
    packed.size = 0;
    add_xerial(text, 0, 1, "\0\0\0\1\0\0\0\1");
    check_whole(KAFKA_CODEC_SNAPPY, 0, 0, KAFKA_UNPACK_NOTE_XERIAL);
}

static void test_snappy_xerial_faults(void **state)
{
    struct kafka_buffer output = {0};
    struct kafka_unpack_result result;

    (void)state;
    packed.size = 0;
    add_xerial(text, 5000, 1000, "\0\0\0\1\0\0\0\1");
    assert_false(unpack_part(KAFKA_CODEC_SNAPPY, packed.size - 1, &ample, &output, &result));
    assert_int_equal(result.fault, KAFKA_UNPACK_TRUNCATED);
    assert_int_equal(output.size, 4000);
    assert_memory_equal(output.data, text, 4000);
    assert_int_equal(result.parts, 4);
    assert_false(unpack_part(KAFKA_CODEC_SNAPPY, 15, &ample, &output, &result));
    assert_int_equal(result.fault, KAFKA_UNPACK_TRUNCATED);
    assert_false(unpack_part(KAFKA_CODEC_SNAPPY, 18, &ample, &output, &result));
    assert_int_equal(result.fault, KAFKA_UNPACK_TRUNCATED);
    packed.data[16] = 0x80;
    assert_false(unpack_part(KAFKA_CODEC_SNAPPY, packed.size, &ample, &output, &result));
    assert_int_equal(result.fault, KAFKA_UNPACK_CORRUPT);
    packed.size = 0;
    add_xerial(text, TEXT_SIZE, 32768, "\0\0\0\1\0\0\0\1");
    check_corrupt(KAFKA_CODEC_SNAPPY);
    kafka_buffer_free(&output);
}

static void test_snappy_framing(void **state)
{
    struct kafka_buffer output = {0};
    struct kafka_unpack_result result;

    (void)state;
    packed.size = 0;
    add("\xff\x06\x00\x00sNaPpY", 10);
    assert_false(unpack_part(KAFKA_CODEC_SNAPPY, packed.size, &ample, &output, &result));
    assert_int_equal(result.fault, KAFKA_UNPACK_SNAPPY_FRAMING);
}

static void test_lz4(void **state)
{
    (void)state;
    for (int i = 0; i < 16; i++) {
        LZ4F_preferences_t preferences = LZ4F_INIT_PREFERENCES;
        preferences.frameInfo.blockMode = (i & 1) != 0 ? LZ4F_blockIndependent : LZ4F_blockLinked;
        preferences.frameInfo.contentChecksumFlag = (i & 2) != 0 ? LZ4F_contentChecksumEnabled : LZ4F_noContentChecksum;
        preferences.frameInfo.blockChecksumFlag = (i & 4) != 0 ? LZ4F_blockChecksumEnabled : LZ4F_noBlockChecksum;
        preferences.frameInfo.contentSize = (i & 8) != 0 ? TEXT_SIZE : 0;
        packed.size = 0;
        add_lz4(text, TEXT_SIZE, &preferences);
        check_whole(KAFKA_CODEC_LZ4, TEXT_SIZE, 1, 0);
        check_limit(KAFKA_CODEC_LZ4, TEXT_SIZE);
        check_truncated(KAFKA_CODEC_LZ4, TEXT_SIZE);
        if ((i & 6) != 0) { /* without any checksum, wrong literals are as good as right ones */
            check_corrupt(KAFKA_CODEC_LZ4);
        }
    }
}

static void test_lz4_frames(void **state)
{
    (void)state;
    packed.size = 0;
    add_lz4(text, 1000, NULL);
    add_lz4(text + 1000, 500, NULL);
    check_whole(KAFKA_CODEC_LZ4, 1500, 2, 0);
    add("rest", 4);
    check_whole(KAFKA_CODEC_LZ4, 1500, 2, KAFKA_UNPACK_NOTE_LEFT_OVER);
    packed.size = 0;
    add_lz4(text, 0, NULL);
    check_whole(KAFKA_CODEC_LZ4, 0, 1, 0);
}

/* Old clients' header: 1a where 82 would be right. Any other value is a fault. */
static void test_lz4_old_checksum(void **state)
{
    struct kafka_buffer output = {0};
    struct kafka_unpack_result result;
    LZ4F_preferences_t preferences = LZ4F_INIT_PREFERENCES;

    (void)state;
    preferences.frameInfo.blockMode = LZ4F_blockIndependent;
    packed.size = 0;
    add_lz4(text, 1000, &preferences);
    assert_memory_equal(packed.data, "\x04\x22\x4d\x18\x60\x40\x82", 7);
    packed.data[6] = 0x1a;
    check_whole(KAFKA_CODEC_LZ4, 1000, 1, KAFKA_UNPACK_NOTE_LZ4_OLD_CHECKSUM);
    packed.data[6] = 0x1b;
    assert_false(unpack_part(KAFKA_CODEC_LZ4, packed.size, &ample, &output, &result));
    assert_int_equal(result.fault, KAFKA_UNPACK_CHECKSUM);
    assert_int_equal(output.size, 0);
    kafka_buffer_free(&output);
}

static void test_lz4_faults(void **state)
{
    struct kafka_buffer output = {0};
    struct kafka_unpack_result result;
    LZ4F_preferences_t preferences = LZ4F_INIT_PREFERENCES;

    (void)state;
    preferences.frameInfo.contentChecksumFlag = LZ4F_contentChecksumEnabled;
    packed.size = 0;
    add_lz4(text, 1000, &preferences);
    packed.data[packed.size - 1] ^= 1;
    assert_false(unpack_part(KAFKA_CODEC_LZ4, packed.size, &ample, &output, &result));
    assert_int_equal(result.fault, KAFKA_UNPACK_CHECKSUM);
    assert_int_equal(output.size, 1000);
    packed.data[0] = 0;
    assert_false(unpack_part(KAFKA_CODEC_LZ4, packed.size, &ample, &output, &result));
    assert_int_equal(result.fault, KAFKA_UNPACK_CORRUPT);
    assert_int_equal(output.size, 0);
    kafka_buffer_free(&output);
}

static void test_zstd(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        packed.size = 0;
        add_zstd(text, TEXT_SIZE, (i & 1) != 0, (i & 2) != 0);
        check_whole(KAFKA_CODEC_ZSTD, TEXT_SIZE, 1, 0);
        check_limit(KAFKA_CODEC_ZSTD, TEXT_SIZE);
        check_truncated(KAFKA_CODEC_ZSTD, (i & 2) != 0 ? TEXT_SIZE : TEXT_SIZE / 2);
        check_corrupt(KAFKA_CODEC_ZSTD);
    }
}

static void test_zstd_frames(void **state)
{
    struct kafka_buffer output = {0};
    struct kafka_unpack_result result;

    (void)state;
    packed.size = 0;
    add_zstd(text, 1000, false, false);
    add("\x50\x2a\x4d\x18\x03\0\0\0xyz", 11); /* a frame to skip */
    add_zstd(text + 1000, 500, true, true);
    check_whole(KAFKA_CODEC_ZSTD, 1500, 3, 0);
    packed.data[packed.size - 1] ^= 1;
    assert_false(unpack_part(KAFKA_CODEC_ZSTD, packed.size, &ample, &output, &result));
    assert_int_equal(result.fault, KAFKA_UNPACK_CHECKSUM);
    assert_int_equal(output.size, 1500);
    packed.data[packed.size - 1] ^= 1;
    size_t rest = packed.size;
    add("rest", 4);
    assert_false(unpack_part(KAFKA_CODEC_ZSTD, packed.size, &ample, &output, &result));
    assert_int_equal(result.fault, KAFKA_UNPACK_CORRUPT);
    assert_int_equal(result.fault_offset, rest);
    assert_int_equal(output.size, 1500);
    kafka_buffer_free(&output);
}

/* A block that is followed by the header of a block that cannot be: its output stays. */
static void test_bad_block_header(void **state)
{
    struct kafka_buffer output = {0};
    struct kafka_unpack_result result;

    (void)state;
    packed.size = 0;
    add("\x28\xb5\x2f\xfd\x00\x00", 6);
    add("\x20\x00\x00half", 7); /* a raw block of 4 bytes */
    add("\x06\x00\x00rest", 7); /* the reserved type */
    assert_false(unpack_part(KAFKA_CODEC_ZSTD, packed.size, &ample, &output, &result));
    assert_int_equal(result.fault, KAFKA_UNPACK_CORRUPT);
    assert_int_equal(output.size, 4);
    assert_memory_equal(output.data, "half", 4);

    packed.size = 0;
    add("\x04\x22\x4d\x18\x60\x40\x82", 7);
    add("\x04\x00\x00\x80half", 8); /* a block of 4 bytes that is not compressed */
    add("\xff\xff\xff\x7frest", 8); /* larger than a block may be */
    assert_false(unpack_part(KAFKA_CODEC_LZ4, packed.size, &ample, &output, &result));
    assert_int_equal(result.fault, KAFKA_UNPACK_CORRUPT);
    assert_int_equal(output.size, 4);
    assert_memory_equal(output.data, "half", 4);
    kafka_buffer_free(&output);
}

static void test_zstd_window(void **state)
{
    struct kafka_unpack_limits limits = ample;
    struct kafka_buffer output = {0};
    struct kafka_unpack_result result;

    (void)state;
    packed.size = 0;
    add("\x28\xb5\x2f\xfd\x00\x88\x01\x00\x00", 9); /* a window of 2^27 and an empty block */
    check_whole(KAFKA_CODEC_ZSTD, 0, 1, 0);
    limits.zstd_window_log = 26;
    assert_false(unpack_part(KAFKA_CODEC_ZSTD, packed.size, &limits, &output, &result));
    assert_int_equal(result.fault, KAFKA_UNPACK_WINDOW);
    packed.data[5] = 0x90; /* 2^28 */
    assert_false(unpack_part(KAFKA_CODEC_ZSTD, packed.size, &ample, &output, &result));
    assert_int_equal(result.fault, KAFKA_UNPACK_WINDOW);
    kafka_buffer_free(&output);
}

/* A frame whose only block is empty says that it holds 256 bytes. */
static void test_zstd_lying_content_size(void **state)
{
    struct kafka_buffer output = {0};
    struct kafka_unpack_result result;

    (void)state;
    packed.size = 0;
    add("\x28\xb5\x2f\xfd\x60\x00\x00\x01\x00\x00", 10);
    assert_false(unpack_part(KAFKA_CODEC_ZSTD, packed.size, &ample, &output, &result));
    assert_int_equal(result.fault, KAFKA_UNPACK_CORRUPT);
    kafka_buffer_free(&output);
}

/* The content size says that it is too much: no byte is unpacked. */
static void test_zstd_declared_too_large(void **state)
{
    struct kafka_buffer output = {0};
    struct kafka_unpack_result result;

    (void)state;
    packed.size = 0;
    add("\x28\xb5\x2f\xfd\xe0\xff\xff\xff\xff\xff\xff\xff\x0f\x01\x00\x00", 16);
    assert_false(unpack_part(KAFKA_CODEC_ZSTD, packed.size, &ample, &output, &result));
    assert_int_equal(result.fault, KAFKA_UNPACK_LIMIT);
    assert_null(output.data);
}

/* One buffer for batch after batch, also when the next limit is below what it already holds. */
static void test_buffer_is_reused(void **state)
{
    struct kafka_unpack_limits limits = ample;
    struct kafka_buffer output = {0};
    struct kafka_unpack_result result;

    (void)state;
    packed.size = 0;
    add_zstd(text, TEXT_SIZE, false, false);
    assert_true(unpack_part(KAFKA_CODEC_ZSTD, packed.size, &ample, &output, &result));
    uint8_t *data = output.data;
    packed.size = 0;
    add_lz4(text, 1000, NULL);
    limits.output = 1000;
    assert_true(unpack_part(KAFKA_CODEC_LZ4, packed.size, &limits, &output, &result));
    assert_ptr_equal(output.data, data);
    assert_int_equal(output.size, 1000);
    limits.output = 999;
    assert_false(unpack_part(KAFKA_CODEC_LZ4, packed.size, &limits, &output, &result));
    assert_int_equal(result.fault, KAFKA_UNPACK_LIMIT);
    assert_null(output.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_none_and_unknown),
        cmocka_unit_test(test_gzip),
        cmocka_unit_test(test_gzip_garbage),
        cmocka_unit_test(test_gzip_members),
        cmocka_unit_test(test_gzip_checksum),
        cmocka_unit_test(test_gzip_bomb),
        cmocka_unit_test(test_snappy_raw),
        cmocka_unit_test(test_snappy_lying_length),
        cmocka_unit_test(test_snappy_best_ratio),
        cmocka_unit_test(test_snappy_xerial),
        cmocka_unit_test(test_snappy_xerial_faults),
        cmocka_unit_test(test_snappy_framing),
        cmocka_unit_test(test_lz4),
        cmocka_unit_test(test_lz4_frames),
        cmocka_unit_test(test_lz4_old_checksum),
        cmocka_unit_test(test_lz4_faults),
        cmocka_unit_test(test_zstd),
        cmocka_unit_test(test_zstd_frames),
        cmocka_unit_test(test_bad_block_header),
        cmocka_unit_test(test_zstd_window),
        cmocka_unit_test(test_zstd_lying_content_size),
        cmocka_unit_test(test_zstd_declared_too_large),
        cmocka_unit_test(test_buffer_is_reused),
    };

    return cmocka_run_group_tests(tests, make_text, NULL);
}
