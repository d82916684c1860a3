/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What Wireshark looks for in a plugin. */
#include "compat.h"

#include "expert.h"
#include "fields.h"
#include "nested.h"
#include "pdu.h"
#include "preferences.h"
#include "records.h"
#include "sasl.h"
#include "state.h"
#include "takeover.h"

/* WS_PLUGIN_DESC_DISSECTOR, which only newer versions of wsutil/plugins.h have, and 4.0 does not install. */
#define DESCRIBES_A_DISSECTOR 1

WS_DLL_PUBLIC_DEF const char plugin_version[] = KAFKA_PLUGIN_VERSION;
WS_DLL_PUBLIC_DEF const int plugin_want_major = WIRESHARK_VERSION_MAJOR;
WS_DLL_PUBLIC_DEF const int plugin_want_minor = WIRESHARK_VERSION_MINOR;

WS_DLL_PUBLIC void plugin_register(void);
WS_DLL_PUBLIC uint32_t plugin_describe(void);

static void register_protoinfo(void)
{
    kafka_fields_register();
    kafka_expert_register(proto_kafka);
    kafka_records_fields_register(proto_kafka);
    kafka_nested_register(proto_kafka);
    kafka_sasl_register(proto_kafka);
    kafka_state_register(proto_kafka);
    kafka_text_fields_announce();
}

static void register_handoff(void)
{
    kafka_preferences_register();
    kafka_pdu_handoff();
    kafka_records_handoff();
    kafka_sasl_handoff();
    kafka_takeover_handoff();
}

void plugin_register(void)
{
    static proto_plugin plugin;

    plugin.register_protoinfo = register_protoinfo;
    plugin.register_handoff = register_handoff;
    proto_register_plugin(&plugin);
}

uint32_t plugin_describe(void)
{
    return DESCRIBES_A_DISSECTOR;
}
