// SPDX-License-Identifier: GPL-2.0-or-later
package conformance;

/** How much of a message is filled in. */
enum Shape {
    /** Every field that the version has, nothing null, nothing empty, unknown tags everywhere. */
    FULL,
    /** Null where null is allowed, else empty or zero; tagged fields left out. */
    SPARSE,
    /** Each field for itself: null, empty, ordinary or extreme. */
    RANDOM
}
