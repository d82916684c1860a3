/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Everything that differs between the Wireshark versions that the plugin supports (4.0 to 4.6), and nothing else.
 * Included first by every file of the dissector.
 */
#ifndef KAFKA_DISSECTOR_COMPAT_H
#define KAFKA_DISSECTOR_COMPAT_H

#define WS_BUILD_DLL
#include <wireshark.h>

#include <ws_version.h>

#include <epan/packet.h>
#include <epan/proto.h>
#include <epan/expert.h>

#ifndef WIRESHARK_VERSION_MAJOR
#define WIRESHARK_VERSION_MAJOR VERSION_MAJOR
#define WIRESHARK_VERSION_MINOR VERSION_MINOR
#endif

#define KAFKA_WIRESHARK_AT_LEAST(major, minor)                                                                         \
    (WIRESHARK_VERSION_MAJOR > (major) || (WIRESHARK_VERSION_MAJOR == (major) && WIRESHARK_VERSION_MINOR >= (minor)))

#ifndef WS_DLL_PUBLIC_DEF
#define WS_DLL_PUBLIC_DEF __attribute__((visibility("default")))
#endif

/* The type behind a boolean preference: a pointer to the wrong one makes Wireshark write past it. And what a heuristic
 * returns. */
#if KAFKA_WIRESHARK_AT_LEAST(4, 4)
typedef bool kafka_pref_bool;
typedef bool kafka_heuristic_result;
#else
typedef gboolean kafka_pref_bool;
typedef gboolean kafka_heuristic_result;
#endif

/* Where a heuristic of "tls" puts the handle that gets what is decrypted from then on. */
#if KAFKA_WIRESHARK_AT_LEAST(4, 4)
#include <epan/dissectors/packet-tls.h>
#define kafka_tls_app_handle(data) (((struct tlsinfo *)(data))->app_handle)
#else
#define kafka_tls_app_handle(data) ((dissector_handle_t *)(data))
#endif

/* Makes a value_string_ext that lives as long as Wireshark does. */
#if KAFKA_WIRESHARK_AT_LEAST(4, 6)
#define kafka_value_string_ext_new(strings, count, name)                                                               \
    value_string_ext_new(wmem_epan_scope(), (strings), (count), (name))
#else
#define kafka_value_string_ext_new(strings, count, name) value_string_ext_new((strings), (count), (name))
#endif

/* From 4.6 on the text of an item says where in it the value stands; this one does not. */
static inline void kafka_label_has_no_value(item_label_t *label)
{
#if KAFKA_WIRESHARK_AT_LEAST(4, 6)
    label->value_pos = 0;
    label->value_len = 0;
#else
    (void)label;
#endif
}

#endif
