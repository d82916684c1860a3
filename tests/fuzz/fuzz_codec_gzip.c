/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unpack.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    unpack_input(KAFKA_CODEC_GZIP, data, size);
    return 0;
}
