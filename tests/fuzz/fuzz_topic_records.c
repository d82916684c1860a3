/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Topics in record sets of the cluster's metadata, which may begin and end anywhere. */
#include "fuzz.h"
#include "wire/record_set.h"
#include "wire/topic_records.h"

struct seen {
    const struct kafka_cursor *records;
    size_t namings;
};

static void take_naming(void *context, const struct kafka_topic_naming *naming)
{
    struct seen *seen = context;
    size_t end = seen->records->limit < seen->records->captured ? seen->records->limit : seen->records->captured;

    REQUIRE(naming->id == (const uint8_t *)naming->name + naming->name_length);
    REQUIRE((const uint8_t *)naming->name >= seen->records->data);
    REQUIRE(naming->id + KAFKA_UUID_SIZE <= seen->records->data + end);
    REQUIRE(kafka_may_be_topic_name(naming->name, naming->name_length) && !kafka_topic_id_is_reserved(naming->id));
    seen->namings++;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct kafka_cursor records;

    if (!open_input(data, size, &records)) {
        return 0;
    }
    struct seen all = {.records = &records};
    size_t budget = KAFKA_FIND_MAX_BYTES;
    kafka_find_topic_records(&records, &budget, take_naming, &all);
    REQUIRE(budget <= KAFKA_FIND_MAX_BYTES);
    /* A smaller budget finds no more, and is not overdrawn. */
    struct seen some = {.records = &records};
    size_t smaller = size / 2;
    kafka_find_topic_records(&records, &smaller, take_naming, &some);
    REQUIRE(smaller <= size / 2 && some.namings <= all.namings);
    return 0;
}
