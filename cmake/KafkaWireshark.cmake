# SPDX-License-Identifier: GPL-2.0-or-later
# Finds Wireshark's libraries and refuses what the plugin does not support.
# Sets KAFKA_WIRESHARK_SERIES ("4.0"), the name of the folder in which that Wireshark looks for plugins.

if(NOT CMAKE_SYSTEM_NAME STREQUAL "Linux")
    message(FATAL_ERROR "This plugin supports Linux only for now; this system is ${CMAKE_SYSTEM_NAME}.")
endif()

find_package(Wireshark CONFIG QUIET)
if(NOT Wireshark_FOUND)
    message(FATAL_ERROR
        "Wireshark's development files were not found. "
        "On Debian and Ubuntu they are in the packages wireshark-dev and libwireshark-dev (./install.sh installs them).")
endif()
if(NOT Wireshark_PLUGINS_ENABLED)
    message(FATAL_ERROR "The Wireshark ${Wireshark_VERSION} found here was built without support for plugins.")
endif()

set(KAFKA_WIRESHARK_SERIES "${Wireshark_MAJOR_VERSION}.${Wireshark_MINOR_VERSION}")
set(KAFKA_WIRESHARK_TESTED 4.0 4.4 4.6)
set(KAFKA_WIRESHARK_UNTESTED 4.2)

if(KAFKA_WIRESHARK_SERIES VERSION_LESS 4.0)
    message(FATAL_ERROR
        "Wireshark ${Wireshark_VERSION} is too old: the plugin uses functions that Wireshark has since 4.0. "
        "It supports 4.0, 4.4 and 4.6.")
elseif(KAFKA_WIRESHARK_SERIES IN_LIST KAFKA_WIRESHARK_TESTED)
    message(STATUS "Wireshark ${Wireshark_VERSION}")
elseif(KAFKA_WIRESHARK_SERIES IN_LIST KAFKA_WIRESHARK_UNTESTED)
    message(STATUS "Wireshark ${Wireshark_VERSION}: should work, but the plugin is not tested with this version")
else()
    message(FATAL_ERROR
        "Wireshark ${Wireshark_VERSION} is not supported: each series changes functions that plugins call, "
        "and the plugin was adapted to 4.0, 4.2, 4.4 and 4.6 only.")
endif()
