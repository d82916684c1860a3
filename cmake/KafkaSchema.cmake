# SPDX-License-Identifier: GPL-2.0-or-later
# Compiles the schema into C: KAFKA_GENERATED_WIRE_SOURCES and KAFKA_GENERATED_DISSECTOR_SOURCES, made by the target
# kafka_schema.

# The system's own Python comes first: Debian's package of pytest belongs to it.
if(NOT DEFINED Python3_EXECUTABLE AND EXISTS /usr/bin/python3)
    set(Python3_EXECUTABLE /usr/bin/python3)
endif()
find_package(Python3 3.11 REQUIRED COMPONENTS Interpreter)

set(KAFKA_GENERATED_DIR "${CMAKE_BINARY_DIR}/generated")
set(KAFKA_GENERATED_WIRE_SOURCES "${KAFKA_GENERATED_DIR}/schema_data.c" "${KAFKA_GENERATED_DIR}/errors_data.c")
set(KAFKA_GENERATED_DISSECTOR_SOURCES "${KAFKA_GENERATED_DIR}/display_data.c")

file(
    GLOB_RECURSE KAFKA_SCHEMA_FILES CONFIGURE_DEPENDS
    "${CMAKE_CURRENT_SOURCE_DIR}/schema/*"
    "${CMAKE_CURRENT_SOURCE_DIR}/tools/schema/*.py")
file(MAKE_DIRECTORY "${KAFKA_GENERATED_DIR}")
add_custom_command(
    OUTPUT ${KAFKA_GENERATED_WIRE_SOURCES} ${KAFKA_GENERATED_DISSECTOR_SOURCES}
    COMMAND "${CMAKE_COMMAND}" -E env PYTHONDONTWRITEBYTECODE=1
            "${Python3_EXECUTABLE}" "${CMAKE_CURRENT_SOURCE_DIR}/tools/schema/compile.py"
            --schema "${CMAKE_CURRENT_SOURCE_DIR}/schema"
            --schema-out "${KAFKA_GENERATED_DIR}/schema_data.c"
            --display-out "${KAFKA_GENERATED_DIR}/display_data.c"
            --errors-out "${KAFKA_GENERATED_DIR}/errors_data.c"
    DEPENDS ${KAFKA_SCHEMA_FILES}
    COMMENT "Compiling the schema"
    VERBATIM)
# One target runs it, so that two libraries built at the same time do not both do.
add_custom_target(kafka_schema DEPENDS ${KAFKA_GENERATED_WIRE_SOURCES} ${KAFKA_GENERATED_DISSECTOR_SOURCES})
