/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Nothing in libwireshark knows what -e names, so it is read from the command line of the process. Where that cannot be
 * understood in full, or says that more is printed than values, the tree stays visible: slower, with the same output.
 */
#include "compat.h"

#include "printed_fields.h"

#include <string.h>

#include "pdu.h"

/* A field that is printed, or the protocol of one, and how it is referenced by that. */
struct printed_field {
    header_field_info *info;
    hf_ref_type as;
    hf_ref_type before; /* how it is referenced otherwise, while the tree is hidden */
};

/* What is known of the process: all that it prints are values of fields. */
static struct {
    bool is_known;
    wmem_array_t *fields; /* struct printed_field; NULL before the command line was read */
} printed;

_Static_assert(HF_REF_TYPE_NONE < HF_REF_TYPE_INDIRECT && HF_REF_TYPE_INDIRECT < HF_REF_TYPE_DIRECT,
               "the greater says more");

/* tshark's options of one letter (its manual page, 4.0 to 4.2), but for -X: a script may look at all fields. */
static const char letters_with_argument[] = "abBcCdeEfFGHijJKMNoOrRsStTuUwWyYz";
static const char letters_alone[] = "2DghIlLnpPqQvVx";

/* A command line that is being read, argument after argument. */
struct command_line {
    const char *next; /* argument; each ends with NUL */
    const char *end;
    bool prints_fields;
    bool is_understood;
};

static const char *take(struct command_line *line)
{
    const char *argument = line->next;

    if (argument >= line->end) {
        line->is_understood = false; /* an option without its argument */
        return "";
    }
    line->next += strlen(argument) + 1;
    return argument;
}

/* Takes note of all fields that a name of -e stands for. Returns whether their values are all that it prints. */
static bool add_fields(wmem_array_t *fields, const char *name)
{
    header_field_info *info = proto_registrar_get_byname(name);

    /* What expert infos say depends on more than the fields that they are about. */
    if (info == NULL || g_str_has_prefix(name, "_ws.expert")) {
        return g_str_has_prefix(name, "_ws.col.");
    }
    while (info->same_name_prev_id != -1) {
        info = proto_registrar_get_nth((unsigned)info->same_name_prev_id);
    }
    for (; info != NULL; info = info->same_name_next) {
        /* Of these the text is printed. */
        if (info->type == FT_PROTOCOL || info->id == hf_text_only) {
            return false;
        }
        if (info->parent != -1) {
            struct printed_field protocol = {.info = proto_registrar_get_nth((unsigned)info->parent),
                                             .as = HF_REF_TYPE_INDIRECT};
            wmem_array_append_one(fields, protocol);
        }
        struct printed_field field = {.info = info, .as = HF_REF_TYPE_DIRECT};
        wmem_array_append_one(fields, field);
    }
    return true;
}

/* An argument of options of one letter each, of which the last may have an argument, in it or behind it. */
static void read_letters(struct command_line *line, wmem_array_t *fields, const char *letters)
{
    for (; *letters != '\0' && line->is_understood; letters++) {
        if (strchr(letters_alone, *letters) != NULL) {
            continue;
        }
        if (strchr(letters_with_argument, *letters) == NULL) {
            line->is_understood = false;
            return;
        }
        const char *argument = letters[1] != '\0' ? letters + 1 : take(line);
        if (*letters == 'T') {
            line->prints_fields = strcmp(argument, "fields") == 0;
        } else if (*letters == 'e') {
            line->is_understood = line->is_understood && add_fields(fields, argument);
        }
        return;
    }
}

/*
 * Reads the command line much as tshark does. What begins with no dash is passed over, for it belongs to an option of a
 * whole word, or tshark has cut it off by now from the argument of one (separator=/t), in the memory that the system
 * shows. Were it a filter, tshark would take no option behind it.
 */
static bool read_command_line(const char *text, size_t size, wmem_array_t *fields)
{
    struct command_line line = {.next = text, .end = text + size, .is_understood = true};
    char *program = g_path_get_basename(take(&line));
    bool is_tshark = strcmp(program, "tshark") == 0;

    g_free(program);
    while (is_tshark && line.is_understood && line.next < line.end) {
        const char *argument = take(&line);
        if (strcmp(argument, "--") == 0) {
            break;
        }
        if (argument[0] == '-' && argument[1] != '-') {
            read_letters(&line, fields, argument + 1);
        }
    }
    return is_tshark && line.is_understood && line.prints_fields && wmem_array_get_count(fields) > 0;
}

static void find_printed(void)
{
    char *text;
    gsize size;

    printed.fields = wmem_array_new(wmem_epan_scope(), sizeof(struct printed_field));
    if (g_file_get_contents("/proc/self/cmdline", &text, &size, NULL)) {
        printed.is_known = read_command_line(text, size, printed.fields);
        g_free(text);
    }
}

static struct printed_field *field_at(unsigned index)
{
    return wmem_array_index(printed.fields, index);
}

bool kafka_hide_unprinted(const packet_info *pinfo, proto_tree *tree)
{
    if (tree == NULL || !PTREE_DATA(tree)->visible || kafka_wants_expert(pinfo, tree)) {
        return false;
    }
    if (printed.fields == NULL) {
        find_printed();
    }
    if (!printed.is_known) {
        return false;
    }
    for (unsigned i = 0; i < wmem_array_get_count(printed.fields); i++) {
        struct printed_field *field = field_at(i);
        field->before = field->info->ref_type;
        field->info->ref_type = MAX(field->before, field->as);
    }
    proto_tree_set_visible(tree, FALSE);
    return true;
}

void kafka_show_unprinted(proto_tree *tree, bool is_hidden)
{
    if (!is_hidden) {
        return;
    }
    proto_tree_set_visible(tree, TRUE);
    /* Backwards: a protocol is there once for each of its fields. */
    for (unsigned i = wmem_array_get_count(printed.fields); i-- > 0;) {
        field_at(i)->info->ref_type = field_at(i)->before;
    }
}
