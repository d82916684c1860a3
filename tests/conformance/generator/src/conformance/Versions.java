// SPDX-License-Identifier: GPL-2.0-or-later
package conformance;

/** A range of versions as Kafka's definitions write it: "none", "3", "0-2" or "5+". */
record Versions(int lowest, int highest) {
    static final Versions NONE = new Versions(0, -1);

    static Versions parse(String text, Versions missing) {
        if (text == null) {
            return missing;
        }
        String range = text.trim();
        if (range.equals("none")) {
            return NONE;
        }
        if (range.endsWith("+")) {
            return new Versions(Integer.parseInt(range.substring(0, range.length() - 1)), Short.MAX_VALUE);
        }
        int dash = range.indexOf('-');
        if (dash < 0) {
            int only = Integer.parseInt(range);
            return new Versions(only, only);
        }
        return new Versions(Integer.parseInt(range.substring(0, dash)), Integer.parseInt(range.substring(dash + 1)));
    }

    boolean contains(int version) {
        return lowest <= version && version <= highest;
    }
}
