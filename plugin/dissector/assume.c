/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "compat.h"

#include "assume.h"

#include "values.h"

static uint64_t key_of(const struct kafka_pdu *pdu)
{
    return (uint64_t)pdu->frame << 32 | pdu->key;
}

/*
 * Leaves of the guesses what agrees with the connection: a client that sent requests of an API in some versions sends
 * them in no other. Where nothing agrees, nothing is left out. Versions that read the bytes alike are not told apart.
 */
static size_t keep_what_agrees(const struct kafka_connection *connection, struct kafka_guess *guesses, size_t count)
{
    struct kafka_guess kept[KAFKA_MAX_GUESSES];
    size_t kept_count = 0;

    for (size_t i = 0; i < count; i++) {
        uint32_t shown = kafka_connection_versions(connection, guesses[i].api->key);
        if (shown == 0 || (guesses[i].versions & shown) != 0) {
            kept[kept_count++] = guesses[i];
        }
    }
    if (kept_count == 0) {
        return count;
    }
    for (size_t i = 0; i < kept_count; i++) {
        guesses[i] = kept[i];
    }
    return kept_count;
}

const struct kafka_fits *kafka_fits_find(struct kafka_fits **last, wmem_allocator_t *scope,
                                         const struct kafka_cursor *frame)
{
    struct kafka_fits *fits = *last;

    if (fits != NULL && fits->begin == frame->offset && fits->end == frame->limit) {
        return fits;
    }
    if (fits == NULL) {
        fits = wmem_new(scope, struct kafka_fits);
        *last = fits;
    }
    fits->begin = frame->offset;
    fits->end = frame->limit;
    fits->count = kafka_guess_response(frame, fits->guesses, KAFKA_MAX_GUESSES);
    return fits;
}

void kafka_assume(struct kafka_connection *connection, const struct kafka_pdu *pdu, const struct kafka_fits *fits)
{
    struct kafka_guess guesses[KAFKA_MAX_GUESSES];
    size_t count = fits->count;

    if (count == 0) {
        return;
    }
    memcpy(guesses, fits->guesses, (count < KAFKA_MAX_GUESSES ? count : KAFKA_MAX_GUESSES) * sizeof *guesses);
    if (count <= KAFKA_MAX_GUESSES) {
        count = keep_what_agrees(connection, guesses, count);
    }
    struct kafka_assumption *assumption = wmem_new0(wmem_file_scope(), struct kafka_assumption);
    assumption->key = key_of(pdu);
    assumption->count = count;
    memcpy(assumption->guesses, guesses, (count < KAFKA_MAX_GUESSES ? count : KAFKA_MAX_GUESSES) * sizeof *guesses);
    if (connection->assumptions == NULL) {
        connection->assumptions = wmem_map_new(wmem_file_scope(), wmem_int64_hash, g_int64_equal);
    }
    wmem_map_insert(connection->assumptions, &assumption->key, assumption);
}

const struct kafka_assumption *kafka_assumption_of(packet_info *pinfo, const struct kafka_pdu *pdu)
{
    const struct kafka_connection *connection = kafka_connection_get(pinfo);
    uint64_t key = key_of(pdu);

    return connection->assumptions != NULL ? wmem_map_lookup(connection->assumptions, &key) : NULL;
}

const char *kafka_guess_text(wmem_allocator_t *scope, const struct kafka_guess *guess)
{
    int16_t first = kafka_guess_first(guess);
    int16_t last = kafka_guess_last(guess);

    if (first == last) {
        return wmem_strdup_printf(scope, "%s v%d", guess->api->name, first);
    }
    return wmem_strdup_printf(scope, "%s v%d\xe2\x80\x93%d", guess->api->name, first, last);
}

const char *kafka_assumption_text(wmem_allocator_t *scope, const struct kafka_assumption *assumption, size_t most)
{
    wmem_strbuf_t *text = wmem_strbuf_new(scope, "");
    size_t told = assumption->count <= most ? assumption->count : most;

    for (size_t i = 0; i < told; i++) {
        const char *separator = i == 0 ? "" : i + 1 == assumption->count ? " or " : ", ";
        wmem_strbuf_append_printf(text, "%s%s", separator, kafka_guess_text(scope, &assumption->guesses[i]));
    }
    if (told < assumption->count) {
        wmem_strbuf_append_printf(text, " or one of %zu more", assumption->count - told);
    }
    return wmem_strbuf_get_str(text);
}
