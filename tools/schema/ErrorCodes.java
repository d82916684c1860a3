/* SPDX-License-Identifier: GPL-2.0-or-later */

import java.util.Arrays;
import java.util.Comparator;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.protocol.Errors;

/** Prints the error codes of the kafka-clients jar on the class path: code, name, whether a client may try again. */
public class ErrorCodes {
    public static void main(String[] args) {
        System.out.println("# SPDX-License-Identifier: GPL-2.0-or-later");
        System.out.println(
                "# Made from Kafka's error codes by tools/schema/ErrorCodes.java; not to be changed by hand.");
        System.out.println("# Columns, separated by tabs: code, name, \"retriable\" or \"final\"");
        Arrays.stream(Errors.values()).sorted(Comparator.comparingInt(Errors::code)).forEach(error -> {
            boolean retriable = error.exception() instanceof RetriableException;
            System.out.println(error.code() + "\t" + error.name() + "\t" + (retriable ? "retriable" : "final"));
        });
    }
}
