/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fault.h"

#include <stddef.h>

const char *kafka_fault_text(enum kafka_fault fault)
{
    static const char *const texts[] = {
#define KAFKA_FAULT_TEXT(name, text) text,
        KAFKA_FAULTS(KAFKA_FAULT_TEXT)
#undef KAFKA_FAULT_TEXT
    };

    return (size_t)fault < sizeof texts / sizeof texts[0] ? texts[fault] : "unknown fault";
}
