/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "compat.h"

#include "preferences.h"

#include <epan/prefs-int.h>
#include <epan/prefs.h>

#include "fields.h"
#include "topic_ids.h"

/* With the four bytes of the length itself, a message is no larger than Wireshark's sizes can tell. */
#define LARGEST_SIZE ((uint32_t)INT32_MAX - 4)

/* The broker's own default (socket.request.max.bytes). */
#define DEFAULT_MAX_REQUEST_SIZE (100U * 1024 * 1024)

/* Nothing but the client's memory limits a response. */
#define DEFAULT_MAX_RESPONSE_SIZE (1024U * 1024 * 1024)

#define DEFAULT_MAX_ITEMS 900000U

/* Wireshark calls a packet with more items than its own limit a bug of the dissector, and other protocols need some. */
#define ITEMS_FOR_OTHERS 1000U

#define DEFAULT_MAX_RECORDS         40000U
#define DEFAULT_MAX_UNPACKED_BATCH  (64U * 1024 * 1024)
#define DEFAULT_MAX_UNPACKED_PACKET (256U * 1024 * 1024)

static kafka_pref_bool use_builtin;
static kafka_pref_bool verify_checksums = true;
static kafka_pref_bool show_passwords;
static unsigned max_records = DEFAULT_MAX_RECORDS;
static unsigned max_unpacked_batch = DEFAULT_MAX_UNPACKED_BATCH;
static unsigned max_unpacked_packet = DEFAULT_MAX_UNPACKED_PACKET;
static unsigned max_request_size = DEFAULT_MAX_REQUEST_SIZE;
static unsigned max_response_size = DEFAULT_MAX_RESPONSE_SIZE;
static unsigned max_items = DEFAULT_MAX_ITEMS;
static pref_t *relative_sequence_numbers;

void kafka_preferences_register(void)
{
    module_t *module = prefs_find_module("kafka");

    /* Registering a protocol's preferences twice aborts Wireshark 4.6. */
    if (module == NULL) {
        module = prefs_register_protocol(proto_kafka, NULL);
    }
    prefs_register_bool_preference(module, "use_builtin", "Use Wireshark's own Kafka dissector",
                                   "Hand Kafka's ports back to the dissector that comes with Wireshark", &use_builtin);
    prefs_register_uint_preference(module, "max_request_size", "Longest request",
                                   "A request whose length says more bytes than this is taken for damaged "
                                   "(socket.request.max.bytes of the broker)",
                                   10, &max_request_size);
    prefs_register_uint_preference(module, "max_response_size", "Longest response",
                                   "A response whose length says more bytes than this is taken for damaged", 10,
                                   &max_response_size);
    prefs_register_uint_preference(module, "max_items", "Most fields shown in a packet",
                                   "Fields beyond this number are left out, and a note says so", 10, &max_items);
    prefs_register_bool_preference(module, "verify_checksums", "Verify checksums of record batches",
                                   "Compute the CRC-32C of batches and the CRC-32 of older messages where somebody "
                                   "looks at them",
                                   &verify_checksums);
    prefs_register_bool_preference(module, "show_passwords", "Show passwords",
                                   "Show passwords of SASL/PLAIN and tokens of SASL/OAUTHBEARER instead of asterisks; "
                                   "the bytes of the packet have them either way",
                                   &show_passwords);
    prefs_register_uint_preference(module, "max_records", "Most records shown in a packet",
                                   "Records beyond this number are checked but not shown, and a note says so", 10,
                                   &max_records);
    prefs_register_uint_preference(module, "max_unpacked_batch", "Most bytes unpacked from a batch",
                                   "A compressed batch that would grow beyond this size is not unpacked", 10,
                                   &max_unpacked_batch);
    prefs_register_uint_preference(
        module, "max_unpacked_packet", "Most bytes unpacked in a packet",
        "Batches that would make all unpacked data of a packet grow beyond this size are not "
        "unpacked",
        10, &max_unpacked_packet);
    kafka_topic_ids_register_preference(module);
    module_t *tcp = prefs_find_module("tcp");
    relative_sequence_numbers = tcp != NULL ? prefs_find_preference(tcp, "relative_sequence_numbers") : NULL;
}

bool kafka_prefers_builtin(void)
{
    return use_builtin;
}

uint32_t kafka_max_request_size(void)
{
    return max_request_size <= LARGEST_SIZE ? max_request_size : LARGEST_SIZE;
}

uint32_t kafka_max_response_size(void)
{
    return max_response_size <= LARGEST_SIZE ? max_response_size : LARGEST_SIZE;
}

uint32_t kafka_max_items(void)
{
    unsigned limit = (unsigned)prefs.gui_max_tree_items;

    limit = limit > 2 * ITEMS_FOR_OTHERS ? limit - ITEMS_FOR_OTHERS : limit / 2;
    return max_items < limit ? max_items : limit;
}

uint32_t kafka_most_items(void)
{
    unsigned limit = (unsigned)prefs.gui_max_tree_items;

    return limit > ITEMS_FOR_OTHERS ? limit - ITEMS_FOR_OTHERS / 10 : limit / 2;
}

bool kafka_verifies_checksums(void)
{
    return verify_checksums;
}

bool kafka_shows_passwords(void)
{
    return show_passwords;
}

uint32_t kafka_max_records(void)
{
    return max_records;
}

size_t kafka_max_unpacked_batch(void)
{
    return max_unpacked_batch <= INT32_MAX ? max_unpacked_batch : INT32_MAX;
}

size_t kafka_max_unpacked_packet(void)
{
    return max_unpacked_packet <= INT32_MAX ? max_unpacked_packet : INT32_MAX;
}

bool kafka_tcp_counts_from_zero(void)
{
    return relative_sequence_numbers != NULL && prefs_get_bool_value(relative_sequence_numbers, pref_current);
}
