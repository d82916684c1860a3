# SPDX-License-Identifier: GPL-2.0-or-later
# Other libraries: GLib for the dissector, and in the target kafka_libraries what plugin/wire needs: codecs and checksums.

find_package(PkgConfig REQUIRED)
pkg_check_modules(GLIB REQUIRED IMPORTED_TARGET glib-2.0)
pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd)
pkg_check_modules(LZ4 REQUIRED IMPORTED_TARGET liblz4)
pkg_check_modules(ISAL REQUIRED IMPORTED_TARGET libisal)

# Not every release of snappy comes with a pkg-config file.
find_path(SNAPPY_INCLUDE_DIR snappy-c.h)
find_library(SNAPPY_LIBRARY snappy)
if(NOT SNAPPY_INCLUDE_DIR OR NOT SNAPPY_LIBRARY)
    message(FATAL_ERROR "The snappy library was not found. On Debian and Ubuntu it is in the package libsnappy-dev.")
endif()

add_library(kafka_libraries INTERFACE)
target_include_directories(kafka_libraries SYSTEM INTERFACE "${SNAPPY_INCLUDE_DIR}")
target_link_libraries(
    kafka_libraries INTERFACE
    PkgConfig::ZSTD PkgConfig::LZ4 PkgConfig::ISAL "${SNAPPY_LIBRARY}")
