# SPDX-License-Identifier: GPL-2.0-or-later
# How C is compiled: the target kafka_compiler has the options of all code, kafka_module those of what Wireshark loads.

set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "Debug, Release, RelWithDebInfo or MinSizeRel" FORCE)
endif()

add_library(kafka_compiler INTERFACE)
# CMAKE_C_STANDARD knows 17 only since CMake 3.21.
target_compile_options(
    kafka_compiler INTERFACE
    -std=c17
    -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition
    -Wpointer-arith -Wwrite-strings -Wundef -Wvla -Wformat=2 -Wcast-align)
if(KAFKA_WARNINGS_AS_ERRORS)
    target_compile_options(kafka_compiler INTERFACE -Werror)
endif()

add_library(kafka_module INTERFACE)

if(KAFKA_SANITIZE OR KAFKA_FUZZ)
    set(KAFKA_SANITIZE_OPTIONS -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
    if(KAFKA_FUZZ)
        if(NOT CMAKE_C_COMPILER_ID MATCHES "Clang")
            message(FATAL_ERROR "libFuzzer comes with clang: configure with -DCMAKE_C_COMPILER=clang.")
        endif()
        list(APPEND KAFKA_SANITIZE_OPTIONS -fsanitize=fuzzer-no-link)
    endif()
    target_compile_options(kafka_compiler INTERFACE ${KAFKA_SANITIZE_OPTIONS})
    target_link_libraries(kafka_compiler INTERFACE ${KAFKA_SANITIZE_OPTIONS})
else()
    # The plugin reads bytes from strangers, so it gets the hardening that Debian's own packages have; but the stack is
    # watched where there are buffers, and not wherever something has an address: here that is nearly everywhere.
    # All symbols are bound when the plugin is loaded, so calls need no stubs.
    target_compile_options(kafka_compiler INTERFACE -fstack-protector -fno-plt)
    target_compile_options(
        kafka_compiler INTERFACE
        $<$<NOT:$<CONFIG:Debug>>:-U_FORTIFY_SOURCE>
        $<$<NOT:$<CONFIG:Debug>>:-D_FORTIFY_SOURCE=2>)
    # A message takes its way through much code, and through most of it once: what counts is how many lines of the
    # cache that is. Functions that are known across files are less code, and so is what is not aligned.
    if(CMAKE_C_COMPILER_ID STREQUAL "GNU" AND NOT CMAKE_BUILD_TYPE STREQUAL "Debug")
        target_compile_options(
            kafka_module INTERFACE -flto -falign-functions=1 -falign-jumps=1 -falign-loops=1 -falign-labels=1)
        target_link_options(kafka_module INTERFACE -flto -flto-partition=one)
    endif()
    # A symbol that nobody defines is an error here, not when Wireshark loads the plugin. Sanitizers leave some open.
    target_link_libraries(kafka_module INTERFACE -Wl,-z,defs -Wl,-z,relro -Wl,-z,now)
endif()
